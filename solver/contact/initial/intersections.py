# SPDX-License-Identifier: GPL-3.0-or-later
"""Initial intersections: surfaces are pushed apart, and reported until they are separate.

Until then such places take no part in ordinary contact, which would hold them where they are. Where
a solid passes through itself, its elasticity alone separates it (self_intersections.py).
"""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ...device.launches import play
from ...kernels.contact import pairs
from ...kernels.contact.initial import intersections as kernels
from ...messages import message
from .closed_meshes import closed_mesh
from .edge_crossings import crosses, winding_numbers
from .initial_orientation import are_in_front, facing_directions, lie_on
from .overlapping_bodies import OverlappingBodies
from .self_intersections import FLATTENED, SMOOTH, SelfIntersections
from .separation import Found, Separation

# Points on a sheet count as this fraction of the mesh spacing in front of it.
IN_FRONT = 1e-9
# Least winding number inside a closed surface: 1 inside of it, and 1/2 on it.
SURELY = 0.75
# Initial capacity of the triangles that an edge crosses.
SLOTS = 2
# Rough cost of the query of an edge in a tree, and of a vertex in a closed mesh [ns].
EDGE, VERTEX = 200.0, 100.0


def bits_of(bodies):
    """Return the bits that mark bodies, int32, any shape."""
    return np.int32(1) << (bodies % pairs.BODY_BITS).astype(np.int32)


@dataclass(frozen=True)
class Intersection:
    """Two bodies (or one) whose surfaces pass through each other, in `count` places."""

    bodies: tuple[str, str]
    count: int
    place: tuple[float, float, float]
    """One of the places [m]."""

    def __str__(self):
        one, other = self.bodies
        other = "itself" if one == other else other
        return message(
            "statistics.passes_in",
            one=one,
            other=other,
            count=self.count,
            place=", ".join(f"{v:.3g}" for v in self.place),
        )


class Intersections:
    """Intersections as of the last `check`: `found`, and the rows of `Touch` that are `separating`
    them. `struct` marks their vertices. `inside` [vertex] is the number of the body that a vertex
    is inside of, plus one; 0 for none.
    """

    def __init__(self, model, struct, names, settings):
        self.model, self.struct, self.names = model, struct, names
        self.surface = surface = model.surface
        count, edges = len(surface.vertices), len(surface.edges)
        self.edge_count, self.inside, self.face = (
            wp.zeros(length, dtype=int, device=model.device)
            for length in (edges, len(surface.body), count)
        )
        self.slots = SLOTS
        self.uv = wp.zeros(count, dtype=wp.vec2, device=model.device)
        self.meshes = dict(self._closed_meshes())
        self.find_inside = list(self._finding_inside())
        model.launches.expect(kernels.find_crossings)
        self.of_solids = SelfIntersections(model)
        self.up = -np.asarray(settings.gravity, dtype=np.float64)
        self.couples = OverlappingBodies(model, self.meshes, self.up)
        self.separation = Separation(model, self.meshes, self.couples, settings)
        self.found, self.separating = [], np.zeros(0, dtype=pairs.Touch.numpy_dtype())

    def _closed_meshes(self):
        """Yield (number, mesh, its triangles) of every solid and every closed collider."""
        surface = self.surface
        of_triangle = surface.body[surface.triangles[:, 0]]
        by_body = np.split(
            np.argsort(of_triangle, kind="stable"),
            np.cumsum(np.bincount(of_triangle, minlength=len(surface.closed)))[:-1],
        )
        for number in np.flatnonzero(surface.closed).tolist():
            mine = by_body[number]
            yield number, (closed_mesh(self.model, surface.triangles[mine]), mine)

    def _finding_inside(self):
        """Yield launches that find which vertices are inside of a closed mesh."""
        model, count = self.model, len(self.surface.vertices)
        ids = np.zeros(self.struct.bodies, dtype=np.uint64)
        for number, (mesh, _) in self.meshes.items():
            yield mesh.refit
            ids[number] = mesh.id
        inputs = [self.struct, model.x, model.upload(ids, wp.uint64)]
        outputs = [self.inside, self.face, self.uv]
        yield model.launches.record(kernels.find_inside, count, inputs, outputs, VERTEX)

    def is_suspicious(self):
        """Return whether float32 finds anything to `check`, whatever the state of a solid."""
        play(self.find_inside)
        self._cross(wp.zeros_like(self.inside), 0)
        return bool(self.inside.numpy().any() or self.edge_count.numpy().any())

    @property
    def is_settled(self):
        """True where the last `check` found nothing, and no solid ever intersected itself."""
        return not self.found and self.of_solids.is_smooth

    def check(self):
        """Find all present intersections; return whether there are any."""
        x = self.model.x.numpy().astype(np.float64)
        surface, of_solids = self.surface, self.of_solids
        of_solids.check(x)
        found = self._find(x)
        e, t, ours, theirs = found.ends, found.corners, found.e_body, found.t_body
        crossing = np.zeros(len(surface.body), dtype=np.int32)
        np.bitwise_or.at(crossing, e, bits_of(theirs)[:, None])
        np.bitwise_or.at(crossing, t, bits_of(ours)[:, None])
        own = ours == theirs
        crossed = np.zeros(len(crossing), dtype=bool)
        crossed[e[own]] = crossed[t[own]] = True
        of_solids.release(x, found.normals, crossed & surface.closed[surface.body])
        # Vertices in such states are treated as if they were inside their own body.
        in_itself = (found.inside == 0) & (of_solids.state != SMOOTH)
        self.struct.crosses.assign(crossing)
        self.couples.decide(found)
        self.separating = self.separation.pairs(found)
        inside = np.where(in_itself, surface.body + 1, found.inside)
        self.struct.inside.assign(self.separation.not_touching(inside))
        folded = (of_solids.state != SMOOTH) & (crossing == 0)
        self.found = self._report(found, surface.vertices[folded[surface.vertices]])
        return bool(self.found)

    @property
    def in_enclosures(self):
        """Names of enclosed bodies, with those of their enclosures."""
        return self.couples.named(self.names)

    @property
    def state_owners(self):
        """All objects with state for the next check."""
        return [self.of_solids, self.couples]

    def _find(self, x):
        """Return the `Found` intersections at x, float64 [vertex, 3]."""
        self.couples.find_enclosures(x)
        normals, self.facing, self.side = facing_directions(self.surface, x, self.up)
        self.side[self.couples.enclosures | self.couples.enclosures.T] = -1
        self.struct.facing.assign(self.facing)
        self.struct.side.assign(self.side.ravel().astype(np.int32))
        play(self.find_inside)
        inner = self._surely_inside(x), self.face.numpy(), self.uv.numpy().astype(np.float64)
        return Found(self.surface, x, normals, inner, self._find_crossings(x))

    def _surely_inside(self, x):
        """Return `inside` as float64 decides it. Candidates of the device come from a hierarchy of
        triangles, which mistakes bodies that are drawn out far. Vertices on a body are in front of
        it.
        """
        inside, vertices = self.inside.numpy().copy(), self.surface.vertices  # a view on the CPU
        face, uv = self.face.numpy(), self.uv.numpy()
        for number in np.unique(inside[vertices][inside[vertices] > 0]) - 1:
            k = np.flatnonzero(inside[vertices] == number + 1)
            suspects, corners = vertices[k], x[self.surface.triangles[self.meshes[number][1]]]
            near = corners[face[k]], uv[k]
            is_on = lie_on(x[suspects], *near, self.surface.radius[suspects])
            inside[suspects[is_on | (winding_numbers(x[suspects], corners) < SURELY)]] = 0
        return inside

    def _cross(self, flattened, slots):
        """Count in `edge_count` the triangles that edges cross; return `slots` of each edge."""
        count = len(self.surface.edges)
        found = wp.zeros(max(count * slots, 1), dtype=int, device=self.model.device)
        inputs, outputs = [self.struct, flattened, self.model.x, slots], [self.edge_count, found]
        self.model.launches.run(kernels.find_crossings, count, inputs, outputs, EDGE)
        return found

    def _find_crossings(self, x):
        """Return edges and the triangles they cross: candidates of float32, decided in float64."""
        model, surface, count = self.model, self.surface, len(self.surface.edges)
        flattened = model.upload(self.of_solids.state == FLATTENED, int)
        while True:
            found = self._cross(flattened, self.slots)
            number = self.edge_count.numpy()
            if number.max() <= self.slots:
                break
            self.slots = int(number.max())
        edge = np.repeat(np.arange(count), number)
        slot = np.arange(len(edge)) - np.repeat(np.cumsum(number) - number, number)
        triangle = found.numpy()[edge * self.slots + slot]
        ends, others = surface.edges[edge], surface.triangles[triangle]
        corners = x[np.column_stack([ends, others])]
        # A vertex of a solid that lies right on a floor is in front of it, so that its edges behind
        # the floor cross it: a cube that is modeled halfway through has a row of such vertices.
        deep = self.couples.is_penetrating(surface.body[ends[:, 0]], surface.body[others[:, 0]])
        back = IN_FRONT * surface.spacing[ends[:, 0]]
        corners[deep, 2:] -= (back[:, None] * surface.normals(x, triangle))[deep, None]
        sure = crosses(*np.moveaxis(corners, 1, 0))
        k = np.flatnonzero(sure & ~deep)
        sure[k] = ~are_in_front(surface, self.facing, self.side, x, ends[k], others[k])
        return edge[sure], triangle[sure]

    def _report(self, found, folded):
        """Return the `Intersection`s, by pairs of bodies: of crossings, of vertices inside of a
        body, and of vertices `folded` into their own.
        """
        x, body = found.x, self.surface.body
        inner = self.surface.vertices[found.inside[self.surface.vertices] > 0]
        one = np.concatenate([found.e_body, body[inner], body[folded]])
        other = np.concatenate([found.t_body, found.inside[inner] - 1, body[folded]])
        points = np.concatenate([x[found.ends].mean(axis=1), x[inner], x[folded]])
        points = points + self.model.assembly.origin
        reported = []
        ends = np.sort(np.column_stack([one, other]), axis=1)
        for couple in np.unique(ends, axis=0):
            mine = np.flatnonzero((ends == couple).all(axis=1))
            bodies = tuple(self.names[n] for n in couple)
            place = tuple(map(float, points[mine[0]]))
            reported.append(Intersection(bodies, len(mine), place))
        return reported
