# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that pass through themselves: flattened, inside out, or one limb in another.

Only its elasticity can untangle such a solid, and contact would hold it where it is. So a component
that begins flat or inside out does not touch its own body until all its elements have once had some
volume, nor does any vertex until it crosses nothing of its body and is not inside it.
"""

import numpy as np

from ...messages import message
from ...model.contact_lists import refuse_outside
from ...topology.graphs import connected_components, unique_edges
from ...topology.meshes import solid_volumes
from .closed_meshes import closed_mesh, query_inside

# A tet or cell with less than this fraction of its rest volume is flat.
FLAT = 0.05
# Vertices are raised off their surface by this fraction of the mesh spacing, to test them.
RAISED = 0.01
# State of a vertex: touches its own body, crosses it, or belongs to a component still flat.
SMOOTH, CROSSED, FLATTENED = 0, 1, 2


class SelfIntersections:
    """The `state` [vertex] of all solids that touch themselves."""

    state_name = "contact_self"

    def __init__(self, model):
        self.model, self.surface = model, model.surface
        assembly, surface = model.assembly, self.surface
        own = np.diag(surface.may_touch)
        self.solids = np.flatnonzero(own & surface.closed)
        self.state = np.where(np.isin(surface.body, self.solids), CROSSED, SMOOTH)
        touching = [c.corners[own[surface.body[c.corners[:, 0]]]] for c in assembly.solids]
        self.flat = [(c, solid_volumes(assembly.rest_points, c)) for c in touching]
        self._keep_flat(assembly.points)
        edges = unique_edges(*(corners for corners, _ in self.flat))
        self.component = connected_components(edges, len(surface.body))
        self._mark()

    def _keep_flat(self, x):
        """Remove from `flat`, the corners of tets and of cells with their rest volumes, those that
        have volume at x.
        """
        for k, (corners, rest) in enumerate(self.flat):
            still = solid_volumes(x, corners) < FLAT * rest
            self.flat[k] = corners[still], rest[still]

    def _mark(self):
        """Mark the components of flat elements as flattened, with their embedded points."""
        surface, points = self.surface, self.surface.points
        self.state[self.state == FLATTENED] = CROSSED
        components = np.concatenate([self.component[corners[:, 0]] for corners, _ in self.flat])
        self.state[np.isin(self.component, components)] = FLATTENED
        carried = (self.state[points.corners] == FLATTENED).any(axis=1)
        self.state[surface.point_start :][carried] = FLATTENED

    @property
    def is_smooth(self):
        """True where no vertex of a surface waits until it touches its own body."""
        waits = (self.state[self.surface.vertices] != SMOOTH).any()
        return not waits and not any(len(corners) for corners, _ in self.flat)

    def save(self):
        """Return the state of every vertex, as an array by name."""
        return {"state": self.state.copy()}

    def restore(self, saved):
        """Take over what `save` has returned."""
        state = saved["state"]
        if state.shape != self.state.shape:
            raise ValueError(message("resume.surfaces"))
        refuse_outside("state", state, FLATTENED + 1)
        self.state[:] = state
        for k, (corners, rest) in enumerate(self.flat):
            waits = state[corners[:, 0]] == FLATTENED
            self.flat[k] = corners[waits], rest[waits]

    def check(self, x):
        """Remove elements that have volume at x [vertex, 3] from the flat ones."""
        if any(len(corners) for corners, _ in self.flat):
            self._keep_flat(x)
            self._mark()

    def release(self, x, normals, crossed):
        """Let vertices that are not inside of their own body touch it, at x with unit `normals`,
        both [vertex, 3]; `crossed` [vertex] cross it.
        """
        self.state[crossed & (self.state == SMOOTH)] = CROSSED
        waiting = (self.state == CROSSED) & ~crossed
        of_triangle = self.surface.body[self.surface.triangles[:, 0]]
        for number in self.solids:
            triangles = self.surface.triangles[of_triangle == number]
            vertices = np.unique(triangles)
            vertices = vertices[waiting[vertices]]
            if len(vertices):
                # A new mesh: the tree of one that was built flat does not work any more.
                mesh = closed_mesh(self.model, triangles)
                off = RAISED * self.surface.spacing[vertices, None] * normals[vertices]
                is_inside, _ = query_inside(self.model, mesh, x[vertices] + off)
                self.state[vertices[~is_inside]] = SMOOTH
