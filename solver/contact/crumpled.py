# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that pass through themselves: flattened, inside out, or with one part in another.

Nothing but its elasticity knows the way back of such a solid, and contact would hold it where it
is. So a part that begins flat or inside out does not touch its own body until all its tets have
once had some volume, nor does any vertex until it crosses nothing of its body and is not inside it.
"""

import numpy as np
import warp as wp

from ..kernels.contact import tangles
from ..topology.graphs import connected_components
from ..topology.meshes import tet_volumes

# A tet with less than this part of its rest volume is flat.
FLAT = 0.05
# To be told from inside, points are lifted off their triangle by this part of its size.
LIFT = 0.01
# The state of a vertex: it touches its own body, it crosses it, or its part has been flat so far.
SMOOTH, CROSSED, CREASED = 0, 1, 2


class Crumpled:
    """The `state` [vertex] of all solids that touch themselves."""

    def __init__(self, model):
        self.model, self.shape = model, model.surface
        assembly, shape = model.assembly, self.shape
        own = np.diag(shape.may_touch)
        self.solids = np.flatnonzero(own & shape.closed)
        self.state = np.where(np.isin(shape.body, self.solids), CROSSED, SMOOTH)
        tets = assembly.tets.corners
        tets = tets[own[shape.body[tets[:, 0]]]]
        rest = tet_volumes(assembly.rest_points, tets)
        flat = tet_volumes(assembly.points, tets) < FLAT * rest
        self.flat, self.rest_volumes = tets[flat], rest[flat]
        edges = np.concatenate([self.flat[:, [0, k]] for k in (1, 2, 3)])
        self.part = connected_components(edges, len(shape.body))
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
        of_triangle = self.shape.body[self.shape.triangles[:, 0]]
        for number in self.solids:
            triangles = self.shape.triangles[of_triangle == number]
            vertices = np.unique(triangles)
            vertices = vertices[waiting[vertices]]
            if len(vertices):
                inside = self._inside(x, vertices, triangles)
                self.state[vertices[~inside]] = SMOOTH

    def _inside(self, x, vertices, triangles):
        """Which surface vertices of a body are inside it, bool.

        Nothing crosses the triangles around them, so that any of these tells.
        """
        of_vertex = np.zeros(len(x), dtype=np.int64)
        of_vertex[triangles] = np.arange(len(triangles))[:, None]
        a, b, c = (x[triangles[of_vertex[vertices], k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        size = np.sqrt(np.linalg.norm(normal, axis=1, keepdims=True))
        lifted = (a + b + c) / 3.0 + LIFT * normal / np.maximum(size, 1e-30)
        found = wp.zeros(len(vertices), dtype=int, device=self.model.device)
        # A new one: the tree of a mesh that was built flat is of no use any more.
        mesh = wp.Mesh(
            points=self.model.x,
            indices=self.model.upload(triangles.ravel(), int),
            support_winding_number=True,
        )
        wp.launch(
            tangles.are_inside,
            dim=len(vertices),
            inputs=[mesh.id, self.model.upload(lifted.astype(np.float32), wp.vec3)],
            outputs=[found],
            device=self.model.device,
        )
        return found.numpy() > 0
