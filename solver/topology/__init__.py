# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs of vertices and elements: components, orders, colors."""
