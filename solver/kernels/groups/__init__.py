# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of the motion of bodies as a whole."""
