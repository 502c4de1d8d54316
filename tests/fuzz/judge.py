# SPDX-License-Identifier: GPL-3.0-or-later
"""Forbidden events for surfaces that start apart, decided exactly from positions alone.

`Judge` has the surfaces of a scene, and nothing of the solver's contact.
"""

import numpy as np
from intersections import segment_hits

from vbd.solver.kernels.contact.analytic_colliders import PLANE, SPHERE
from vbd.solver.scene.analytic_colliders import AnalyticCollider, Plane
from vbd.solver.topology.graphs import connected_components

# A body that is this many times farther away than it can have moved is lost.
LOST = 10.0
# Vertices can pass round an edge whose faces meet at a sharper angle: its cosine.
SHARP = 0.9
# Grains never come nearer to each other than this fraction of the sum of their radii.
NO_GAP = 1e-4
# Gaps below this fraction of the extent of a scene are rounding in float32.
UNSEEN = 4.0 * np.finfo(np.float32).eps


class Judge:
    """Judges the positions x [vertex, 3] of a model's vertices, float32, one by one.

    `findings` of the first ones, at the start, are left out of all others. It `leaves_out` bodies
    that animation has moved into each other.
    """

    def __init__(self, model, scene, x):
        surface = self.surface = model.surface
        self.scene, self.origin = scene, model.assembly.origin
        self.edges, self.triangles = surface.edges, surface.triangles
        self.body = surface.body
        self.meets = surface.may_touch & ~_attached(surface)
        self.meshes = {
            number: self.triangles[self.body[self.triangles[:, 0]] == number]
            for number in np.flatnonzero(surface.closed)
        }
        self.leaves_out, self.led = False, np.zeros(len(self.body), dtype=bool)
        self.led[model.free_count : surface.point_start] = True
        self.pieces = self._pieces()
        self.rings = list(self._rings())
        self.still = self._still()
        self.sheets = self._sheets()
        self.walls = [(c, *wall) for c in self._analytic() for wall in c.walls()]
        self.before = np.asarray(x, dtype=np.float64)
        self.free = surface.vertices[self._is_free(model, surface.vertices)]
        self.heights = self._heights(self.before)
        self.crossed = {tuple(pair) for pair in self._crossings(self.before)}
        self.windings = self._windings(self.before)
        self.links = self._links(self.before)
        self.start = self.before
        self.time = 0.0

    def _analytic(self):
        settings = self.scene.settings
        yield from (b for b in self.scene.bodies if isinstance(b, AnalyticCollider))
        if settings.use_ground:
            yield Plane((0.0, 0.0, settings.ground_height))

    def _heights(self, x, places=None):
        """Heights [wall, free vertex] in m. `places`: centers, normals and sizes of all walls, as
        the solver has moved them, relative to the origin of the scene.
        """
        points = x[self.free] + self.origin
        found = []
        for k, (collider, kind, center, normal, size) in enumerate(self.walls):
            if collider.motion is not None and places is not None:
                center, normal, size = (each[k].astype(float) for each in places)
                center = center + self.origin
            if kind == PLANE:
                found.append((points - center) @ normal)
            elif kind == SPHERE:
                found.append(np.linalg.norm(points - center, axis=1) - size)
            else:
                raise TypeError(f"the judge does not know {type(collider).__name__}")
        return found

    def _is_free(self, model, vertices):
        """True where animation moves no surface vertex: others may go through planes."""
        free = vertices < model.free_count
        points = np.flatnonzero(vertices >= self.surface.point_start)
        corners = self.surface.points.corners[vertices[points] - self.surface.point_start]
        free[points] = (corners < model.free_count).all(axis=1)
        return free

    def _pieces(self):
        """A vertex of every connected piece of the surfaces."""
        joint = connected_components(self.edges, len(self.body))
        used = self.surface.vertices
        _, first = np.unique(joint[used], return_index=True)
        return used[first]

    def _rings(self):
        """The vertices of closed rods, in order."""
        surface = self.surface
        rods = self.edges[surface.rod_start : surface.grain_start]
        for number in np.unique(self.body[rods[:, 0]]):
            edges = rods[self.body[rods[:, 0]] == number]
            _, degree = np.unique(edges, return_counts=True)
            if (degree != 2).any():
                continue
            order, left = [int(edges[0, 0]), int(edges[0, 1])], list(map(tuple, edges[1:].tolist()))
            while len(left) > 1:
                edge = next(e for e in left if order[-1] in e)
                left.remove(edge)
                order.append(edge[0] if edge[1] == order[-1] else edge[1])
            yield np.array(order)

    def _still(self):
        """Triangles of colliders that never move."""
        deformable = self.surface.body_count
        colliders = [b for b in self.scene.bodies if type(b).__name__ == "Collider"]
        moves = np.array(
            [callable(c.points) or np.ndim(c.points[0]) == 2 for c in colliders], dtype=bool
        )
        of = self.body[self.triangles[:, 0]]
        chosen = of >= deformable
        chosen[chosen] = ~moves[of[chosen] - deformable]
        return self.triangles[chosen]

    def _sheets(self):
        """(number, triangles) of every surface that is open and may move."""
        of = self.body[self.triangles[:, 0]]
        sheets = []
        for number in np.flatnonzero(~self.surface.closed):
            mine = self.triangles[of == number]
            if len(mine) and not (
                len(self.still) and (self.body[self.still[:, 0]] == number).any()
            ):
                sheets.append((number, mine))
        return sheets

    def look(self, x, seconds, places=None):
        """Faults of the positions x after so many seconds, as a list of words. `places` are those
        of analytic colliders that move (`_heights`).
        """
        x = np.asarray(x, dtype=np.float64)
        if not np.isfinite(x).all():
            return ["not finite"]
        self.time += seconds
        found = [
            *self._lost(x),
            *self._through_walls(x, places),
            *self._grains_in_one(x),
            *self._new_crossings(x),
            *self._gone_inside(x),
            *self._passed(x),
            *self._changed_sides(x),
        ]
        self.before = x
        return found

    def _lost(self, x):
        """Vertices farther away than gravity, their speed and animation can have moved them."""
        scene, settings = self.scene, self.scene.settings
        if settings.quasistatic:  # free bodies have no equilibrium
            return
        speed = max(np.abs(b.velocities).max() for b in scene.bodies if hasattr(b, "velocities"))
        fall = 0.5 * np.abs(settings.gravity).max() * self.time**2
        far = scene.travel + 2.0 * speed * self.time + fall + np.ptp(self.start, axis=0).max()
        way = np.abs(x - self.start).max(axis=1)[self.surface.vertices]
        if way.max() > LOST * far:
            yield f"lost: vertex {self.surface.vertices[way.argmax()]} went {way.max() / far:.3g}"

    def _through_walls(self, x, places):
        heights = zip(self.walls, self.heights, self._heights(x, places), strict=True)
        for (collider, *_), before, now in heights:
            # At this extent float32 does not resolve such a gap: the scene does not start apart.
            unseen = UNSEEN * np.abs(self.start[self.free]).max(initial=0.0)
            apart = before > unseen
            # Places of those that move are rounded.
            bad = np.flatnonzero(apart & (now <= (0.0 if collider.motion is None else -unseen)))
            if len(bad):
                yield f"{len(bad)} vertices behind an analytic collider by {-now[bad].min():.3g}"

    def _grains_in_one(self, x):
        """Grains much nearer to each other than the least distance of a pair (FLOOR of
        kernels/contact/feasibility/separating_planes.py).
        """
        surface = self.surface
        grains = self.edges[surface.grain_start : surface.body_edges, 0]
        apart = np.linalg.norm(x[grains][:, None] - x[grains], axis=2)
        reach = surface.radius[grains]
        for i, j in np.argwhere(np.triu(apart < NO_GAP * (reach[:, None] + reach), 1)):
            yield f"grains {grains[i]} and {grains[j]} are in one place"

    def _crossings(self, x):
        pairs = segment_hits(x, self.edges, self.triangles)
        one, other = (
            self.body[self.edges[pairs[:, 0], 0]],
            self.body[self.triangles[pairs[:, 1], 0]],
        )
        return pairs[self.meets[one, other]]

    def _new_crossings(self, x):
        self._leave_out_what_is_led(x)
        pairs = [p for p in map(tuple, self._crossings(x)) if p not in self.crossed]
        if pairs:
            e, t = pairs[0]
            ends = self.edges[e].tolist(), self.triangles[t].tolist()
            yield f"{len(pairs)} crossings, edge {ends[0]} in triangle {ends[1]}"

    def _leave_out_what_is_led(self, x):
        """Judge two bodies no more when animation has moved a kinematic part of one into one of the
        other: crossing there, they have no contact until they are apart.
        """
        for e, t in self._crossings(x):
            edge, triangle = self.edges[e], self.triangles[t]
            one, other = self.body[edge[0]], self.body[triangle[0]]
            if one != other and self.led[edge].any() and self.led[triangle].any():
                self.meets[one, other] = self.meets[other, one] = False
                self.leaves_out = True

    def _windings(self, x):
        """Winding number of every closed mesh around every connected piece of other surfaces."""
        return {
            number: winding_numbers(x[self.pieces], x[mesh]) for number, mesh in self.meshes.items()
        }

    def _gone_inside(self, x):
        for number, now in self._windings(x).items():
            meets = self.meets[self.body[self.pieces], number]
            meets &= self.body[self.pieces] != number
            changed = np.abs(now - self.windings[number]) > 0.5
            for k in np.flatnonzero(meets & changed):
                yield f"body {self.body[self.pieces[k]]} is inside of body {number}"

    def _links(self, x):
        return [
            linking_number(x, one, other)
            for k, one in enumerate(self.rings)
            for other in self.rings[:k]
            if self.meets[self.body[one[0]], self.body[other[0]]]
        ]

    def _passed(self, x):
        links = self._links(x)
        if np.abs(np.subtract(links, self.links)).max(initial=0.0) > 0.5:
            yield f"rings linked {self.links} times are linked {links} times"
        if not len(self.still):
            return
        # Straight paths of vertices, except where they may have gone round a border.
        used, count = self.surface.vertices, len(x)
        used = used[used < self.surface.collider_start]
        used = np.concatenate(
            [used, self.surface.vertices[self.surface.vertices >= self.surface.point_start]]
        )
        points = np.concatenate([self.before, x])
        ways = np.column_stack([used, used + count])
        ways = ways[(self.before[used] != x[used]).any(axis=1)]
        sharp = sharp_edges(x, self.still)
        for way, triangle in segment_hits(points, ways, self.still):
            v = ways[way, 0]
            if not self.meets[self.body[v], self.body[self.still[triangle, 0]]]:
                continue
            p, q = self.before[v], x[v]
            a, b, c = x[self.still[triangle]]
            n = np.cross(b - a, c - a)
            down = np.dot(q - p, n)
            hit = p if down == 0.0 else p + (q - p) * (np.dot(a - p, n) / down)
            if distance_to_edges(hit, x, sharp) > np.linalg.norm(q - p):
                yield f"vertex {v} went through triangle {self.still[triangle].tolist()}"

    def _changed_sides(self, x):
        """Vertices that are in front of another face of a moving sheet than before, nearer to it
        than to places where they may have gone round it: its border, and its sharp bends.
        """
        for number, triangles in self.sheets:
            used = self.surface.vertices
            used = used[self.meets[self.body[used], number] & (self.body[used] != number)]
            before, inside_before = heights(self.before, used, triangles)
            now, inside = heights(x, used, triangles)
            flipped = inside & inside_before & (before * now < 0.0)
            if not flipped.any():
                continue
            bends = [(points, sharp_edges(points, triangles)) for points in (self.before, x)]
            for v, t in zip(*np.nonzero(flipped), strict=True):
                vertices = np.append(triangles[t], used[v])
                way = np.linalg.norm(x[vertices] - self.before[vertices], axis=1).max()
                far = min(distance_to_edges(points[used[v]], points, at) for points, at in bends)
                if far > 2.0 * way + np.abs([before[v, t], now[v, t]]).max():
                    yield f"vertex {used[v]} changed sides of triangle {triangles[t].tolist()}"


def heights(x, vertices, triangles):
    """Heights of vertices above triangles [vertex, triangle], and a mask: right above them."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
    p = x[vertices][:, None]
    inside = np.ones((len(vertices), len(triangles)), dtype=bool)
    for one, other in ((a, b), (b, c), (c, a)):
        inside &= ((p - one) * np.cross(n, other - one)).sum(axis=2) > 0.0
    return ((p - a) * n).sum(axis=2), inside


def _attached(surface):
    """Matrix of bodies that are attached to each other at their surfaces [body, body], since what
    meets there may pass. Vertices that an embedded surface hides, as all of rigid bodies, are none:
    these count where a point of the surface is attached. Joints clear `may_touch` instead.
    """
    count, used = len(surface.may_touch), surface.vertices
    attached = np.zeros((count, count), dtype=bool)
    for joint in np.flatnonzero(np.bincount(surface.joint[used]) > 1):
        bodies = np.unique(surface.body[used][surface.joint[used] == joint])
        attached[np.ix_(bodies, bodies)] = len(bodies) > 1
    np.fill_diagonal(attached, False)
    return attached


def winding_numbers(points, corners):
    """Winding number of a closed mesh of corners [triangle, 3, 3] around points [n] (van Oosterom
    and Strackee, The solid angle of a plane triangle, 1983)."""
    r = corners[None] - points[:, None, None, :]
    length = np.linalg.norm(r, axis=3)
    a, b, c = (r[:, :, k] for k in range(3))
    la, lb, lc = (length[:, :, k] for k in range(3))
    up = (a * np.cross(b, c)).sum(axis=2)
    dot = {(i, j): (r[:, :, i] * r[:, :, j]).sum(axis=2) for i, j in ((0, 1), (1, 2), (0, 2))}
    down = la * lb * lc + dot[0, 1] * lc + dot[1, 2] * la + dot[0, 2] * lb
    return np.arctan2(up, down).sum(axis=1) / (2.0 * np.pi)


def linking_number(x, one, other):
    """Linking number of two closed curves, both given by vertices in order: Gauss's integral,
    segment by segment (Klenin and Langowski, Computation of writhe, 2000).
    """
    p, q = x[one][:, None], x[np.roll(one, -1)][:, None]
    a, b = x[other][None], x[np.roll(other, -1)][None]
    sides = (a - p, b - p, b - q, a - q)
    normals = [np.cross(sides[k], sides[(k + 1) % 4]) for k in range(4)]
    lengths = [np.maximum(np.linalg.norm(n, axis=2), 1e-300) for n in normals]
    angle = np.zeros(lengths[0].shape)
    for k in range(4):
        cosine = (normals[k] * normals[(k + 1) % 4]).sum(axis=2)
        angle += np.arcsin(np.clip(cosine / lengths[k] / lengths[(k + 1) % 4], -1.0, 1.0))
    hand = np.sign((np.cross(b - a, q - p) * (a - p)).sum(axis=2))
    return float((angle * hand).sum() / (4.0 * np.pi))


def sharp_edges(x, triangles):
    """Edges [n, 2] of a mesh that has a border there, or a sharp bend."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    of = {}
    for k, triangle in enumerate(triangles.tolist()):
        for i, j in ((0, 1), (1, 2), (2, 0)):
            of.setdefault(tuple(sorted((triangle[i], triangle[j]))), []).append(k)
    return np.array(
        [
            edge
            for edge, at in of.items()
            if len(at) != 2 or np.dot(normals[at[0]], normals[at[1]]) < SHARP
        ]
    ).reshape(-1, 2)


def distance_to_edges(point, x, edges):
    """Distance of a point to the nearest of some edges [m]."""
    if not len(edges):
        return np.inf
    a, b = x[edges[:, 0]], x[edges[:, 1]]
    d = b - a
    t = np.clip(((point - a) * d).sum(axis=1) / (d * d).sum(axis=1), 0.0, 1.0)
    return float(np.linalg.norm(a + t[:, None] * d - point, axis=1).min())
