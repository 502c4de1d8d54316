# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches, threads and compiling."""
