# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of energies, residuals and counts."""
