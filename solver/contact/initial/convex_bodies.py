# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest way by which two convex rigid bodies that begin in each other leave each other."""

import numpy as np

from .edge_crossings import unit

# A mesh is convex where no vertex is farther in front of a face than this fraction of its size.
FLAT = 1e-4
# Numbers of vertices times faces that are compared at once.
AT_ONCE = 1 << 22


class ConvexBodies:
    """Knows which rigid bodies of a scene are convex, and how these leave each other."""

    def __init__(self, model):
        self.surface, self.known = model.surface, {}
        self.is_rigid = np.zeros(len(model.surface.closed), dtype=bool)
        if model.rigid:
            self.is_rigid[model.rigid.set.numbers] = True

    def includes(self, body, x):
        """Return whether a body is rigid, closed and convex, with vertices at x [vertex, 3]."""
        if body not in self.known:
            self.known[body] = self.is_rigid[body] and self.surface.closed[body]
            if self.known[body]:
                points, normals = self._points(body, x), self._normals(body, x)
                within = FLAT * np.ptp(points, axis=0).max()
                heights = (x[self._triangles(body)[:, 0]] * normals).sum(axis=1)
                self.known[body] = bool((reaches(points, normals) <= heights + within).all())
        return self.known[body]

    def way_out(self, one, other, x):
        """Return the unit normal of a face along which body `one` has the shortest way out of
        another one.
        """
        ways = np.concatenate([self._normals(other, x), -self._normals(one, x)])
        depth = reaches(self._points(other, x), ways) + reaches(self._points(one, x), -ways)
        return ways[depth.argmin()]

    def _points(self, body, x):
        used = self.surface.vertices
        return x[used[self.surface.body[used] == body]]

    def _triangles(self, body):
        return self.surface.triangles[self.surface.body[self.surface.triangles[:, 0]] == body]

    def _normals(self, body, x):
        a, b, c = (x[corner] for corner in self._triangles(body).T)
        return unit(np.cross(b - a, c - a))


def reaches(points, directions):
    """Return how far points [point, 3] reach along directions [direction, 3], in m."""
    block = max(AT_ONCE // len(points), 1)
    some = (directions[k : k + block] for k in range(0, len(directions), block))
    return np.concatenate([(points @ ways.T).max(axis=0) for ways in some])
