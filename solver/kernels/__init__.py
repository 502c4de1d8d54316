# SPDX-License-Identifier: GPL-3.0-or-later
"""Warp functions and kernels, and nothing else."""
