# SPDX-License-Identifier: GPL-3.0-or-later
"""Import and export: tets, point caches and statistics."""
