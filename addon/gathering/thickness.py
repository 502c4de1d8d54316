# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision thickness: the one that suits colliders without one, and sentences about others."""

import numpy as np

from ...solver.bodies import Grains
from ...solver.messages import message
from ...solver.scene.thickness import collision_thickness, short_edge

# Thickness of colliders among grains alone, as a fraction of their radius: an invisible gap.
FRACTION_OF_RADIUS = 0.02


def of(body):
    """Collision thickness of a body [m] that suits a collider without one; grains have none."""
    if isinstance(body, Grains):
        return FRACTION_OF_RADIUS * float(body.radius.min())
    return float(np.min(collision_thickness(body)))


def notes(body):
    """A sentence about a thickness of the user's that is too large for the mesh."""
    if isinstance(body, Grains):
        return
    own, limit = float(np.max(body.material.collision_thickness)), 0.5 * short_edge(body)
    if own > 1.001 * limit:
        digit = 10.0 ** np.floor(np.log10(limit))
        most = digit * np.floor(1.001 * limit / digit)  # despite rounding, one digit stays
        yield (message("collider.thick", name=body.name, thickness=own, most=most))
