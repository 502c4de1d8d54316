# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator: NumPy and Warp, no Blender."""
