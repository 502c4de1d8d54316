# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies kilometres apart, whose positions round: a sentence about the one that lies apart."""

import numpy as np

from ...solver.messages import message
from ...solver.report.lengths import length
from ...solver.scene.thickness import collision_thickness

# Positions are float32, relative to the middle of all bodies. A crate on a cushion rests as it does
# there while they round to 0.12 of the contact distance; from 0.2 on it sinks or shakes.
FRACTION = 0.15
# A body nearer to the others than this part of the scene's extent is not what makes it large.
APART = 0.4


def notes(bodies):
    """Sentences about that of the simulated `bodies` that is too far from most others."""
    from ...solver.model.assembly import middle  # Warp takes half a second to import

    points = np.concatenate([body.points for body in bodies])
    origin = middle(points)
    rounding = np.array(
        [np.spacing(np.float32(np.abs(body.points - origin).max())) for body in bodies]
    )
    gaps = np.array([np.min(collision_thickness(body)) for body in bodies])
    worst = np.argmax(rounding / gaps)
    if len(bodies) < 2 or rounding[worst] <= FRACTION * gaps[worst]:
        return
    centers = np.array([middle(body.points) for body in bodies])
    inside = np.argmin(np.linalg.norm(centers - np.median(centers, axis=0), axis=1))
    distances = np.linalg.norm(centers - centers[inside], axis=1)
    outside = np.argmax(distances)
    if distances[outside] < APART * np.ptp(points, axis=0).max():
        return
    known = {"rounding": length(rounding[worst]), "gap": length(gaps[worst])}
    known["distance"] = distances[outside]
    yield message("note.far", name=bodies[outside].name, other=bodies[inside].name, **known)
