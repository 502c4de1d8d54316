# SPDX-License-Identifier: GPL-3.0-or-later
"""Where surfaces face: what begins right in one of them is in front of it."""

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.contact import sides
from ..kernels.contact.parting import FLOOR, LOST, ROUNDING
from .crossings import unit
from .sunk import COMMON

# Rough cost of a vertex or an edge that is asked [ns].
HEARD = 200.0


def fronts(surface, x, up):
    """Unit normals at all vertices [vertex, 3] at x [vertex, 3]; open sheets that face down, such
    as a floor, are taken the other way round.
    """
    body, normals = surface.body[surface.triangles[:, 0]], surface.normals(x, slice(None))
    count = np.maximum(np.bincount(body, minlength=len(surface.closed)), 1)
    mean = sums(body, normals, len(count)) / count[:, None]
    faces_down = ~surface.closed & (mean @ unit(up[None])[0] < -COMMON)
    total = sums(surface.triangles.ravel(), np.repeat(normals, 3, axis=0), len(x))
    return unit(np.where(faces_down[surface.body][:, None], -total, total))


def sums(group, vectors, count):
    """Sums [count, 3] of the vectors [n, 3] of each group [n]."""
    return np.column_stack([np.bincount(group, each, count) for each in vectors.T])


class Sides:
    """On which side of each other open bodies begin (kernels/contact/sides.py)."""

    def __init__(self, model, struct):
        surface, record = model.surface, model.launches.record
        self.struct, self.couples = struct, surface.may_touch.shape
        is_free = surface.ground == 0
        others = surface.may_touch & is_free & is_free[:, None] & ~np.eye(len(is_free), dtype=bool)
        self.said = wp.zeros(2 * others.size, dtype=int, device=model.device)
        queries = {
            sides.hear_vertices: len(surface.vertices),
            sides.hear_edges: surface.body_edges,
        }
        inputs = [struct, model.contact_model.state, model.x]
        self.hear = [
            record(kernel, count, inputs, [self.said], HEARD)
            for kernel, count in queries.items()
            if others.any()
        ]

    def find(self, rooms):
        """Tell those of now, int [body, body]: -1 where the rule who is in front is the other way
        round, as in `rooms` [body, body], else 1. `struct` has the fronts and the trees of now.
        """
        self.struct.side.fill_(1)
        self.said.zero_()
        play(self.hear)
        said = self.said.numpy().reshape(*self.couples, 2)
        is_otherwise = (said[..., sides.OTHERWISE] > 0) & (said[..., sides.AS_RULED] == 0)
        is_otherwise |= rooms
        side = np.where(is_otherwise | is_otherwise.T, -1, 1).astype(np.int32)
        self.struct.side.assign(side.ravel())
        return side


def are_in_front(surface, front, side, x, edges, triangles):
    """Whether of edges [crossing, 2] and triangles [crossing, 3] of two bodies that cross one is in
    front of the other but for rounding, bool [crossing]: which of them, kernels/contact/front.py
    says, and the `side` [body, body] of `Sides`. What touches an open surface without lying in it
    may as well come from behind, and then all that crosses between the two is told apart together.
    """
    one, other = surface.body[edges[:, 0]], surface.body[triangles[:, 0]]
    more = surface.ground[one].astype(int) - surface.ground[other]
    is_behind = np.where(more == 0, one > other, more > 0)[:, None]
    of_edges, of_triangles = -front[edges].sum(axis=1), front[triangles].sum(axis=1)
    along = np.where(is_behind, of_edges, of_triangles)
    is_unknown = ~along.any(axis=1, keepdims=True)
    along = np.where(is_unknown, np.where(is_behind, of_triangles, of_edges), along)
    along *= side[one, other][:, None]
    a, b, c = (x[triangles[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    across *= np.sign((across * along).sum(axis=1))[:, None]
    is_any_closed = surface.closed[one] | surface.closed[other]
    are_parted = np.zeros(len(edges), dtype=bool)
    for n in (unit(along), unit(across)):
        above, below = ((x[corners] * n[:, None]).sum(axis=2) for corners in (edges, triangles))
        size = np.abs(x[np.column_stack([edges, triangles])]) * np.abs(n)[:, None]
        rounding = LOST * ROUNDING * size.sum(axis=2).max(axis=1)
        gap, depth = above.min(axis=1) - below.max(axis=1), above.max(axis=1) - below.min(axis=1)
        are_parted |= n.any(axis=1) & (gap >= -rounding) & (is_any_closed | (depth <= rounding))
    are_parted &= one != other
    couple = np.unique(np.sort([one, other], axis=0), axis=1, return_inverse=True)[1].ravel()
    are_all_parted = np.bincount(couple, ~are_parted) == 0
    return are_parted & (is_any_closed | are_all_parted[couple])


def lie_on(points, corners, uv, radius):
    """Whether points [point, 3] lie on the triangles that are closest to them but for rounding, at
    uv; what reaches `radius` [m] is never farther from there than a part of that.
    """
    weights = np.column_stack([uv, 1.0 - uv.sum(axis=1)])
    apart = points - (weights[:, :, None] * corners).sum(axis=1)
    a, b, c = np.moveaxis(corners, 1, 0)
    n = unit(np.cross(b - a, c - a))
    rounding = LOST * ROUNDING * (np.abs(points) * np.abs(n)).sum(axis=1)
    is_near = np.linalg.norm(apart, axis=1) <= FLOOR * radius
    return is_near & (np.abs((apart * n).sum(axis=1)) <= rounding)
