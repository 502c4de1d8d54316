# SPDX-License-Identifier: GPL-3.0-or-later
"""Feasible steps: bounds within which surfaces stay apart."""
