# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad starts: surfaces that pass through each other are led apart, and reported until they are.

A vertex inside a closed body leaves it through the closest face. Where an edge crosses a triangle,
edge and triangle move so that the curve along which the two surfaces meet gets shorter (Volino and
Magnenat-Thalmann, "Resolving Surface Collisions through Intersection Contour Minimization", 2006).
Until then such places take no part in ordinary contact, which would hold them where they are.
Where a solid passes through itself its elasticity alone leads it apart (`crumpled`).
"""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.contact import pairs, tangles
from ..kernels.contact.bounds import LAST_STEP
from ..scene.bounds import RETURN_TIME
from .crumpled import CREASED, SMOOTH, Crumpled

# What leads apart is this many times as stiff as a contact: it must win against the elements.
FIRM = 30.0
# Crossings move apart by this part of the mesh spacing in that time.
CROSSING_WAY = 2.0

# Sheets lie in each other where their normals agree to this part on the average of the crossings.
PARALLEL = 0.8

# A solid is halfway through a sheet when its middle is as near as this part of its size.
HALFWAY = 1e-3

# What lies on a sheet is in front of it by this part of the mesh spacing: only to decide.
IN_FRONT = 1e-9

# Bodies leave each other one way when the surfaces inside agree on it to this part.
COMMON = 0.2


@dataclass(frozen=True)
class Tangle:
    """Two bodies (or one) whose surfaces pass through each other, in `count` places."""

    bodies: tuple[str, str]
    count: int
    place: tuple[float, float, float]
    """One of the places [m]."""

    def __str__(self):
        one, other = self.bodies
        who = f"{one} passes through {'itself' if one == other else other}"
        return f"{who} in {self.count} places, one at ({', '.join(f'{v:.3g}' for v in self.place)})"


class Tangles:
    """What passes through what, and the pairs that lead it apart, as of the last `look`."""

    def __init__(self, model, parts, names, settings):
        self.model, self.parts, self.names = model, parts, names
        self.device = model.device
        self.shape = shape = model.surface
        self.share = min(settings.step_time / RETURN_TIME, 1.0)
        self.edge_count = wp.zeros(len(shape.edges), dtype=int, device=self.device)
        self.slots = 2
        count = len(shape.vertices)
        self.face = wp.zeros(count, dtype=int, device=self.device)
        self.place = wp.zeros(count, dtype=wp.vec2, device=self.device)
        self.meshes = dict(self._closed_meshes())
        self.above = {}  # whether one sheet goes along another's normals (1) or against them (-1)
        self.rises = {}  # where a solid goes that is in an open collider, by (solid, collider)
        self.crumpled = Crumpled(model)
        self.wings, self.of_edge = wings(shape.edges, shape.triangles)
        self.found, self.out = [], np.zeros(0, dtype=pairs.Touch.numpy_dtype())

    def _closed_meshes(self):
        """(number, mesh, its triangles) of every solid and every closed collider."""
        shape = self.shape
        of_triangle = shape.body[shape.triangles[:, 0]]
        for number in np.flatnonzero(shape.closed):
            mine = np.flatnonzero(of_triangle == number)
            mesh = wp.Mesh(
                points=self.model.x,
                indices=wp.array(shape.triangles[mine].ravel(), dtype=int, device=self.device),
                support_winding_number=True,
            )
            yield int(number), (mesh, mine)

    def look(self):
        """Find all tangles of now; True when there are any."""
        x = self.model.x.numpy().astype(np.float64)
        crumpled = self.crumpled
        crumpled.look(x)
        inside = self._find_inside(x)
        edge, triangle = self._find_crossings(x)
        shape, e, t = self.shape, self.shape.edges[edge], self.shape.triangles[triangle]
        tangled = np.zeros(len(shape.body), dtype=np.int32)
        tangled[e] = tangled[t] = 1
        own = shape.body[e[:, 0]] == shape.body[t[:, 0]]
        crossed = np.zeros(len(tangled), dtype=bool)
        crossed[e[own]] = crossed[t[own]] = True
        crumpled.release(x, crossed & shape.closed[shape.body])
        # Crumpled vertices are treated as if they were inside their own body.
        in_itself = (inside == 0) & (crumpled.state != SMOOTH)
        self.parts.struct.tangled.assign(tangled)
        self.parts.struct.inside.assign(np.where(in_itself, shape.body + 1, inside))
        inner = shape.vertices[inside[shape.vertices] > 0]
        folded = (crumpled.state != SMOOTH) & (tangled == 0)
        folded = shape.vertices[folded[shape.vertices]]
        apart = self._ways_apart(x, inside, edge, triangle)
        self.out = np.concatenate([self._ways_out(x, inside), apart])
        self.found = self._report(
            np.concatenate([shape.body[e[:, 0]], shape.body[inner], shape.body[folded]]),
            np.concatenate([shape.body[t[:, 0]], inside[inner] - 1, shape.body[folded]]),
            np.concatenate([x[e].mean(axis=1), x[inner], x[folded]]) + self.model.assembly.origin,
        )
        return bool(self.found)

    def _find_inside(self, x):
        """Number of the body that each vertex is inside of, plus one; 0 for none."""
        inside = wp.zeros(len(x), dtype=int, device=self.device)
        for number, (mesh, mine) in self.meshes.items():
            points = x[self.shape.triangles[mine]].reshape(-1, 3)
            mesh.refit()
            wp.launch(
                tangles.find_inside,
                dim=len(self.shape.vertices),
                inputs=[
                    self.parts.struct,
                    self.model.x,
                    number,
                    mesh.id,
                    wp.vec3(*points.min(axis=0)),
                    wp.vec3(*points.max(axis=0)),
                ],
                outputs=[inside, self.face, self.place],
                device=self.device,
            )
        return inside.numpy().copy()

    def _find_crossings(self, x):
        """Edges and the triangles they cross; what float32 suspects is decided in float64."""
        count = len(self.shape.edges)
        creased = self.model.upload(self.crumpled.state == CREASED, int)
        while True:
            found = wp.zeros(count * self.slots, dtype=int, device=self.device)
            wp.launch(
                tangles.find_crossings,
                dim=count,
                inputs=[self.parts.struct, creased, self.model.x, self.slots],
                outputs=[self.edge_count, found],
                device=self.device,
            )
            number = self.edge_count.numpy()
            if number.max() <= self.slots:
                break
            self.slots = int(number.max())
        edge = np.repeat(np.arange(count), number)
        slot = np.arange(len(edge)) - np.repeat(np.cumsum(number) - number, number)
        triangle = found.numpy()[edge * self.slots + slot]
        corners = x[np.column_stack([self.shape.edges[edge], self.shape.triangles[triangle]])]
        # A vertex of a solid that lies right on a floor is in front of it, so that its edges behind
        # the floor cross it: a cube that is modeled halfway through has a row of such vertices.
        body = self.shape.body
        sunk = self._is_sunk(
            body[self.shape.edges[edge, 0]], body[self.shape.triangles[triangle, 0]]
        )
        back = IN_FRONT * self.shape.spacing[self.shape.edges[edge, 0]]
        corners[sunk, 2:] -= (back[:, None] * self._normals(x, triangle))[sunk, None]
        sure = crosses(*np.moveaxis(corners, 1, 0))
        return edge[sure], triangle[sure]

    def _is_sunk(self, one, other):
        """Whether `one` is a solid and `other` an open collider; numbers of bodies [crossing]."""
        colliders = other >= len(self.model.assembly.place)
        return colliders & self.shape.closed[one] & ~self.shape.closed[other]

    def _ways_out(self, x, inside):
        """A pair that leads each inner vertex out: along the way of its body, or the shortest."""
        shape = self.shape
        k = np.flatnonzero(inside[shape.vertices])
        v = shape.vertices[k]
        body, number = shape.body[v], inside[v] - 1
        face, place = self.face.numpy()[k], self.place.numpy()[k].astype(np.float64)
        ways = np.zeros((len(v), 3))
        for couple in np.unique(np.column_stack([body, number]), axis=0):
            mine = (body == couple[0]) & (number == couple[1])
            theirs = (body == couple[1]) & (number == couple[0])
            ways[mine] = self._common_way(x, v[mine], v[theirs], couple)
        face, place = self._along(v, number, ways, face, place)
        triangle = np.array(
            [self.meshes[n][1][f] for n, f in zip(number, face, strict=True)], dtype=np.int64
        )
        corners = shape.triangles[triangle]
        weights = np.column_stack([place, 1.0 - place.sum(axis=1)])
        way = (weights[:, :, None] * x[corners]).sum(axis=1) - x[v]
        depth = np.linalg.norm(way, axis=1)
        a, b, c = (x[corners[:, j]] for j in range(3))
        normal = unit(np.where(depth[:, None] > 1e-9, way, np.cross(b - a, c - a)))
        radius = shape.radius[v] + shape.radius[corners[:, 0]]
        goal = -depth + np.maximum(self.share * (depth + radius), LAST_STEP * radius)
        return self._leading_pairs(np.column_stack([v, corners]), weights, normal, goal)

    def _common_way(self, x, mine, theirs, couple):
        """The direction in which one body leaves a closed one fastest; 0 if there is none. An open
        collider leaves a solid against the direction in which that rises.

        The volume that two bodies share changes by the area vectors of the surface inside (Allard
        et al., "Volume Contact Constraints at Arbitrary Resolution", 2010).
        """
        if not self.shape.closed[couple].all():
            return -self.rises.get((couple[1], couple[0]), np.zeros(3))
        vectors = np.concatenate([self._area_vectors(x, mine), -self._area_vectors(x, theirs)])
        total, size = vectors.sum(axis=0), np.linalg.norm(vectors, axis=1).sum()
        length = np.linalg.norm(total)
        return -total / length if length > COMMON * size else np.zeros(3)

    def _area_vectors(self, x, vertices):
        """Area vectors [m²] of the surface at some vertices."""
        corners = self.shape.triangles[np.isin(self.shape.triangles, vertices).any(axis=1)]
        a, b, c = (x[corners[:, j]] for j in range(3))
        part = np.isin(corners, vertices).sum(axis=1) / 6.0
        return part[:, None] * np.cross(b - a, c - a)

    def _along(self, v, number, ways, face, place):
        """Where the ways of vertices leave the bodies they are in; the closest place without."""
        if not len(v):
            return face, place
        upload = self.model.upload
        face, place = upload(face, int), upload(place, wp.vec2)
        wp.launch(
            tangles.find_exit,
            dim=len(v),
            inputs=[
                self.model.x,
                upload(v, int),
                upload([self.meshes[n][0].id for n in number], wp.uint64),
                upload(ways, wp.vec3),
            ],
            outputs=[face, place],
            device=self.device,
        )
        return face.numpy(), place.numpy().astype(np.float64)

    def _ways_apart(self, x, inside, edge, triangle):
        """Two pairs per crossing, one for each end of the edge, that lead edge and triangle apart.

        Out of a closed body where one of them is its surface, else so that the curve along which
        the two surfaces meet gets shorter.
        """
        shape = self.shape
        e, t = shape.edges[edge], shape.triangles[triangle]
        # What is inside has its own way out, and a solid that crosses itself is left to itself.
        e_body, t_body = shape.body[e[:, 0]], shape.body[t[:, 0]]
        known = (inside[e] == t_body[:, None] + 1).any(axis=1)
        known |= (inside[t] == e_body[:, None] + 1).any(axis=1)
        known |= (e_body == t_body) & shape.closed[e_body]
        direction = np.where(
            shape.closed[t_body][:, None],
            self._out_of_crossed(x, edge, triangle),
            np.where(
                shape.closed[e_body][:, None],
                -self._normal_of_edges(x, edge),
                self._shortening(x, edge, triangle),
            ),
        )
        together = self._sides(x, edge, triangle)
        has_side = np.linalg.norm(together, axis=1, keepdims=True) > 0.0
        direction = np.where(has_side, together, direction)
        clear = ~known & (np.linalg.norm(direction, axis=1) > 0.0)
        e, t, direction = e[clear], t[clear], direction[clear]
        s, weights = crossing_weights(x[e[:, 0]], x[e[:, 1]], *(x[t[:, j]] for j in range(3)))
        step = self.share * CROSSING_WAY * shape.spacing[e].mean(axis=1)
        rows = []
        for end, part in ((0, 1.0 - s), (1, s)):
            gap = x[e[:, end]] - (weights[:, :, None] * x[t]).sum(axis=1)
            goal = (gap * direction).sum(axis=1) + step
            rows.append(
                self._leading_pairs(np.column_stack([e[:, end], t]), weights, direction, goal, part)
            )
        return np.concatenate(rows)

    def _sides(self, x, edge, triangle):
        """The direction in which an edge leaves a triangle where two sheets lie in each other, or
        a solid in an open collider such as a floor.

        There the curve gets shorter one way here and the other way there. So the couple decides
        once, by where the one is on the average, which side of the other all of it goes to; a solid
        that is halfway through a floor goes up. 0 for all others.
        """
        shape = self.shape
        e_body, t_body = shape.body[shape.edges[edge, 0]], shape.body[shape.triangles[triangle, 0]]
        of_triangles, of_edges = self._normals(x, triangle), self._normal_of_edges(x, edge)
        parallel = np.abs((of_triangles * of_edges).sum(axis=1))
        couples = np.sort(np.column_stack([e_body, t_body]), axis=1)
        # Bodies are numbered before colliders.
        sunk = self._is_sunk(*couples.T)
        sheets = ~shape.closed[couples].any(axis=1)
        couples[~(sunk | sheets) | (e_body == t_body)] = -1
        ways, before, self.above, self.rises = np.zeros((len(edge), 3)), self.above, {}, {}
        for one, other in np.unique(couples[couples[:, 0] >= 0], axis=0):
            mine = (couples == [one, other]).all(axis=1)
            solid = shape.closed[one]
            sheet, goes = (other, one) if solid else (one, other)
            normals = np.where((t_body == sheet)[:, None], of_triangles, of_edges)[mine]
            mean = normals.mean(axis=0)
            side = before.get((one, other), 0.0)
            if side == 0.0:
                agree = solid or parallel[mine].mean() >= PARALLEL
                if not agree or np.linalg.norm(mean) < COMMON:
                    continue
                theirs = x[shape.edges[edge[mine]]] if solid else x[shape.body == sheet]
                apart = x[shape.body == goes].mean(axis=0) - theirs.reshape(-1, 3).mean(axis=0)
                tie = HALFWAY * np.ptp(x[shape.body == goes], axis=0).max() if solid else 0.0
                side = 1.0 if apart @ mean >= -tie else -1.0
            self.above[one, other] = side
            if solid:
                self.rises[one, other] = side * unit(mean[None])[0]
            of_goes = np.where(e_body[mine] == goes, 1.0, -1.0)
            ways[mine] = side * of_goes[:, None] * normals
        return ways

    def _out_of_crossed(self, x, edge, triangle):
        """For each crossing the mean normal of all triangles of that body that the edge crosses."""
        normals = self._normals(x, triangle)
        body = self.shape.body[self.shape.triangles[triangle, 0]]
        _, group = np.unique(np.column_stack([edge, body]), axis=0, return_inverse=True)
        group = group.ravel()
        total = np.zeros_like(normals)
        np.add.at(total, group, normals)
        return unit(total)[group]

    def _normal_of_edges(self, x, edge):
        """The mean normal of the triangles at each edge."""
        p, q = (x[self.shape.edges[edge, k]] for k in range(2))
        total = np.zeros_like(p)
        for side, sign in ((0, 1.0), (1, -1.0)):
            wing = self.wings[edge, side]
            flat = sign * unit(np.cross(q - p, x[wing] - p))
            total += np.where(wing[:, None] >= 0, flat, 0.0)
        # Which of the two wings is which does not tell inside from outside: the triangle does.
        triangle = self.of_edge[edge]
        outwards = self._normals(x, np.maximum(triangle, 0))
        return unit(total * np.where((total * outwards).sum(axis=1) < 0.0, -1.0, 1.0)[:, None])

    def _normals(self, x, triangle):
        a, b, c = (x[self.shape.triangles[triangle, j]] for j in range(3))
        return unit(np.cross(b - a, c - a))

    def _shortening(self, x, edge, triangle):
        """The direction in which an edge moves against a triangle to shorten the meeting curve."""
        p, q = (x[self.shape.edges[edge, k]] for k in range(2))
        normal, along = self._normals(x, triangle), unit(q - p)
        slope = (along * normal).sum(axis=1)
        slope = np.where(np.abs(slope) < 0.05, np.where(slope < 0.0, -0.05, 0.05), slope)
        gradient = np.zeros_like(p)
        for side in range(2):
            wing = self.wings[edge, side]
            r = x[wing] - p
            curve = unit(np.cross(np.cross(along, r), normal))
            # Into the wing, away from the edge.
            inward = r - (r * along).sum(axis=1)[:, None] * along
            curve *= np.where((curve * inward).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
            part = curve - ((along * curve).sum(axis=1) / slope)[:, None] * normal
            gradient += np.where(wing[:, None] >= 0, part, 0.0)
        # In the middle of a curve both wings cancel.
        return np.where(np.linalg.norm(gradient, axis=1)[:, None] > 0.1, unit(gradient), 0.0)

    def _leading_pairs(self, vertices, weights, normal, goal, part=1.0):
        """Pairs that lead a vertex to `goal` [m] along `normal` from a place on a triangle."""
        rows = np.zeros(len(vertices), dtype=pairs.Touch.numpy_dtype())
        rows["vertices"] = vertices
        rows["weights"] = np.column_stack([np.ones(len(weights)), -weights])
        rows["normal"] = normal
        rows["leads"] = 1
        rows["radius"] = goal
        rows["stiffness"] = FIRM * self.shape.stiffness[vertices].min(axis=1) * part
        return rows

    def _report(self, one, other, places):
        """Tangles by the pairs of bodies in them."""
        found = []
        ends = np.sort(np.column_stack([one, other]), axis=1)
        for couple in np.unique(ends, axis=0):
            mine = np.flatnonzero((ends == couple).all(axis=1))
            bodies = tuple(self.names[n] for n in couple)
            found.append(Tangle(bodies, len(mine), tuple(map(float, places[mine[0]]))))
        return found


def unit(vectors):
    """Vectors of length 1; those without length stay 0."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(length, 1e-30)


def crosses(p, q, a, b, c):
    """Whether segments pq pass through triangles abc, bool [crossing]; touching is not enough."""

    def side(u, v, w, x):
        return np.sign(((u - x) * np.cross(v - x, w - x)).sum(axis=1))

    turns = side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)
    through = (turns[0] == turns[1]) & (turns[1] == turns[2]) & (turns[0] != 0)
    return through & (side(a, b, c, p) * side(a, b, c, q) < 0)


def crossing_weights(p, q, a, b, c):
    """Place of the crossing on pq, and its barycentric weights in abc, both [crossing]."""
    normal = np.cross(b - a, c - a)
    fall = ((q - p) * normal).sum(axis=1)
    s = np.clip(((a - p) * normal).sum(axis=1) / np.where(fall == 0.0, 1.0, fall), 0.0, 1.0)
    point = p + s[:, None] * (q - p)
    size = (normal * normal).sum(axis=1)
    of_b = (np.cross(point - a, c - a) * normal).sum(axis=1) / size
    of_c = (np.cross(b - a, point - a) * normal).sum(axis=1) / size
    weights = np.clip(np.column_stack([1.0 - of_b - of_c, of_b, of_c]), 0.0, 1.0)
    return s, weights / weights.sum(axis=1, keepdims=True)


def wings(edges, triangles):
    """What is at each edge: the vertices opposite to it in (up to) two triangles [edge, 2] and one
    of these triangles [edge], -1 for none.
    """
    found = np.full((len(edges), 2), -1, dtype=np.int64)
    owner = np.full(len(edges), -1, dtype=np.int64)
    if not len(triangles):
        return found, owner
    span = int(edges.max()) + 1
    key = np.sort(edges, axis=1).astype(np.int64) @ [span, 1]
    order = np.argsort(key)
    corners = triangles.astype(np.int64)
    ends = np.sort(corners[:, [[1, 2], [2, 0], [0, 1]]].reshape(-1, 2), axis=1) @ [span, 1]
    at = order[np.searchsorted(key[order], ends)]
    by_edge = np.argsort(at, kind="stable")
    at, opposite = at[by_edge], corners.ravel()[by_edge]
    nth = np.arange(len(at)) - np.searchsorted(at, at)
    keep = nth < 2
    found[at[keep], nth[keep]] = opposite[keep]
    owner[at] = by_edge // 3
    return found, owner
