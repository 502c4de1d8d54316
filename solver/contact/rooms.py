# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed colliders in which bodies begin as a whole: rooms, which they do not leave.

Such a body is apart from the collider, and stays apart. Led out through the nearest faces, vertex
by vertex, as what begins partly inside is, it would be torn. But cloth or a rod just under the skin
of a collider, as clothes of a character may be, is meant to lie on it.
"""

import numpy as np
import warp as wp

from ..kernels.contact.intersections import find_distances
from ..kernels.contact.parting import FLOOR

# What is thin and nowhere deeper in a collider than this part of its own size is led out.
SKIN = 0.1
# So much of a body is inside for certain, the rest may touch the walls.
MOST = 0.5


class Rooms:
    """Decides once, at the first look, who is in which room: `table` [body, body], of body and
    collider; None before. `meshes` are those of closed bodies, by their numbers.
    """

    def __init__(self, model, meshes):
        self.model, self.surface, self.meshes = model, model.surface, meshes
        self.table = None

    def keep(self):
        """What was decided."""
        is_open = self.table is None
        return {"rooms": np.zeros((0, 0), dtype=bool) if is_open else self.table}

    def bring_back(self, kept):
        """Take what `keep` has returned."""
        table = kept["rooms"].astype(bool)
        self.table = table if table.shape == self.surface.may_touch.shape else None

    def decide(self, inside, x):
        """Know who is in which room when vertices at x [vertex, 3] are `inside` [vertex] of so many
        bodies, if that is not known yet.
        """
        if self.table is not None:
            return
        surface = self.surface
        self.table = np.zeros_like(surface.may_touch)
        found = inside[surface.vertices]
        both = np.column_stack([surface.body[surface.vertices], found - 1])[found > 0]
        for body, collider in np.unique(both, axis=0).tolist():
            if body < surface.body_count <= collider:
                mine = surface.vertices[surface.body[surface.vertices] == body]
                self.table[body, collider] = self._is_in(mine, inside, x, collider)

    def _is_in(self, mine, inside, x, collider):
        """Whether all vertices of a body are in a collider as in a room."""
        is_inner = inside[mine] == collider + 1
        if is_inner.mean() < MOST:
            return False
        depth = self._distances(collider, x[mine])
        touch = depth <= FLOOR * self.surface.radius[mine]
        size = np.ptp(x[mine], axis=0).max()
        is_solid = self.surface.closed[self.surface.body[mine[0]]]
        return (is_inner | touch).all() and (is_solid or depth.max() > SKIN * size)

    def _distances(self, collider, points):
        """How far points [n, 3] are from the surface of a collider [m]."""
        model, (mesh, _) = self.model, self.meshes[collider]
        distance = wp.zeros(len(points), dtype=float, device=model.device)
        inputs = [mesh.id, model.upload(points, wp.vec3)]
        model.launches.run(find_distances, len(points), inputs, [distance])
        return distance.numpy().astype(np.float64)

    def outside(self, inside):
        """`inside` [vertex] without what is in rooms."""
        is_in = (inside > 0) & self.table[self.surface.body, np.maximum(inside - 1, 0)]
        return np.where(is_in, 0, inside)
