# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake as the scene plays it: shape keys or a mesh cache, and back to what was there before."""
