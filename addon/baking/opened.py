# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of colliders that are flat where a bake starts, and so left out, and open later."""

import numpy as np

from ...solver.bodies import Collider
from ...solver.messages import message
from ...solver.topology.meshes import are_flat
from .report import Line

# A triangle is flat below this fraction of the area of a square on its longest edge.
OPEN = 0.01


class OpenedFaces:
    """Finds colliders of a `Gathered` scene whose flat faces open later."""

    def __init__(self, gathered):
        self.gathered = gathered
        self.flat = {}
        """Triangles [triangle, 3] of moving colliders that are flat at the start."""
        for body in gathered.bodies:
            if isinstance(body, Collider) and callable(body.points):
                flat = body.triangles[are_flat(body.start, body.triangles)]
                if len(flat):
                    self.flat[body] = flat
        self.opened = dict.fromkeys(self.flat, 0)

    def take(self, frame):
        """Count a frame."""
        time = frame * self.gathered.settings.frame_time
        for body, flat in self.flat.items():
            opened = int((_openness(body.points(time)[flat]) > OPEN).sum())
            self.opened[body] = max(self.opened[body], opened)

    def lines(self):
        """A `Line` about every collider with such faces."""
        for body, count in self.opened.items():
            if count:
                yield Line(
                    text=message(
                        "report.opened",
                        name=body.name,
                        count=count,
                        total=len(body.triangles),
                        frame=self.gathered.frame_start,
                    ),
                    warns=True,
                    objects=(body.name,),
                )


def _openness(corners):
    """Twice the areas of triangles [triangle, 3, 3] over the squares of their longest edges."""
    sides = np.roll(corners, -1, axis=1) - corners
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    twice = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return twice / np.maximum(longest, 1e-300) ** 2
