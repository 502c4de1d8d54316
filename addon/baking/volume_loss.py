# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume loss of soft bodies that are too soft for their weight or for the load on them.

It follows from the bulk modulus K = E / (3 (1 − 2 ν)), and is no error: more iterations change
nothing, while real flesh or jelly keeps its volume.
"""

import numpy as np

from ...solver.bodies import Collider, Volume
from ...solver.messages import message
from ...solver.topology.meshes import solid_volumes
from .report import Line, listed

# A loss is reported from this fraction of the volume on. A body pressed flat between plates loses
# about twice 1 − 2 ν by its material.
SHOWS, BY_MATERIAL = 0.15, 2.0
# Beyond this fraction the body is crushed.
CRUSHED = 0.5
# Impacts are short: the loss must occur in this fraction of the frames.
LASTS = 0.2
# The largest Poisson's ratio that converges with the default iterations.
NEAR_HALF = 0.49


class VolumeLoss:
    """Gathers the volumes of the soft bodies of a `Gathered` scene."""

    def __init__(self, gathered):
        self.bodies = gathered.simulated()
        self.solids = [k for k, body in enumerate(self.bodies) if keeps_its_own(body)]
        colliders = [body for body in gathered.bodies if isinstance(body, Collider)]
        self.is_pressed = any(callable(collider.points) for collider in colliders)
        self.rest = {k: self._volume(k, self.bodies[k].rest_points) for k in self.solids}
        self.lost = {k: [] for k in self.solids}
        """Lost fraction of the volume of every soft body in every frame."""

    def _volume(self, k, points):
        """Volume of the material of a body at points [vertex, 3] [m³]."""
        body = self.bodies[k]
        volumes = solid_volumes(np.asarray(points, np.float64), body.elements)
        filling = getattr(body, "filling", None)
        return float(volumes.sum() if filling is None else volumes @ filling.part)

    def take(self, positions):
        """Count a frame: `positions` of all bodies, [vertex, 3] each, in m."""
        for k in self.solids:
            self.lost[k].append(1.0 - self._volume(k, positions[k]) / self.rest[k])

    def lines(self):
        """A `Line` about the bodies that lose more than expected of their material."""
        found = {}
        for k in self.solids:
            lost = float(np.quantile(self.lost[k] or [0.0], 1.0 - LASTS))
            ratio = float(np.mean(self.bodies[k].material.poisson_ratio))
            if lost > max(SHOWS, BY_MATERIAL * (1.0 - 2.0 * ratio)):
                found[self.bodies[k].name] = lost, ratio
        if not found:
            return
        lost = min(max(lost for lost, _ in found.values()), 1.0)  # more where it is inside out
        # No stiffness resists an animation that encloses a smaller volume.
        which = "report.pressed" if self.is_pressed else "report.crushed"
        known = {"names": listed(tuple(found)), "count": len(found), "left": 100.0 * (1.0 - lost)}
        text = message(which, **known)
        if min(ratio for _, ratio in found.values()) < NEAR_HALF - 1e-6:  # as float32
            text += message("report.raise_ratio", ratio=NEAR_HALF)
        yield Line(
            text=text,
            warns=lost > CRUSHED,
            objects=tuple(found),
        )


def keeps_its_own(body):
    """Return whether a body has a volume that no animation of its pins changes."""
    return isinstance(body, Volume) and (body.pins is None or body.pins.targets is None)
