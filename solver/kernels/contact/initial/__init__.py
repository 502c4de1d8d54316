# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels for surfaces that begin in each other or too near."""
