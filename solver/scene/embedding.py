# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of embedded surfaces: weighted sums of the corners of one tet each."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels import embedding as kernels
from ..kernels.contact import points_in_front as in_front

# Smaller weights are rounding.
LEAST_WEIGHT = 1e-6
# Rough cost of moving a point [ns].
FOLLOW = 40.0


@dataclass
class EmbeddedPoints:
    """The embedded points of all bodies: `corners` [point, 4] in solver order, their `weights`
    [point, 4], and the number of their `body` [point].
    """

    corners: np.ndarray
    weights: np.ndarray
    body: np.ndarray

    def __len__(self):
        return len(self.corners)

    def of(self, values):
        """Values [vertex, ...] at the points."""
        return np.einsum("pk,pk...->p...", self.weights, values[self.corners])

    def parents(self):
        """Pairs (point, corner) with a weight other than 0, as two arrays, and those weights."""
        point, slot = np.nonzero(self.weights)
        return point, self.corners[point, slot], self.weights[point, slot]


def embedded_points(bodies, vertices):
    """The `EmbeddedPoints` of bodies, whose `vertices` [body] are numbers in solver order, and
    their triangles [triangle, 3], numbered from 0.
    """
    corners, weights, body = [np.zeros((0, 4), np.int64)], [np.zeros((0, 4))], [np.zeros(0, int)]
    triangles, count = [np.zeros((0, 3), np.int64)], 0
    for number, one in enumerate(bodies):
        surface = getattr(one, "surface", None)
        if surface is None:
            continue
        corners.append(vertices[number][surface.corners])
        weights.append(np.where(np.abs(surface.weights) < LEAST_WEIGHT, 0.0, surface.weights))
        body.append(np.full(len(surface.corners), number))
        triangles.append(surface.triangles.astype(np.int64) + count)
        count += len(surface.corners)
    weights = np.concatenate(weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    points = EmbeddedPoints(np.concatenate(corners), weights, np.concatenate(body))
    return points, np.concatenate(triangles)


def upload_embedding(points, hidden, first, upload):
    """The `Embedding` on the device; the points are numbered from `first` on.

    `hidden` [vertex of a body]: those that have points or nothing at all on the surface.
    """
    struct = kernels.Embedding()
    struct.first = first
    if not len(points):
        return struct
    struct.corners = upload(points.corners.astype(np.int32), wp.vec4i)
    struct.weights = upload(points.weights, wp.vec4)
    point, corner, _ = points.parents()
    alone = np.setdiff1d(np.arange(first), np.flatnonzero(hidden))
    owner = np.concatenate([corner, alone])
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(first + 1))
    struct.start = upload(start.astype(np.int32), int)
    struct.carried = upload(np.concatenate([first + point, alone])[order].astype(np.int32), int)
    return struct


def points_in_front(model, start, moved):
    """Launches that keep steps from `start` to `moved` from taking embedded points through analytic
    colliders; none where there are no points or no such colliders.
    """
    if not len(model.surface.points) or not model.has_analytic_colliders:
        return []
    count, record = model.vertex_count, model.launches.record
    fraction = wp.zeros(count, dtype=float, device=model.device)
    steps = [model.contact_model, start, moved]
    return [
        record(in_front.find_fractions_in_front, count, steps, [fraction]),
        record(in_front.take_fractions, count, [start, fraction], [moved]),
    ]


class Followers:
    """Moves embedded points after their corners."""

    def __init__(self, model):
        self.model, self.points = model, model.surface.points
        self.known = {}
        if len(self.points):
            model.launches.expect(kernels.follow)

    def follow(self, first, last):
        """Move the points with a corner among the vertices from `first` to `last`."""
        if (first, last) not in self.known:
            self.known[first, last] = self._launch(first, last)
        self.known[first, last]()

    def _launch(self, first, last):
        corners, model = self.points.corners, self.model
        moving = (corners >= first) & (corners < last) & (self.points.weights != 0.0)
        mine = np.flatnonzero(moving.any(axis=1)).astype(np.int32)
        inputs = [model.upload(mine, int), model.contact_model.embedding]
        return model.launches.record(kernels.follow, len(mine), inputs, [model.x], FOLLOW)
