# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments, and other solvers to compare with; no part of the product."""
