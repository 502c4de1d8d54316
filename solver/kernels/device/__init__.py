# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches, lanes and lists: what kernels of all stages share."""
