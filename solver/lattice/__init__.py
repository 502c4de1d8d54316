# SPDX-License-Identifier: GPL-3.0-or-later
"""Lattices of cells around surfaces, and the surfaces embedded in them."""
