# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as graphs of vertices and elements: components, orders, colors, closed surfaces."""
