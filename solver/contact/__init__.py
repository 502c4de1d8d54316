# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of surfaces: search, lists of pairs, truncation, load, intersections."""
