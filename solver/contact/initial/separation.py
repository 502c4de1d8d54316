# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that push intersections apart, as overlapping_bodies.py decides.

A vertex inside a closed body leaves it through the closest face, or along the direction of its
body. Where an edge crosses a triangle, edge and triangle move apart; in doubt so that the curve
along which the two surfaces meet gets shorter (Volino and Magnenat-Thalmann, "Resolving Surface
Collisions through Intersection Contour Minimization", 2006).
"""

import numpy as np
import warp as wp

from ...kernels.contact import pairs
from ...kernels.contact.initial import intersections as kernels
from ...kernels.contact.initial.push_out import BRAKING
from ..surface import PUSH_OUT_FACTOR
from .edge_crossings import crossing_weights, mean_normals, unit, wings
from .overlapping_bodies import ALONE, ALONG, APART, WHOLE


class Found:
    """Intersections at positions x [m], float64 [vertex, 3], with unit `normals` of the surface.

    `inside` [vertex] is the number of the body a vertex is inside of, plus one; `face` and `uv`
    [surface vertex] its closest point there. The edge number `edge` crosses the triangle number
    `triangle` [crossing] at the fraction `along` [crossing] of its length, where the corners have
    `weights`. Bodies and mean normals are known of both.
    """

    def __init__(self, surface, x, normals, inner, crossings):
        self.surface, self.x, self.normals = surface, x, normals
        (self.inside, self.face, self.uv), (self.edge, self.triangle) = inner, crossings
        self.ends, self.corners = surface.edges[self.edge], surface.triangles[self.triangle]
        self.e_body, self.t_body = surface.body[self.ends[:, 0]], surface.body[self.corners[:, 0]]
        self.of_edges = unit(normals[self.ends].sum(axis=1))
        self.of_triangles = surface.normals(x, self.triangle)
        sides = (x[corner] for corner in (*self.ends.T, *self.corners.T))
        self.along, self.weights = crossing_weights(*sides)

    def couples(self):
        """Return the pairs of bodies of all crossings, and of vertices and the bodies around them;
        the earlier body first.
        """
        inner = self.surface.vertices[self.inside[self.surface.vertices] > 0]
        one = np.concatenate([self.e_body, self.surface.body[inner]])
        other = np.concatenate([self.t_body, self.inside[inner] - 1])
        return np.unique(np.sort(np.column_stack([one, other]), axis=1), axis=0)

    def of_later(self):
        """Return normals of the later body of each crossing."""
        return np.where((self.e_body < self.t_body)[:, None], self.of_triangles, self.of_edges)

    def cuts(self, one, other):
        """Return points where two bodies cut each other [m], normals of the later one there, and
        how much those of both agree on the average.
        """
        k = np.flatnonzero(
            (np.minimum(self.e_body, self.t_body) == one)
            & (np.maximum(self.e_body, self.t_body) == other)
        )
        inner = (self.inside == one + 1) & (self.surface.body == other)
        points = (self.weights[k, :, None] * self.x[self.corners[k]]).sum(axis=1)
        parallel = np.abs((self.of_triangles[k] * self.of_edges[k]).sum(axis=1))
        normals = np.concatenate([self.of_later()[k], self.normals[inner]])
        return np.concatenate([points, self.x[inner]]), normals, parallel.sum() / max(len(k), 1)


class Separation:
    """Makes separating pairs; `meshes` are those of closed bodies, by their numbers."""

    def __init__(self, model, meshes, couples, settings):
        self.model, self.meshes, self.surface = model, meshes, model.surface
        self.couples, self.step_time = couples, settings.step_time
        self.wings = wings(self.surface.edges, self.surface.triangles)

    def pairs(self, found):
        """Return rows of `Touch` that push apart the `Found` intersections."""
        return np.concatenate([self._out(found), *self._apart(found), *self._whole(found)])

    def _push_out_steps(self, path):
        """Return the push-out in a step when the remaining path is so long, any shape [m]: as
        `push_out_step` in push_out.py.
        """
        return np.minimum(self.step_time * np.sqrt(2.0 * BRAKING * path), path)

    def pushed_out_whole(self):
        """Yield the couples (solid, collider, direction) whose solid moves as a whole."""
        for (solid, collider), direction in self.couples.direction.items():
            if self.couples.method[solid, collider] == WHOLE:
                yield solid, collider, direction

    def not_touching(self, inside):
        """Return `inside` [vertex] with all of the bodies that are pushed out as a whole."""
        couples = [(solid, collider) for solid, collider, _ in self.pushed_out_whole()]
        for one, other in np.argwhere(self.couples.method == APART).tolist():
            if (min(one, other), max(one, other)) in self.couples.direction:
                couples.append((one, other))
        for one, other in couples:
            inside = np.where((self.surface.body == one) & (inside == 0), other + 1, inside)
        return inside

    def _whole(self, found):
        """Yield pairs that push all of a solid out of an open collider, each with any triangle of
        that: it does not yield.
        """
        surface, x = self.surface, found.x
        of_triangle = surface.body[surface.triangles[:, 0]]
        for solid, collider, direction in self.pushed_out_whole():
            mine = surface.vertices[surface.body[surface.vertices] == solid]
            points, _, _ = found.cuts(solid, collider)
            depth = max((points.mean(axis=0) - x[mine]) @ direction)
            path = self._push_out_steps(max(depth, 0.0) + surface.radius[mine].max())
            corners = surface.triangles[np.flatnonzero(of_triangle == collider)[:1]]
            weights = np.tile([1.0, 0.0, 0.0], (len(mine), 1))
            goal = (x[mine] - x[corners[0, 0]]) @ direction + path
            vertices = np.column_stack([mine, np.repeat(corners, len(mine), axis=0)])
            rows = self._rows(vertices, weights, np.tile(direction, (len(mine), 1)), goal)
            rows["stiffness"] = surface.push_out_stiffness[mine]
            yield rows

    def _out(self, found):
        """Return a pair that pushes each inner vertex out, in its body's direction or shortest."""
        surface, x, inside = self.surface, found.x, found.inside
        number = inside[surface.vertices] - 1
        is_whole = self.couples.method[surface.body[surface.vertices], number] == WHOLE
        k = np.flatnonzero((number >= 0) & ~is_whole)
        v, number = surface.vertices[k], number[k]
        direction = self._common(surface.body[v], number)
        face, uv = self._exits(v, number, direction, found.face[k], found.uv[k])
        triangle = np.array(
            [self.meshes[n][1][f] for n, f in zip(number, face, strict=True)], dtype=np.int64
        )
        corners = surface.triangles[triangle]
        weights = np.column_stack([uv, 1.0 - uv.sum(axis=1)])
        path = (weights[:, :, None] * x[corners]).sum(axis=1) - x[v]
        depth = np.linalg.norm(path, axis=1)
        normal = np.where(depth[:, None] > 1e-9, unit(path), surface.normals(x, triangle))
        radius = surface.radius[v] + surface.radius[corners[:, 0]]
        goal = -depth + self._push_out_steps(depth + radius)
        return self._rows(np.column_stack([v, corners]), weights, normal, goal)

    def _exits(self, v, number, direction, face, uv):
        """Return (face, uv) where vertices leave the bodies they are in; the closest point without
        a direction.
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
        """Yield two pairs per crossing, one for each end of the edge, that push edge and triangle
        apart: to the sides of their couple, else out of a closed body with one of them in its
        surface.
        """
        surface, x = self.surface, found.x
        e, t, e_body, t_body = found.ends, found.corners, found.e_body, found.t_body
        method = self.couples.method[e_body, t_body]
        # Vertices inside are pushed out by pairs of their own.
        known = (found.inside[e] == t_body[:, None] + 1).any(axis=1)
        known |= (found.inside[t] == e_body[:, None] + 1).any(axis=1)
        common = self._common(e_body, t_body)
        side = self.couples.side[np.minimum(e_body, t_body), np.maximum(e_body, t_body)]
        side = np.where(e_body < t_body, side, -side)
        outwards = mean_normals(found.of_triangles, np.column_stack([found.edge, t_body]))
        direction = np.select(
            [
                is_so[:, None]
                for is_so in (
                    method == APART,
                    method == ALONG,
                    surface.closed[t_body],
                    surface.closed[e_body],
                )
            ],
            [common, side[:, None] * found.of_later(), outwards, -found.of_edges],
            self._shortening(found),
        )
        clear = ~known & (method != ALONE) & (method != WHOLE) & direction.any(axis=1)
        e, t, direction = e[clear], t[clear], direction[clear]
        step = self._push_out_steps(surface.spacing[e].mean(axis=1))
        along, weights = found.along[clear], found.weights[clear]
        for end, fraction in ((0, 1.0 - along), (1, along)):
            gap = x[e[:, end]] - (weights[:, :, None] * x[t]).sum(axis=1)
            goal = (gap * direction).sum(axis=1) + step
            yield self._rows(np.column_stack([e[:, end], t]), weights, direction, goal, fraction)

    def _common(self, one, other):
        """Return the directions in which bodies `one` leave the `other` ones; 0 without any."""
        direction = np.zeros((len(one), 3))
        for (earlier, later), to in self.couples.direction.items():
            direction[(one == earlier) & (other == later)] = to
            direction[(one == later) & (other == earlier)] = -to
        return direction

    def _shortening(self, found):
        """Return the directions of edges against triangles that shorten the meeting curve."""
        x, normal = found.x, found.of_triangles
        p, q = (x[found.ends[:, k]] for k in range(2))
        along = unit(q - p)
        slope = (along * normal).sum(axis=1)
        slope = np.where(np.abs(slope) < 0.05, np.where(slope < 0.0, -0.05, 0.05), slope)
        gradient = np.zeros_like(p)
        for wing in self.wings[found.edge].T:
            r = x[wing] - p
            curve = unit(np.cross(np.cross(along, r), normal))
            # Into the wing, away from the edge.
            inward = r - (r * along).sum(axis=1)[:, None] * along
            curve *= np.where((curve * inward).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
            shift = curve - ((along * curve).sum(axis=1) / slope)[:, None] * normal
            gradient += np.where(wing[:, None] >= 0, shift, 0.0)
        # In the middle of a curve both wings cancel.
        return np.where(np.linalg.norm(gradient, axis=1)[:, None] > 0.1, unit(gradient), 0.0)

    def _rows(self, vertices, weights, normal, goal, fraction=1.0):
        """Return pairs that push a vertex to `goal` [m] along `normal` from a triangle's point."""
        rows = np.zeros(len(vertices), dtype=pairs.Touch.numpy_dtype())
        rows["vertices"] = vertices
        rows["weights"] = np.column_stack([np.ones(len(weights)), -weights])
        rows["normal"] = normal
        rows["separates"] = 1
        rows["radius"] = goal
        rows["stiffness"] = (
            PUSH_OUT_FACTOR * self.surface.stiffness[vertices].min(axis=1) * fraction
        )
        return rows
