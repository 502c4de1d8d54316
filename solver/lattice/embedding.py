# SPDX-License-Identifier: GPL-3.0-or-later
"""Embedded surfaces: each point is a weighted sum of the corners of one tet or cell."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.contact.feasibility import embedded_collider_bounds as in_front
from ..kernels.lattice import embedding as kernels
from ..kernels.lattice import followers
from ..topology.graphs import unique_edges
from .skin import upload_skin

# Smaller weights are rounding.
LEAST_WEIGHT = 1e-6
# Approximate cost of moving a point [ns].
FOLLOW = 40.0


@dataclass
class EmbeddedPoints:
    """The embedded points of all bodies: `corners` [point, n] in solver order, their `weights`
    [point, n], and the number of their `body` [point]. n is 4, or 8 if any body consists of cells;
    unused weights of a tet are 0. `skin` are the numbers of the points of smooth skins, whose
    corners have the `neighbors` [vertex, 6].
    """

    corners: np.ndarray
    weights: np.ndarray
    body: np.ndarray
    skin: np.ndarray
    neighbors: np.ndarray
    offset: np.ndarray
    """Initial offsets of the points of smooth skins from Σ w x, 0 of others, [point, 3] in m."""

    def __len__(self):
        return len(self.corners)

    @property
    def width(self):
        """Number of corners of a point; 0 if there are no points."""
        return self.corners.shape[1] if len(self) else 0

    def of(self, values):
        """Values [vertex, ...] at the points."""
        return np.einsum("pk,pk...->p...", self.weights, values[self.corners])

    def parents(self):
        """Pairs (point, corner) with a weight other than 0, as two arrays, and their weights."""
        point, slot = np.nonzero(self.weights)
        return point, self.corners[point, slot], self.weights[point, slot]


def embedded_points(bodies, vertices, last=(), other_weights=None):
    """The `EmbeddedPoints` of bodies and their triangles [triangle, 3], numbered from 0; `vertices`
    [body] are numbers in solver order. Points of the `last` bodies come last, in that order.
    Bodies, by their numbers, may have `other_weights` than their surfaces.
    """
    other_weights = other_weights or {}
    order = [n for n in range(len(bodies)) if n not in set(last)] + list(last)
    surfaces = {n: bodies[n].surface for n in order if getattr(bodies[n], "surface", None)}
    width = max((one.corners.shape[1] for one in surfaces.values()), default=4)
    corners, weights, body = [np.zeros((0, width), int)], [np.zeros((0, width))], [np.zeros(0, int)]
    triangles, count = [np.zeros((0, 3), np.int64)], 0
    skin, offset, total = [np.zeros(0, int)], [np.zeros((0, 3))], sum(map(len, vertices))
    neighbors = np.repeat(np.arange(total)[:, None], 6, axis=1)
    for number, surface in surfaces.items():
        missing = (0, 0), (0, width - surface.corners.shape[1])
        corners.append(np.pad(vertices[number][surface.corners], missing, mode="edge"))
        own = other_weights.get(number, surface.weights)
        weights.append(np.pad(np.where(np.abs(own) < LEAST_WEIGHT, 0.0, own), missing))
        body.append(np.full(len(surface.corners), number))
        triangles.append(surface.triangles.astype(np.int64) + count)
        offset.append(np.zeros((len(surface.corners), 3)))
        if surface.neighbors is not None:
            offset[-1] = surface.offsets(bodies[number].points)
            skin.append(count + np.arange(len(surface.corners)))
            neighbors[vertices[number]] = vertices[number][surface.neighbors]
        count += len(surface.corners)
    weights = np.concatenate(weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    body, skin, offset = (np.concatenate(values) for values in (body, skin, offset))
    points = EmbeddedPoints(np.concatenate(corners), weights, body, skin, neighbors, offset)
    return points, np.concatenate(triangles)


def upload_embedding(points, hidden, first, rigid, upload):
    """The `Embedding` on the device; the points are numbered from `first` on, and `rigid` are the
    first vertex of rigid bodies and the end of these.

    `hidden` [vertex of a body]: True for vertices that are not on the surface themselves.
    """
    struct = kernels.Embedding()
    struct.first, struct.width = first, points.width
    struct.rigid_first, struct.rigid_end = rigid
    struct.bend = upload(np.zeros(((rigid[1] - rigid[0]) // 4, 3)), wp.vec3)
    if not len(points):
        return struct
    struct.corners = upload(points.corners.astype(np.int32).ravel(), int)
    struct.weights = upload(points.weights.ravel(), float)
    point, corner, weight = points.parents()
    own = np.setdiff1d(np.arange(first), np.flatnonzero(hidden))
    owner = np.concatenate([corner, own])
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(first + 1))
    struct.start = upload(start.astype(np.int32), int)
    struct.carried = upload(np.concatenate([first + point, own])[order].astype(np.int32), int)
    struct.share = upload(np.concatenate([weight, np.ones(len(own))])[order], float)
    struct.spread = upload(np.abs(points.weights).sum(axis=1), float)
    struct.offset = upload(points.offset, wp.vec3)
    pairs, alone = unique_edges(points.corners), np.union1d(own, points.corners)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    both = np.concatenate([pairs, pairs[:, ::-1], np.tile(alone, (2, 1)).T])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    start = np.searchsorted(both[:, 0], np.arange(first + 1))
    struct.first_neighbor = upload(start.astype(np.int32), int)
    struct.neighbor = upload(both[:, 1].astype(np.int32), int)
    return struct


def clearances(model):
    """Launches that find the clearance to analytic colliders at the start of a step; empty without
    points or such colliders.
    """
    if not len(model.surface.points) or not model.has_analytic_colliders:
        return []
    own = np.setdiff1d(np.arange(model.vertex_count), np.flatnonzero(model.surface.hidden))
    points = model.kinematic_end + np.arange(len(model.surface.points))
    vertices = model.upload(np.concatenate([own, points]).astype(np.int32), int)
    record, contact_model = model.launches.record, [model.contact_model]
    return [
        record(in_front.find_clearances, len(vertices), [vertices, model.x_start], contact_model),
        record(in_front.gather_clearances, model.vertex_count, [], contact_model),
    ]


def depths(model):
    """Launches that find penetration depths behind analytic colliders; empty without these."""
    if not model.has_analytic_colliders:
        return []
    own = np.setdiff1d(np.arange(model.free_count), np.flatnonzero(model.surface.hidden))
    points = model.kinematic_end + np.arange(len(model.surface.points))
    vertices = model.upload(np.concatenate([own, points]).astype(np.int32), int)
    of_colliders = model.contact_model
    find = model.launches.record(
        in_front.find_depths, len(vertices), [vertices, model.x_start], [of_colliders]
    )
    return [of_colliders.depth.zero_, find]


def collider_point_limits(model, start, moved):
    """Launches that limit steps from `start` to `moved`, so that embedded points do not pass
    through analytic colliders; empty without points or such colliders.
    """
    if not len(model.surface.points) or not model.has_analytic_colliders:
        return []
    count, record = model.vertex_count, model.launches.record
    find_fractions = in_front.fractions_kernel(model.surface.points.width)
    fraction = wp.zeros(count, dtype=float, device=model.device)
    steps = [model.contact_model, start, moved, model.x_start]
    return [
        record(find_fractions, count, steps, [fraction]),
        record(in_front.take_fractions, count, [start, fraction], [moved]),
    ]


def collider_step_limits(model, start, moved):
    """Launches that limit steps of free vertices from `start` to `moved`, so that neither they nor
    embedded points pass through analytic colliders; empty without such colliders.
    """
    if not model.has_analytic_colliders:
        return []
    inputs, free = [start, model.contact_model], model.free_count
    keep = model.launches.record(in_front.keep_steps_in_front, free, inputs, [moved])
    return [keep, *collider_point_limits(model, start, moved)]


class Followers:
    """Moves embedded points along with their corners."""

    def __init__(self, model):
        self.model, self.points = model, model.surface.points
        self.known, self.skin = {}, upload_skin(model)
        if len(self.points):
            model.launches.expect(followers.follow)
        self.moved = {both: self._moved(*both) for both in model.ranges()}

    def follow(self, first, last):
        """Move the points with a corner among the vertices from `first` to `last`, one of the
        model's ranges.
        """
        if (first, last) not in self.known:
            self.known[first, last] = self._launch(followers.follow, first, last)
        self.known[first, last]()

    def listed(self, first, last):
        """The launch that moves points with contact pairs; sweeps need no others."""
        if (first, last, "listed") not in self.known:
            start = self.model.lists.all.start
            launch = self._launch(followers.follow_listed, first, last, start)
            self.known[first, last, "listed"] = launch
        return self.known[first, last, "listed"]

    def skins(self):
        """The offsets of the smooth skin of every body [m], [point, 3]; None of others."""
        points, found = self.points, [None] * len(self.model.assembly.vertices)
        offset = self.model.contact_model.embedding.offset.numpy() if len(points) else None
        for number in np.unique(points.body[points.skin]):
            found[number] = offset[points.body == number].astype(np.float64)
        return found

    def _moved(self, first, last):
        """Points that move with vertices of a range; uploaded before any graph is captured."""
        corners = self.points.corners
        moving = (corners >= first) & (corners < last) & (self.points.weights != 0.0)
        return self.model.upload(np.flatnonzero(moving.any(axis=1)).astype(np.int32), int)

    def _launch(self, kernel, first, last, *more):
        model, points = self.model, self.moved[first, last]
        inputs = [points, model.contact_model.embedding, *more]
        return model.launches.record(kernel, len(points), inputs, [model.x], FOLLOW)
