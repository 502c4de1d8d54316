# SPDX-License-Identifier: GPL-3.0-or-later
"""Lattices of cells around surfaces, and surfaces embedded in them."""
