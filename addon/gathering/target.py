# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that will be baked."""

from dataclasses import dataclass

import numpy as np

from ...solver.lattice.lattice import Lattice
from ..objects.nearest import frames
from .inner_pins import InnerPins
from .reader import Pose
from .rods import RodShape
from .skin import DrawnSkin


@dataclass
class Target:
    """An object that will be baked, and the map from the points of its body to its own."""

    name: str
    key: tuple
    start: Pose
    deforming: list[str]
    moving: bool
    first: Pose | None = None
    """The pose with the points of the first frame, if these are not those of `start`."""
    corners: np.ndarray | None = None
    weights: np.ndarray | None = None
    shape: RodShape | None = None
    """Map between the points of a rod and those of its object."""
    lattice: Lattice | None = None
    surface: np.ndarray | None = None
    """The place of its surface that each vertex embedded in a lattice belongs to, [vertex]."""
    inner: InnerPins | None = None
    """Pins that hold the lattice from inside, if any."""
    own: np.ndarray | None = None
    """Vertices of a cloth that its body has, if not all; all others are `carried`."""
    carried: np.ndarray | None = None
    lever: np.ndarray | None = None
    """Offsets of the carried vertices from their triangle, in its `frames` [m], [carried, 3]."""
    pinned: np.ndarray | None = None
    """Vertices that follow the object, whatever its body does; None for none."""
    skin: DrawnSkin | None = None
    """The smooth skin of a soft body, if it has one."""
    faces: np.ndarray | None = None
    """Triangles of the object's own surface, seen from outside; None for those of its body."""

    def start_points(self):
        """Start positions of attachable points [m]: vertices, or points along a curve."""
        return self.start.world_points() if self.shape is None else self.shape.along(self.start)

    def of_body(self, vertices):
        """The vertices of a cloth's body for these of its object; it has all of them."""
        return vertices if self.own is None else np.searchsorted(self.own, vertices)

    def stored_start(self):
        """Points of the input state in object space, float32."""
        pose = self.first or self.start
        return pose.undeformed(pose.points)

    def stored(self, positions, pose, _time, offsets=None):
        """Points in object space, float32, for positions of the body [m], the object's pose at a
        time [s], and the `offsets` of its smooth skin [m].
        """
        return pose.stored(self.visible(positions, pose, offsets))

    def visible(self, positions, pose, offsets=None):
        """World positions [m] of the object's vertices, given those of its body and its pose. The
        skin is smooth without its `offsets`, but contact may hold it back.
        """
        if self.shape is not None:
            return self.shape.visible(positions)
        if self.corners is None:
            return positions
        places = positions[self.corners].astype(np.float64)
        points = (places * self.weights[..., None]).sum(axis=1)
        if self.skin is not None:
            points += self.skin.offsets(positions, offsets)
        if self.carried is not None:
            turned = frames(places[self.carried])
            points[self.carried] += np.einsum("pij,pj->pi", turned, self.lever)
        if self.pinned is not None:
            points[self.pinned] = pose.world_points()[self.pinned]
        return points


def outward(triangles, pose):
    """Triangles whose winding survives a mirroring transform."""
    return triangles[:, ::-1] if np.linalg.det(pose.matrix[:3, :3]) < 0.0 else triangles
