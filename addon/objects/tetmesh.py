# SPDX-License-Identifier: GPL-3.0-or-later
"""Tets of a mesh, and pinned corners of a lattice that follow pinned vertices."""

import numpy as np

from ...solver.lattice.pinned_corners import LEAST_WEIGHT
from ...solver.messages import message

TETS = "tets"
TETS_VERTICES = "tets_vertices"

# Pinned vertices that determine the motion of a pinned corner: enough for a well-defined rotation,
# few enough for separately pinned regions to move apart.
LEADERS = 24
# Weight of "no rotation" as a fraction of the spread of the leaders; it fixes the axis of leaders
# on a line, and turns the others by no more than this.
STILLNESS = 1e-5
# Weight of the corners' squared displacement against the error at pinned vertices: a lone vertex
# comes within half a percent, and two that are close together do not tear the lattice apart.
RELUCTANCE = 1e-3
# Steps of the least-squares solver, and the drop of its squared gradient at which it may stop.
MOST_STEPS = 50
ENOUGH = 1e-10


def store_tets(mesh, tets):
    """Give a mesh tets [tet, 4] between its own vertices; a soft body then uses them."""
    mesh[TETS] = np.ascontiguousarray(tets, np.int32).tobytes()
    mesh[TETS_VERTICES] = len(mesh.vertices)


def stored_tets(name, mesh):
    """Tets of a mesh, int32 [tet, 4], or None. Refuses tets that do not fit the mesh any more."""
    data = mesh.get(TETS)
    if data is None:
        return None
    if not isinstance(data, bytes) or not data or len(data) % 16:
        raise ValueError(message("mesh.tets_type", name=name, attribute=TETS))
    tets = np.frombuffer(data, np.int32).reshape(-1, 4)
    count = mesh.get(TETS_VERTICES, len(mesh.vertices))
    if not isinstance(count, int) or tets.min() < 0:
        raise ValueError(message("mesh.tets_type", name=name, attribute=TETS))
    if count != len(mesh.vertices) or tets.max() >= len(mesh.vertices):
        raise ValueError(
            message(
                "mesh.tets_old",
                name=name,
                count=max(count, tets.max() + 1),
                now=len(mesh.vertices),
                attribute=TETS,
            )
        )
    return tets


def carried_rigidly(points, leaders, now):
    """Positions of `points` [point, 3] under the rigid motion that fits their leaders best.

    `leaders` and `now`: old and new positions of the leaders of every point, [point, leader, 3].
    """
    center, center_now = leaders.mean(axis=1), now.mean(axis=1)
    turn = np.einsum("pki,pkj->pij", now - center_now[:, None], leaders - center[:, None])
    still = STILLNESS * np.linalg.norm(turn, axis=(1, 2)) + 1e-30
    u, _, v = np.linalg.svd(turn + still[:, None, None] * np.eye(3))
    u[:, :, 2] *= np.linalg.det(u @ v)[:, None]  # a rotation, never a reflection
    return center_now + np.einsum("pij,pj->pi", u @ v, points - center)


class LatticePins:
    """Pinned corners of cells that follow the pinned vertices of the surface inside it.

    `lattice/pinned_corners.py` finds these corners. Corners of cells that hold a pinned point
    follow the rigid motion that fits its nearest pinned points best, so a turning pin turns its
    cells with it. The remaining motion of pinned points, such as growing or moving apart, they
    follow by least squares.
    """

    def __init__(self, lattice_points, clamp, start):
        """`clamp`: the `PinnedCorners` of the pinned vertices.

        `start`: positions of the pinned vertices with the lattice at `lattice_points`, [pinned, 3].
        """
        self.clamp, self.indices = clamp, clamp.indices
        self.point, slot = np.nonzero(np.abs(clamp.weights) > LEAST_WEIGHT)
        self.weight = clamp.weights[self.point, slot]
        touched, self.corner = np.unique(clamp.corners[self.point, slot], return_inverse=True)
        self.chosen = np.searchsorted(touched, self.indices)
        self.rest = lattice_points[touched]
        start = clamp.places(start)
        count = min(LEADERS, len(start))
        self.leaders = np.empty((len(self.rest), count), np.int64)
        for row, point in enumerate(self.rest):
            distance = ((start - point) ** 2).sum(axis=1)
            self.leaders[row] = np.argpartition(distance, count - 1)[:count]
        self.leaders_at_rest = start[self.leaders]

    def targets(self, now):
        """Positions of the pinned corners, [pin, 3], for the pinned vertices at `now`."""
        now = self.clamp.places(now)
        corners = carried_rigidly(self.rest, self.leaders_at_rest, now[self.leaders])
        corners = corners + self._correction(now - self._carried(corners))
        return corners[self.chosen]

    def _carried(self, points):
        """Positions of the pinned points, [point, 3], for corners at `points` [pin, 3]."""
        return _sums(self.point, self.weight, points[self.corner], len(self.clamp.weights))

    def _correction(self, gap):
        """Small displacements of the corners, [pin, 3], that close the `gap` [point, 3].

        Conjugate gradients for min |carried(move) − gap|² + RELUCTANCE |move|².
        """
        move = np.zeros_like(self.rest)
        downhill = self._gathered(gap)
        step, steep = downhill, (downhill**2).sum()
        least = ENOUGH * steep
        for _ in range(MOST_STEPS):
            if steep <= least:
                break
            change = self._carried(step)
            length = steep / ((change**2).sum() + RELUCTANCE * (step**2).sum())
            move += length * step
            gap = gap - length * change
            downhill = self._gathered(gap) - RELUCTANCE * move
            before, steep = steep, (downhill**2).sum()
            step = downhill + (steep / before) * step
        return move

    def _gathered(self, gap):
        """Transpose of `_carried`: sum of the gaps of its points for every corner, [pin, 3]."""
        return _sums(self.corner, self.weight, gap[self.point], len(self.rest))


def _sums(group, weight, values, count):
    """Weighted sums of `values` [n, 3] in each of `count` groups."""
    return np.column_stack([np.bincount(group, weight * axis, count) for axis in values.T])
