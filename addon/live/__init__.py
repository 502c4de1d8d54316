# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: the simulation is solved while it plays."""
