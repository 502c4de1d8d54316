# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad starts: surfaces that pass through each other are led apart, and reported until they are.

Until then such places take no part in ordinary contact, which would hold them where they are.
Where a solid passes through itself its elasticity alone leads it apart (self_intersections.py).
"""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.contact import intersections as kernels
from ..kernels.contact import pairs
from .crossings import crosses
from .self_intersections import FLATTENED, SMOOTH, SelfIntersections
from .separating import Found, Separation

# What lies on a sheet is in front of it by this part of the mesh spacing: only to decide.
IN_FRONT = 1e-9
# Room for the triangles that an edge crosses, at first.
SLOTS = 2


@dataclass(frozen=True)
class Intersection:
    """Two bodies (or one) whose surfaces pass through each other, in `count` places."""

    bodies: tuple[str, str]
    count: int
    place: tuple[float, float, float]
    """One of the places [m]."""

    def __str__(self):
        one, other = self.bodies
        who = f"{one} passes through {'itself' if one == other else other}"
        return f"{who} in {self.count} places, one at ({', '.join(f'{v:.3g}' for v in self.place)})"


class Intersections:
    """What passes through what as of the last `look`: `found`, and the rows of `Touch` that are
    `separating` it. `struct` learns which vertices these are.
    """

    def __init__(self, model, struct, names, settings):
        self.model, self.struct, self.names = model, struct, names
        self.surface = surface = model.surface
        self.edge_count = wp.zeros(len(surface.edges), dtype=int, device=model.device)
        self.slots = SLOTS
        model.launches.expect(kernels.find_inside)
        count = len(surface.vertices)
        self.face = wp.zeros(count, dtype=int, device=model.device)
        self.uv = wp.zeros(count, dtype=wp.vec2, device=model.device)
        self.meshes = dict(self._closed_meshes())
        self.of_solids = SelfIntersections(model)
        self.separation = Separation(model, self.meshes, settings)
        self.found, self.separating = [], np.zeros(0, dtype=pairs.Touch.numpy_dtype())

    def _closed_meshes(self):
        """(number, mesh, its triangles) of every solid and every closed collider."""
        surface = self.surface
        of_triangle = surface.body[surface.triangles[:, 0]]
        for number in np.flatnonzero(surface.closed):
            mine = np.flatnonzero(of_triangle == number)
            mesh = wp.Mesh(
                points=self.model.x,
                indices=self.model.upload(surface.triangles[mine].ravel(), int),
                support_winding_number=True,
            )
            yield int(number), (mesh, mine)

    def look(self):
        """Find all intersections of now; True when there are any."""
        x = self.model.x.numpy().astype(np.float64)
        surface, of_solids = self.surface, self.of_solids
        of_solids.look(x)
        found = self._find(x)
        e, t = surface.edges[found.edge], surface.triangles[found.triangle]
        crossing = np.zeros(len(surface.body), dtype=np.int32)
        crossing[e] = crossing[t] = 1
        own = surface.body[e[:, 0]] == surface.body[t[:, 0]]
        crossed = np.zeros(len(crossing), dtype=bool)
        crossed[e[own]] = crossed[t[own]] = True
        of_solids.release(x, crossed & surface.closed[surface.body])
        # Vertices in such states are treated as if they were inside their own body.
        in_itself = (found.inside == 0) & (of_solids.state != SMOOTH)
        self.struct.crosses.assign(crossing)
        self.struct.inside.assign(np.where(in_itself, surface.body + 1, found.inside))
        self.separating = self.separation.pairs(found)
        folded = (of_solids.state != SMOOTH) & (crossing == 0)
        self.found = self._report(found, surface.vertices[folded[surface.vertices]])
        return bool(self.found)

    @property
    def keepers(self):
        """All that keep something for the next look."""
        return [self.of_solids, self.separation]

    def _find(self, x):
        """What is `Found` at x, float64 [vertex, 3]."""
        inside = self._find_inside(x)
        edge, triangle = self._find_crossings(x)
        face, uv = self.face.numpy(), self.uv.numpy().astype(np.float64)
        return Found(x, inside, face, uv, edge, triangle)

    def _find_inside(self, x):
        """Number of the body that each vertex is inside of, plus one; 0 for none."""
        model = self.model
        inside = wp.zeros(len(x), dtype=int, device=model.device)
        for number, (mesh, mine) in self.meshes.items():
            points = x[self.surface.triangles[mine]].reshape(-1, 3)
            mesh.refit()
            box = wp.vec3(*points.min(axis=0)), wp.vec3(*points.max(axis=0))
            inputs = [self.struct, model.x, number, mesh.id, *box]
            outputs = [inside, self.face, self.uv]
            model.launches.run(kernels.find_inside, len(self.surface.vertices), inputs, outputs)
        return inside.numpy().copy()

    def _find_crossings(self, x):
        """Edges and the triangles they cross; what float32 suspects is decided in float64."""
        model, surface, count = self.model, self.surface, len(self.surface.edges)
        flattened = model.upload(self.of_solids.state == FLATTENED, int)
        while True:
            found = wp.zeros(count * self.slots, dtype=int, device=model.device)
            inputs = [self.struct, flattened, model.x, self.slots]
            model.launches.run(kernels.find_crossings, count, inputs, [self.edge_count, found])
            number = self.edge_count.numpy()
            if number.max() <= self.slots:
                break
            self.slots = int(number.max())
        edge = np.repeat(np.arange(count), number)
        slot = np.arange(len(edge)) - np.repeat(np.cumsum(number) - number, number)
        triangle = found.numpy()[edge * self.slots + slot]
        corners = x[np.column_stack([surface.edges[edge], surface.triangles[triangle]])]
        # A vertex of a solid that lies right on a floor is in front of it, so that its edges behind
        # the floor cross it: a cube that is modeled halfway through has a row of such vertices.
        bodies = surface.body[surface.edges[edge, 0]], surface.body[surface.triangles[triangle, 0]]
        sunk = surface.is_sunk(*bodies)
        back = IN_FRONT * surface.spacing[surface.edges[edge, 0]]
        corners[sunk, 2:] -= (back[:, None] * surface.normals(x, triangle))[sunk, None]
        sure = crosses(*np.moveaxis(corners, 1, 0))
        return edge[sure], triangle[sure]

    def _report(self, found, folded):
        """The `Intersection`s, by pairs of bodies: of crossings, of vertices inside of a body, and
        of vertices `folded` into their own.
        """
        x, body = found.x, self.surface.body
        e, t = self.surface.edges[found.edge], self.surface.triangles[found.triangle]
        inner = self.surface.vertices[found.inside[self.surface.vertices] > 0]
        one = np.concatenate([body[e[:, 0]], body[inner], body[folded]])
        other = np.concatenate([body[t[:, 0]], found.inside[inner] - 1, body[folded]])
        points = np.concatenate([x[e].mean(axis=1), x[inner], x[folded]])
        points = points + self.model.assembly.origin
        reported = []
        ends = np.sort(np.column_stack([one, other]), axis=1)
        for couple in np.unique(ends, axis=0):
            mine = np.flatnonzero((ends == couple).all(axis=1))
            bodies = tuple(self.names[n] for n in couple)
            place = tuple(map(float, points[mine[0]]))
            reported.append(Intersection(bodies, len(mine), place))
        return reported
