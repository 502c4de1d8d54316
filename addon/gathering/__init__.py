# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene -> plain bodies, colliders and forces of the solver."""
