# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of the search for contact pairs."""
