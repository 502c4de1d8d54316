# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh colliders."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..messages import message
from ..topology.meshes import checked_elements
from .points import PointsInTime, points_at


@dataclass(eq=False)
class Collider:
    """A kinematic triangle mesh, which pushes bodies and is not moved by them.

    `points` [m]: [vertex, 3], or such an array per frame (the input state first), or a function of
    time. `friction`: a number, a function of time, or None for the scene's; `static_friction` acts
    until a contact slides, if it is larger. `thickness` [m] is added to that of the bodies.
    A closed mesh pushes bodies out of its inside; an open one pushes on both sides. Triangles
    without area at the start are left out.
    `collides_with`: names of the bodies that it may touch, or None for all.
    """

    points: PointsInTime
    triangles: np.ndarray
    friction: float | Callable[[float], float] | None = None
    thickness: float = 0.0
    name: str = "Collider"
    collides_with: tuple[str, ...] | None = None
    static_friction: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        self.start = points_at(self.name, self.points, 0, 0.0)
        self.vertex_count = len(self.start)
        self.triangles = checked_elements(
            self.name, "triangle", self.triangles, 3, self.vertex_count
        )
        if not len(self.triangles):
            raise ValueError(message("collider.no_triangle", name=self.name))
