# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement truncation in scenes with embedded surfaces.

As in truncation.py, but a surface vertex may move with several vertices, each of which may take a
part of its own of its step. So its way to the plane of a pair is bounded by the sum of those steps
that go there; those that go back are not counted on.
"""

import warp as wp

from ..embedding import Embedding, share_of
from ..options import HOT
from .pairs import QUIET, Pair
from .truncation import BY_CAP, BY_PAIR, FLOOR, ROUNDING, part_within_cap, way_to_plane

wp.set_module_options(HOT)


@wp.func
def way_along(
    v: int,
    direction: wp.vec3,
    moving: wp.vec2i,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    embedding: Embedding,
):
    """The most that surface vertex v may go along a direction [m], whatever parts of their steps
    the vertices from moving[0] to moving[1] take.
    """
    way = float(0.0)
    if v < embedding.first:
        if v >= moving[0] and v < moving[1]:
            way = wp.max(wp.dot(direction, candidate[v] - x[v]), 0.0)
    else:
        corners = embedding.corners[v - embedding.first]
        weights = embedding.weights[v - embedding.first]
        for c in range(4):
            j = corners[c]
            if j >= moving[0] and j < moving[1]:
                way += wp.max(weights[c] * wp.dot(direction, candidate[j] - x[j]), 0.0)
    return way


@wp.func
def longest_way(
    v: int,
    moving: wp.vec2i,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    embedding: Embedding,
):
    """The same in any direction [m]."""
    way = float(0.0)
    if v < embedding.first:
        if v >= moving[0] and v < moving[1]:
            way = wp.length(candidate[v] - x[v])
    else:
        corners = embedding.corners[v - embedding.first]
        weights = embedding.weights[v - embedding.first]
        for c in range(4):
            j = corners[c]
            if j >= moving[0] and j < moving[1]:
                way += wp.abs(weights[c]) * wp.length(candidate[j] - x[j])
    return way


@wp.func
def part_to_plane(
    i: int,
    s: int,
    corner: int,
    pair: Pair,
    moving: wp.vec2i,
    distance: float,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    embedding: Embedding,
):
    """The part in [0, 1] of the step of vertex i that keeps surface vertex s, a corner of a pair,
    on its side of the pair's plane.
    """
    toward = pair.found_normal
    if corner < pair.kind:  # s is on side A, the normal points away from B
        toward = -pair.found_normal
    if share_of(i, s, embedding) * wp.dot(toward, candidate[i] - x[i]) <= 0.0:
        return 1.0
    x_s = x[s]
    own_gap = float(1.0e30)  # how far the nearest point of each side is from x_s along the normal
    other_gap = float(1.0e30)
    own_approach = float(0.0)
    other_approach = float(0.0)
    for c in range(4):
        j = pair.vertices[c]
        along = -wp.dot(toward, x[j] - x_s)
        if (c < pair.kind) == (corner < pair.kind):
            own_gap = wp.min(own_gap, along)
            own_approach = wp.max(
                own_approach, way_along(j, toward, moving, x, candidate, embedding)
            )
        else:
            other_gap = wp.min(other_gap, -along)
            other_approach = wp.max(
                other_approach, way_along(j, -toward, moving, x, candidate, embedding)
            )
    way = way_to_plane(own_gap, other_gap, own_approach, other_approach, distance)
    approach = way_along(s, toward, moving, x, candidate, embedding)
    return wp.clamp(way / approach, 0.0, 1.0)


@wp.kernel
def alert_partners(
    first: int,
    embedding: Embedding,
    moving_first: int,
    moving_last: int,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    x_seen: wp.array[wp.vec3],
    least_gap: wp.array[float],
    start: wp.array[int],
    entry: wp.array[int],
    pairs: wp.array[Pair],
    # out
    alert: wp.array[int],
    alarm: wp.array[int],
):
    """Alert all surface vertices that share a pair with one that gets far from `x_seen`."""
    i = first + wp.tid()
    moving = wp.vec2i(moving_first, moving_last)
    if wp.length_sq(candidate[i] - x[i]) > 0.0:
        for place in range(embedding.start[i], embedding.start[i + 1]):
            s = embedding.places[place]
            way = longest_way(s, moving, x, candidate, embedding)
            if wp.length(x[s] - x_seen[s]) + way > QUIET * least_gap[s]:
                alarm[0] = 1
                for k in range(start[s], start[s + 1]):
                    v = pairs[entry[k] / 4].vertices
                    for c in range(4):
                        alert[v[c]] = 1


@wp.kernel
def truncate(
    first: int,
    embedding: Embedding,
    moving_first: int,
    moving_last: int,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    x_found: wp.array[wp.vec3],
    cap: wp.array[float],
    start: wp.array[int],
    entry: wp.array[int],
    pairs: wp.array[Pair],
    alert: wp.array[int],
    # out
    part: wp.array[float],
    cut: wp.array[int],
):
    """The part of its step from x to `candidate` that each vertex may take, and what ends it.

    Vertices `moving_first` up to `moving_last` move at the same time.
    """
    i = first + wp.tid()
    moving = wp.vec2i(moving_first, moving_last)
    step = candidate[i] - x[i]
    least = float(1.0)
    reason = int(0)
    if wp.length_sq(step) > 0.0:
        for place in range(embedding.start[i], embedding.start[i + 1]):
            s = embedding.places[place]
            rounding = ROUNDING * wp.length(x[s])
            if alert[s] != 0:
                for k in range(start[s], start[s + 1]):
                    pair = pairs[entry[k] / 4]
                    distance = FLOOR * pair.radius + rounding
                    allowed = part_to_plane(
                        i, s, entry[k] % 4, pair, moving, distance, x, candidate, embedding
                    )
                    if allowed < least:
                        least = allowed
                        reason = BY_PAIR
        within = part_within_cap(x[i] - x_found[i], step, cap[i])
        if within < least:
            least = within
            reason = BY_CAP
    part[i] = least
    cut[i] = reason
