# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of rigid bodies: poses, flight, their block in the sweeps, and steps along arcs."""
