# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that lead intersections apart.

A vertex inside a closed body leaves it through the closest face, or along the direction of its
body. Where an edge crosses a triangle, edge and triangle move so that the curve along which the two
surfaces meet gets shorter (Volino and Magnenat-Thalmann, "Resolving Surface Collisions through
Intersection Contour Minimization", 2006).
"""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.contact import intersections as kernels
from ..kernels.contact import pairs
from ..kernels.contact.leading_out import RETURN_TIME
from .crossings import crossing_weights, mean_normals, unit, wings
from .sunk import COMMON, HALFWAY, Sunk
from .surface import FIRM

# The last step on the path back in front, as a part of the contact distance.
LAST_STEP = 0.25
# Crossings move apart by this part of the mesh spacing in that time.
CROSSING_PATH = 2.0
# Sheets lie in each other where their normals agree to this part on the average of the crossings.
PARALLEL = 0.8


@dataclass
class Found:
    """What intersects at positions x [m], float64 [vertex, 3].

    `inside` [vertex] is the number of the body a vertex is inside of, plus one; `face` and `uv`
    [surface vertex] its closest point there. The edge number `edge` crosses the triangle number
    `triangle` [crossing].
    """

    x: np.ndarray
    inside: np.ndarray
    face: np.ndarray
    uv: np.ndarray
    edge: np.ndarray
    triangle: np.ndarray


class Separation:
    """Makes the pairs; `meshes` are those of closed bodies, by their numbers."""

    state_name = "contact_separation"

    def __init__(self, model, meshes, settings):
        self.model, self.meshes, self.surface = model, meshes, model.surface
        self.fraction = min(settings.step_time / RETURN_TIME, 1.0)
        self.above = {}  # whether one sheet goes along another's normals (1) or against them (-1)
        self.rises = {}  # where a solid goes that is in an open collider, by (solid, collider)
        self.sunk = Sunk(model, settings)
        self.wings, self.of_edge = wings(self.surface.edges, self.surface.triangles)

    def keep(self):
        """What was decided: couples of bodies, and what belongs to each."""
        couples = [np.array(list(of), dtype=np.int64).reshape(-1, 2) for of in self._decided]
        above, rises = (np.array(list(of.values()), dtype=np.float64) for of in self._decided)
        named = {"couples": couples[0], "above": above, "rising": couples[1]}
        return {**named, "rises": rises.reshape(-1, 3)}

    @property
    def _decided(self):
        return self.above, self.rises

    def bring_back(self, kept):
        """Take what `keep` has returned."""
        couples, rising = (kept[name].tolist() for name in ("couples", "rising"))
        above = zip(map(tuple, couples), kept["above"].tolist(), strict=True)
        self.above, self.rises = (
            dict(above),
            dict(zip(map(tuple, rising), kept["rises"], strict=True)),
        )

    def pairs(self, found):
        """Rows of `Touch` that lead apart what was `Found`."""
        whole = self._whole(found)
        apart = self._apart(found)
        return np.concatenate([self._out(found), apart, *whole])

    def not_touching(self, inside):
        """`inside` [vertex] with all of the solids that are led out of an open collider as well."""
        for solid, collider in self.sunk.rises:
            inside = np.where((self.surface.body == solid) & (inside == 0), collider + 1, inside)
        return inside

    def _whole(self, found):
        """Pairs that lead all of a solid out of an open collider: with any triangle of that, which
        does not yield.
        """
        rows = []
        of_triangle = self.surface.body[self.surface.triangles[:, 0]]
        for mine, collider, direction, path in self.sunk.decide(found, self.of_edge):
            corners = self.surface.triangles[np.flatnonzero(of_triangle == collider)[:1]]
            weights = np.tile([1.0, 0.0, 0.0], (len(mine), 1))
            goal = (found.x[mine] - found.x[corners[0, 0]]) @ direction + path
            vertices = np.column_stack([mine, np.repeat(corners, len(mine), axis=0)])
            normals = np.tile(direction, (len(mine), 1))
            led = self._rows(vertices, weights, normals, goal)
            led["stiffness"] = self.surface.lead[mine]
            rows.append(led)
        return rows

    def _out(self, found):
        """A pair that leads each inner vertex out: in the direction of its body, or shortest."""
        surface, x, inside = self.surface, found.x, found.inside
        inner = inside[surface.vertices]
        led = self.sunk.leads(surface.body[surface.vertices], inner - 1)
        k = np.flatnonzero((inner > 0) & ~led)
        v = surface.vertices[k]
        body, number = surface.body[v], inside[v] - 1
        direction = np.zeros((len(v), 3))
        for couple in np.unique(np.column_stack([body, number]), axis=0):
            mine = (body == couple[0]) & (number == couple[1])
            theirs = (body == couple[1]) & (number == couple[0])
            direction[mine] = self._common_direction(x, v[mine], v[theirs], couple)
        face, uv = self._exits(v, number, direction, found.face[k], found.uv[k])
        triangle = np.array(
            [self.meshes[n][1][f] for n, f in zip(number, face, strict=True)], dtype=np.int64
        )
        corners = surface.triangles[triangle]
        weights = np.column_stack([uv, 1.0 - uv.sum(axis=1)])
        path = (weights[:, :, None] * x[corners]).sum(axis=1) - x[v]
        depth = np.linalg.norm(path, axis=1)
        a, b, c = (x[corners[:, j]] for j in range(3))
        normal = unit(np.where(depth[:, None] > 1e-9, path, np.cross(b - a, c - a)))
        radius = surface.radius[v] + surface.radius[corners[:, 0]]
        goal = -depth + np.maximum(self.fraction * (depth + radius), LAST_STEP * radius)
        return self._rows(np.column_stack([v, corners]), weights, normal, goal)

    def _common_direction(self, x, mine, theirs, couple):
        """The direction in which one body leaves a closed one fastest; 0 if there is none. An open
        collider leaves a solid against the direction in which that rises.

        The volume that two bodies share changes by the area vectors of the surface inside (Allard
        et al., "Volume Contact Constraints at Arbitrary Resolution", 2010).
        """
        if not self.surface.closed[couple].all():
            return -self.rises.get((couple[1], couple[0]), np.zeros(3))
        vectors = np.concatenate([self._area_vectors(x, mine), -self._area_vectors(x, theirs)])
        total, size = vectors.sum(axis=0), np.linalg.norm(vectors, axis=1).sum()
        length = np.linalg.norm(total)
        return -total / length if length > COMMON * size else np.zeros(3)

    def _area_vectors(self, x, vertices):
        """Area vectors [m²] of the surface at some vertices."""
        corners = self.surface.triangles[np.isin(self.surface.triangles, vertices).any(axis=1)]
        a, b, c = (x[corners[:, j]] for j in range(3))
        part = np.isin(corners, vertices).sum(axis=1) / 6.0
        return part[:, None] * np.cross(b - a, c - a)

    def _exits(self, v, number, direction, face, uv):
        """Where vertices leave the bodies they are in (face, uv); the closest point without a
        direction.
        """
        if not len(v):
            return face, uv
        model, upload = self.model, self.model.upload
        face, uv = upload(face, int), upload(uv, wp.vec2)
        meshes = upload([self.meshes[n][0].id for n in number], wp.uint64)
        inputs = [model.x, upload(v, int), meshes, upload(direction, wp.vec3)]
        model.launches.run(kernels.find_exit, len(v), inputs, [face, uv])
        return face.numpy(), uv.numpy().astype(np.float64)

    def _apart(self, found):
        """Two pairs per crossing, one for each end of the edge, that lead edge and triangle apart.

        Out of a closed body where one of them is its surface, else so that the curve along which
        the two surfaces meet gets shorter.
        """
        surface, x, inside = self.surface, found.x, found.inside
        edge, triangle = found.edge, found.triangle
        e, t = surface.edges[edge], surface.triangles[triangle]
        # What is inside is led out by itself, and a solid that crosses itself is left to itself.
        e_body, t_body = surface.body[e[:, 0]], surface.body[t[:, 0]]
        known = (inside[e] == t_body[:, None] + 1).any(axis=1)
        known |= (inside[t] == e_body[:, None] + 1).any(axis=1)
        known |= (e_body == t_body) & surface.closed[e_body]
        known |= self.sunk.leads(e_body, t_body)
        direction = np.where(
            surface.closed[t_body][:, None],
            self._out_of_crossed(x, edge, triangle),
            np.where(
                surface.closed[e_body][:, None],
                -self._normals_of_edges(x, edge),
                self._shortening(x, edge, triangle),
            ),
        )
        together = self._sides(x, edge, triangle)
        has_side = np.linalg.norm(together, axis=1, keepdims=True) > 0.0
        direction = np.where(has_side, together, direction)
        clear = ~known & (np.linalg.norm(direction, axis=1) > 0.0)
        e, t, direction = e[clear], t[clear], direction[clear]
        s, weights = crossing_weights(x[e[:, 0]], x[e[:, 1]], *(x[t[:, j]] for j in range(3)))
        step = self.fraction * CROSSING_PATH * surface.spacing[e].mean(axis=1)
        rows = []
        for end, part in ((0, 1.0 - s), (1, s)):
            gap = x[e[:, end]] - (weights[:, :, None] * x[t]).sum(axis=1)
            goal = (gap * direction).sum(axis=1) + step
            rows.append(self._rows(np.column_stack([e[:, end], t]), weights, direction, goal, part))
        return np.concatenate(rows)

    def _sides(self, x, edge, triangle):
        """The direction in which an edge leaves a triangle where two sheets lie in each other, or
        a solid in an open collider such as a floor.

        There the curve gets shorter in one direction here, in the other there. So the couple
        decides once, by where the one is on the average, which side of the other all of it goes to;
        a solid that is halfway through a floor goes up. 0 for all others.
        """
        surface = self.surface
        e_body = surface.body[surface.edges[edge, 0]]
        t_body = surface.body[surface.triangles[triangle, 0]]
        of_triangles = surface.normals(x, triangle)
        of_edges = self._normals_of_edges(x, edge)
        parallel = np.abs((of_triangles * of_edges).sum(axis=1))
        couples = np.sort(np.column_stack([e_body, t_body]), axis=1)
        # Bodies are numbered before colliders.
        sheets = ~surface.closed[couples].any(axis=1)
        couples[~(surface.is_sunk(*couples.T) | sheets) | (e_body == t_body)] = -1
        directions, before = np.zeros((len(edge), 3)), self.above
        self.above, self.rises = {}, {}
        for one, other in np.unique(couples[couples[:, 0] >= 0], axis=0):
            mine = (couples == [one, other]).all(axis=1)
            solid = surface.closed[one]
            sheet, goes = (other, one) if solid else (one, other)
            normals = np.where((t_body == sheet)[:, None], of_triangles, of_edges)[mine]
            mean = normals.mean(axis=0)
            side = before.get((one, other), 0.0)
            if side == 0.0:
                agree = solid or parallel[mine].mean() >= PARALLEL
                if not agree or np.linalg.norm(mean) < COMMON:
                    continue
                theirs = x[surface.edges[edge[mine]]] if solid else x[surface.body == sheet]
                side = self._side(x[surface.body == goes], theirs.reshape(-1, 3), mean, solid)
            self.above[one, other] = side
            if solid:
                self.rises[one, other] = side * unit(mean[None])[0]
            of_goes = np.where(e_body[mine] == goes, 1.0, -1.0)
            directions[mine] = side * of_goes[:, None] * normals
        return directions

    def _side(self, points, theirs, normal, solid):
        """1 if points [m] are in front of others on the average, or halfway through, else -1."""
        apart = points.mean(axis=0) - theirs.mean(axis=0)
        tie = HALFWAY * np.ptp(points, axis=0).max() if solid else 0.0
        return 1.0 if apart @ normal >= -tie else -1.0

    def _out_of_crossed(self, x, edge, triangle):
        """For each crossing the mean normal of all triangles of that body that the edge crosses."""
        body = self.surface.body[self.surface.triangles[triangle, 0]]
        return mean_normals(self.surface.normals(x, triangle), np.column_stack([edge, body]))

    def _normals_of_edges(self, x, edge):
        """The mean normal of the triangles at each edge."""
        p, q = (x[self.surface.edges[edge, k]] for k in range(2))
        total = np.zeros_like(p)
        for side, sign in ((0, 1.0), (1, -1.0)):
            wing = self.wings[edge, side]
            flat = sign * unit(np.cross(q - p, x[wing] - p))
            total += np.where(wing[:, None] >= 0, flat, 0.0)
        # Which of the two wings is which does not tell inside from outside: the triangle does.
        triangle = self.of_edge[edge]
        outwards = self.surface.normals(x, np.maximum(triangle, 0))
        return unit(total * np.where((total * outwards).sum(axis=1) < 0.0, -1.0, 1.0)[:, None])

    def _shortening(self, x, edge, triangle):
        """The direction in which an edge moves against a triangle to shorten the meeting curve."""
        p, q = (x[self.surface.edges[edge, k]] for k in range(2))
        normal, along = self.surface.normals(x, triangle), unit(q - p)
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

    def _rows(self, vertices, weights, normal, goal, part=1.0):
        """Pairs that lead a vertex to `goal` [m] along `normal` from a point of a triangle."""
        rows = np.zeros(len(vertices), dtype=pairs.Touch.numpy_dtype())
        rows["vertices"] = vertices
        rows["weights"] = np.column_stack([np.ones(len(weights)), -weights])
        rows["normal"] = normal
        rows["separates"] = 1
        rows["radius"] = goal
        rows["stiffness"] = FIRM * self.surface.stiffness[vertices].min(axis=1) * part
        return rows
