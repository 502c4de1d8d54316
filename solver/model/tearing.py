# SPDX-License-Identifier: GPL-3.0-or-later
"""Tearing of cloth: an edge stretched beyond its limit splits a vertex (VBD 2024, §3.9, Fig. 10).

How many vertices there can be is fixed up front, so that a cache or a baked mesh never grows: a
vertex with k triangles brings k − 1 sleeping duplicates, which lie with it and in its color. A
duplicate that wakes takes some of its triangles; two vertices that shared none share none after,
so the coloring stays valid.
"""

from itertools import chain

import numpy as np

from ..elements import records


def vertex_index(body):
    """The vertex of the body behind each solver vertex: its own, then the duplicates."""
    own = np.arange(len(body.points))
    if getattr(body, "tear_strain", None) is None:
        return own
    triangles = np.bincount(body.triangles.ravel(), minlength=len(own))
    if body.pins is not None:
        triangles[body.pins.indices] = 1
    return np.concatenate([own, np.repeat(own, triangles - 1)])


class Tear:
    """The tearing of one cloth, whose triangles are some rows of `assembly.triangles`."""

    def __init__(self, body, rows, place):
        self.body, self.rows, self.place = body, rows, place
        self.index = vertex_index(body)
        self.triangles = body.triangles.copy()
        edges = body.rest_points[body.triangles]
        self.rest = np.linalg.norm(np.roll(edges, -1, axis=1) - edges, axis=2)
        own = len(body.points)
        self.sleeping = [[] for _ in range(own)]
        for duplicate in range(own, len(self.index)):
            self.sleeping[self.index[duplicate]].append(duplicate)

    def asleep(self):
        """Duplicates that have not woken, and the vertices they lie with."""
        asleep = np.array(sorted(chain.from_iterable(self.sleeping)), dtype=np.int64)
        return asleep, self.index[asleep]

    def split(self, x):
        """Split vertices of edges stretched too far; x [vertex, 3]. Returns pairs (old, new)."""
        corners = x[self.triangles]
        edges = np.roll(corners, -1, axis=1) - corners
        strain = np.linalg.norm(edges, axis=2) / self.rest - 1.0
        over = np.argwhere(strain > self.body.tear_strain)
        over = over[np.argsort(-strain[tuple(over.T)], kind="stable")]
        done, woken = set(), []
        for triangle, k in over:
            ends = self.triangles[triangle, [k, (k + 1) % 3]]
            along = edges[triangle, k]
            if done.intersection(ends):
                continue
            for old, other in (ends, ends[::-1]):
                new = self._split_vertex(old, along if other == ends[1] else -along, corners, x)
                if new is not None:
                    done.update((old, other, new))
                    woken.append((old, new))
                    break
        return woken

    def _split_vertex(self, old, along, corners, x):
        """Give the triangles on the side of `along` to a duplicate; None when all are there."""
        free = self.sleeping[self.index[old]]
        mine, corner = np.nonzero(self.triangles == old)
        side = (corners[mine].mean(axis=1) - x[old]) @ along > 0.0
        if not free or side.all() or not side.any():
            return None
        new = free.pop(0)
        self.triangles[mine[side], corner[side]] = new
        return new


class Tearing:
    """The tearing of a scene: the last stage of a substep."""

    def __init__(self, bodies, model):
        self.model, self.assembly, self.tears = model, model.assembly, {}
        assembly = self.assembly
        row = 0
        for at, (body, place) in enumerate(zip(bodies, assembly.place, strict=True)):
            if body.element_name != "triangle":
                continue
            if body.tear_strain is not None:
                rows = slice(row, row + len(body.triangles))
                self.tears[at] = Tear(body, rows, place)
            row += len(body.triangles)
        self.bodies = bodies

    def elements(self):
        """The elements of every body as they are now, in the vertices of its positions."""
        return [
            self.tears[at].triangles.copy() if at in self.tears else body.elements
            for at, body in enumerate(self.bodies)
        ]

    def lay_duplicates(self, positions):
        """Put sleeping duplicates where their vertices are, in the positions of every body."""
        for at, tear in self.tears.items():
            asleep, with_vertex = tear.asleep()
            positions[at][asleep] = positions[at][with_vertex]
        return positions

    def end_step(self):
        """Split what is stretched too far."""
        x, torn = self.model.x.numpy(), False
        for tear in self.tears.values():
            woken = tear.split(x[tear.place].astype(np.float64))
            if woken:
                self._wake(tear, np.array(woken))
                torn = True
        if torn:
            self.model.renew()

    def _wake(self, tear, woken):
        """Let duplicates go on where their vertices are, and renew triangles, hinges and mass."""
        scene, place = self.assembly, tear.place
        old, new = place[woken.T]
        for state in self.model.inherited:
            values = state.numpy().copy()
            values[new] = values[old]
            state.assign(values)
        scene.triangles.corners[tear.rows] = place[tear.triangles]
        family = tear.index
        torn_mass = np.bincount(
            tear.triangles.ravel(),
            np.repeat(scene.triangles.mass[tear.rows] / 3.0, 3),
            minlength=len(family),
        )
        scene.mass[place] = torn_mass
        self._renew_hinges(tear)

    def _renew_hinges(self, tear):
        """Drop hinges whose two triangles have come apart."""
        hinges = self.assembly.hinges
        place = tear.place
        of_solver = np.full(len(self.assembly.points), -1)
        of_solver[place] = tear.index
        family = of_solver[hinges.corners]
        mine = (family >= 0).all(axis=1)
        # The same hinge is found again in today's triangles by the vertices it began with.
        today, _ = records.cloth_hinges(tear.triangles)
        names = tear.index[today]
        # It may have been seen from the other side: (p, q, r, s) is (q, p, s, r).
        turned = [1, 0, 3, 2]
        known = np.concatenate([names, names[:, turned]])
        now = np.concatenate([today, today[:, turned]])
        # One number for the vertices of a hinge each: the last of equal names is the one to take.
        both = np.concatenate([family[mine], known])
        _, number = np.unique(both, axis=0, return_inverse=True)
        found = np.full(number.max(initial=-1) + 1, -1)
        count = np.count_nonzero(mine)
        found[number[count:]] = np.arange(len(known))
        at = found[number[:count]]
        kept = np.ones(len(mine), dtype=bool)
        kept[mine] = at >= 0
        hinges.corners[kept & mine] = place[now[at[at >= 0]]]
        self.assembly.hinges = hinges[kept]
