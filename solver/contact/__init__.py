# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that touch: search, lists of pairs, truncation, load, intersections."""
