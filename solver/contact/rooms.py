# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed colliders in which bodies begin as a whole: rooms, which they do not leave.

Such a body is apart from the collider, and stays apart. Led out through the nearest faces, vertex
by vertex, as what begins partly inside is, it would be torn. But what is just under the skin of a
collider is meant to lie on it: cloth and rods, as clothes of a character may be, unless all ways
out lead down, and solids if these lead up.
"""

import numpy as np
import warp as wp

from ..kernels.contact import intersections as kernels
from .crossings import unit

# Just under the skin is what is nowhere deeper than this part of its own size, or of the collider's
# least extent where that is larger.
SKIN = 0.15
# Ways lead up, or down, where the mean of their directions does by this.
AGREE = 0.5
# So much of a body is inside for certain, the rest may touch the walls.
MOST = 0.5


class Rooms:
    """Decides once, at the first look, who is in which room: `table` [body, body], of body and
    collider; None before. `meshes` are those of closed bodies, by their numbers.
    """

    state_name = "contact_containment"

    def __init__(self, model, meshes, up):
        self.model, self.surface, self.meshes = model, model.surface, meshes
        self.up = up
        self.table = None

    def keep(self):
        """What was decided."""
        is_open = self.table is None
        return {"rooms": np.zeros((0, 0), dtype=bool) if is_open else self.table}

    def bring_back(self, kept):
        """Take what `keep` has returned."""
        table = kept["rooms"].astype(bool)
        self.table = None
        if table.shape == self.surface.may_touch.shape:
            self.table = self.surface.rooms = table

    def named(self, names):
        """Who is in which room, pairs of these `names` [body]."""
        if self.table is None:
            return ()
        return tuple((names[body], names[room]) for body, room in np.argwhere(self.table))

    def decide(self, inside, x):
        """Know who is in which room when vertices at x [vertex, 3] are `inside` [vertex] of so many
        bodies, if that is not known yet.
        """
        surface = self.surface
        self.table = surface.rooms = np.zeros_like(surface.may_touch)
        owner = surface.body[surface.vertices]
        for body in np.unique(owner[inside[surface.vertices] > 0]).tolist():
            if body < surface.body_count:
                mine = surface.vertices[owner == body]
                for collider in self.meshes:
                    if collider >= surface.body_count and surface.may_touch[body, collider]:
                        self.table[body, collider] = self._is_in(body, collider, mine, x)

    def _is_in(self, body, collider, mine, x):
        """Whether a body with vertices `mine` is in a collider as in a room."""
        surface, points = self.surface, x[mine]
        is_inner = self._ask(kernels.are_inside, collider, points, int) > 0
        if is_inner.mean() < MOST:
            return False
        ways = self._ask(kernels.find_ways, collider, points, wp.vec3).astype(np.float64)
        depth = np.linalg.norm(ways, axis=1)
        if not (is_inner | (depth <= surface.radius[mine])).all():
            return False
        shell = x[surface.triangles[self.meshes[collider][1]]].reshape(-1, 3)
        size = max(np.ptp(points, axis=0).max(), np.ptp(shell, axis=0).min())
        rises = unit(ways).mean(axis=0) @ unit(self.up[None])[0]
        least = AGREE if surface.closed[body] else -AGREE
        return not (depth.max() <= SKIN * size and rises > least)

    def _ask(self, kernel, collider, points, kind):
        """What a kernel tells of points [n, 3] and the mesh of a collider."""
        model, (mesh, _) = self.model, self.meshes[collider]
        told = wp.zeros(len(points), dtype=kind, device=model.device)
        inputs = [mesh.id, model.upload(points, wp.vec3)]
        model.launches.run(kernel, len(points), inputs, [told])
        return told.numpy()
