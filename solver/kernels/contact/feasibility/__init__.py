# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of step bounds, which keep surfaces apart."""
