# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches, lanes and lists, shared by the kernels of all stages."""
