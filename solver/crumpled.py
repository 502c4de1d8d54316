# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that pass through themselves: flattened, inside out, or with one part in another.

Nothing but its elasticity knows the way back of such a solid, and contact would hold it where it
is. So a part that begins flat or inside out does not touch its own body until all its tets have
once had some volume, nor does any vertex until it crosses nothing of its body and is not inside it.
"""

import numpy as np
import warp as wp

from .bodies import tet_volumes
from .kernels import tangles
from .order import connected

# A tet with less than this part of its rest volume is flat.
FLAT = 0.05
# To be told from inside, points are lifted off their surface by this part of the mesh spacing.
LIFT = 0.01
# The state of a vertex: it touches its own body, it crosses it, or its part has been flat so far.
SMOOTH, CROSSED, CREASED = 0, 1, 2


class Crumpled:
    """The `state` [vertex] of all solids that touch themselves; `meshes` are those of `Tangles`."""

    def __init__(self, model, meshes):
        self.device, self.shape = model.device, model.surface
        assembly, shape = model.assembly, self.shape
        own = np.diag(shape.may_touch)
        self.meshes = {n: mesh for n, mesh in meshes.items() if own[n]}
        self.state = np.where(np.isin(shape.body, list(self.meshes)), CROSSED, SMOOTH)
        tets = assembly.tets.corners
        tets = tets[own[shape.body[tets[:, 0]]]]
        rest = tet_volumes(assembly.rest_points, tets)
        flat = tet_volumes(assembly.points, tets) < FLAT * rest
        self.flat, self.rest_volumes = tets[flat], rest[flat]
        edges = np.concatenate([self.flat[:, [0, k]] for k in (1, 2, 3)])
        self.part = connected(edges, len(shape.body))
        self._mark(self.flat)

    def _mark(self, flat):
        """Mark the parts of flat tets as creased, with the embedded points that they carry."""
        shape, points = self.shape, self.shape.points
        self.state[self.state == CREASED] = CROSSED
        self.state[np.isin(self.part, np.unique(self.part[flat]))] = CREASED
        carried = (self.state[points.corners] == CREASED).any(axis=1)
        self.state[shape.point_start :][carried] = CREASED

    def look(self, x):
        """Tets that have volume at x [vertex, 3] are no longer flat."""
        if len(self.flat):
            still = tet_volumes(x, self.flat) < FLAT * self.rest_volumes
            self.flat, self.rest_volumes = self.flat[still], self.rest_volumes[still]
            self._mark(self.flat)

    def release(self, x, crossed):
        """Let vertices touch their own body that are not inside it; `crossed` [vertex] cross it."""
        self.state[crossed & (self.state == SMOOTH)] = CROSSED
        waiting = (self.state == CROSSED) & ~crossed
        for number, (mesh, mine) in self.meshes.items():
            vertices = np.flatnonzero(waiting & (self.shape.body == number))
            if len(vertices):
                inside = self._inside(x, vertices, mesh, self.shape.triangles[mine])
                self.state[vertices[~inside]] = SMOOTH

    def _inside(self, x, vertices, mesh, triangles):
        """Which surface vertices of a body are inside it, bool."""
        a, b, c = (x[triangles[:, k]] for k in range(3))
        normal = np.zeros_like(x)
        np.add.at(normal, triangles.ravel(), np.repeat(np.cross(b - a, c - a), 3, axis=0))
        normal = normal[vertices]
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
        spacing = np.where(np.isfinite(self.shape.spacing), self.shape.spacing, 0.0)[vertices, None]
        found = wp.zeros(len(vertices), dtype=int, device=self.device)
        lifted = (x[vertices] + LIFT * spacing * normal).astype(np.float32)
        wp.launch(
            tangles.are_inside,
            dim=len(vertices),
            inputs=[mesh.id, wp.array(lifted, dtype=wp.vec3, device=self.device)],
            outputs=[found],
            device=self.device,
        )
        return found.numpy() > 0
