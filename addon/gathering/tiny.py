# SPDX-License-Identifier: GPL-3.0-or-later
"""Small things, which fall fast for their size: a sentence about substeps too long for them."""

import numpy as np

from ...solver.bodies import Grains, RigidBody, Rod
from ...solver.messages import message
from ...solver.report.lengths import length

# A body that fell by its own size L moves by h √(2 g L) within a substep. Piles of cubes converge
# as well as large ones where that is about this fraction of L.
FRACTION = 0.12
# A sentence is worth it from this many times of that on: below 3.7 cm by default.
TIMES = 2.0


def notes(bodies, settings):
    """Sentences about the smallest of several simulated `bodies`."""
    if settings.quasistatic or not any(settings.gravity):
        return
    sizes = {body.name: _size(body) for body in bodies if not isinstance(body, Rod | Grains)}
    name = min((name for name in sizes if sizes[name] > 0.0), key=sizes.get, default="")
    if not name or len(sizes) < 2:  # one alone converges with few substeps
        return
    gravity = float(np.linalg.norm(settings.gravity))
    crossings = settings.frame_time * np.sqrt(2.0 * gravity / sizes[name])  # in a frame
    if crossings > TIMES * FRACTION * settings.substeps:
        known = {"steps": settings.substeps / crossings}
        known["substeps"] = int(np.ceil(crossings / FRACTION))
        yield message("note.tiny", name=name, size=length(sizes[name]), **known)


def _size(body):
    """The longest side of a body [m]."""
    points = body.mesh_points if isinstance(body, RigidBody) else body.points
    return float(np.ptp(points, axis=0).max())
