# SPDX-License-Identifier: GPL-3.0-or-later
"""What pairs are now: which are near, their closest points and normals, and who may feel them."""

import warp as wp

from ..embedding import Embedding, spread_of
from ..options import HOT
from ..shares import share_of
from .counts import OF_EDGES, OF_VERTICES
from .distance import parallelism
from .law import tangential
from .pairs import (
    EDGE_EDGE,
    QUIET,
    VERTEX_TRIANGLE,
    Pair,
    PairLists,
    PairState,
    Touch,
    pair_normal,
    signed_weights,
    weighted,
)
from .parting import better, parting_normal, room_between

wp.set_module_options(HOT)

# A pair farther apart than this many contact distances is not looked at in the coming sweep, ...
NEAR = wp.constant(1.5)
# ... nor one that its vertices will not close: what is felt is at most this many times as far
# beyond the contact distance as they have gone since the last look or, some sweeps ago, ...
HASTE = wp.constant(4.0)
# ... of which this part is remembered at each, ...
REMEMBERED = wp.constant(0.7)
# ... and at least this part of it.
LEAST_NEAR = wp.constant(0.1)
# Edges that cross farther from their ends than this part of their length count in full.
CROSSING = wp.constant(0.1)
# What quiet vertices have left at least of a gap.
LEFT = wp.constant(1.0 - 2.0 * QUIET)
# Part of the room of a vertex that rounding leaves it.
CAUTION = wp.constant(0.99)
# Distances below this part of the contact distance have no direction.
TOUCHING = wp.constant(1.0e-3)


@wp.func
def lines_cross(v: wp.vec4i, x: wp.array[wp.vec3]):
    """Whether the closest points of the lines through two edges lie inside of both edges."""
    r = x[v[0]] - x[v[2]]
    a = x[v[1]] - x[v[0]]
    b = x[v[3]] - x[v[2]]
    aa = wp.dot(a, a)
    bb = wp.dot(b, b)
    ab = wp.dot(a, b)
    ar = wp.dot(a, r)
    br = wp.dot(b, r)
    whole = aa * bb - ab * ab
    s = ab * br - ar * bb
    t = aa * br - ab * ar
    # In one comparison: no processor foretells four.
    return wp.min(wp.min(s, whole - s), wp.min(t, whole - t)) > 0.0


@wp.func
def crossing(weights: wp.vec4):
    """1 for edges that cross well inside of both, falling smoothly to 0 at their ends.

    The end of an edge of a triangle is a vertex, whose pairs with triangles stand for it. Where two
    such vertices meet all their edges would else count once more, 36 times on a regular mesh.
    """
    inside = wp.min(wp.min(weights[0], weights[1]), wp.min(-weights[2], -weights[3]))
    c = wp.clamp(inside / CROSSING, 0.0, 1.0)
    return c * (2.0 - c)


@wp.func
def refreshed(
    kind: int,
    pair: Pair,
    weights: wp.vec4,
    stiffness: float,
    reach: float,
    pulled: wp.vec3,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
):
    """What vertices need of a pair within `reach` [m], and a bit for every corner that may feel it."""
    touch = Touch()
    v = pair.vertices
    between = weighted(weights, v, x)
    distance = wp.length(between)
    near = int(0)
    if distance < reach and stiffness > 0.0:
        toward = between
        if distance <= TOUCHING * pair.radius:
            toward = pair.found_normal
        touch.vertices = v
        touch.weights = weights
        touch.normal = pair_normal(kind, weights, v, x, toward)
        touch.start_gap = weighted(weights, v, x_start) - tangential(pulled, touch.normal)
        touch.radius = pair.radius
        touch.friction = pair.friction
        touch.stiffness = stiffness
        for c in range(4):
            if weights[c] != 0.0:
                near += 1 << c
    return touch, near


@wp.func
def reach_of(pair: Pair, stride: wp.array[float]):
    """How far apart [m] a pair is near, as its vertices move."""
    own = float(0.0)
    other = float(0.0)
    for c in range(4):
        there = stride[pair.vertices[c]]
        if c < pair.kind:
            own = wp.max(own, there)
        else:
            other = wp.max(other, there)
    least, most = LEAST_NEAR * pair.radius, (NEAR - 1.0) * pair.radius
    return pair.radius + wp.clamp(HASTE * (own + other), least, most)


@wp.func
def reach_if_near(pair: Pair, gap: float, stride: wp.array[float]):
    """The `reach_of` a pair, 0 where its sides are farther apart than that: at least by `gap`."""
    reach = float(0.0)
    if gap < NEAR * pair.radius:
        reach = reach_of(pair, stride)
        if gap >= reach:
            reach = 0.0
    return reach


@wp.func
def vertex_triangle_touch(
    p: int,
    pair: Pair,
    reach: float,
    pulled: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
):
    """What vertices need of pair p at x, and which corners may feel it: none beyond `reach` [m]."""
    weights = signed_weights(VERTEX_TRIANGLE, pair.vertices, x)
    stiffness = pair.full_stiffness
    return refreshed(VERTEX_TRIANGLE, pair, weights, stiffness, reach, pulled[p], x, x_start)


@wp.func
def edge_edge_touch(
    p: int,
    pair: Pair,
    reach: float,
    pulled: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
):
    """The same of edges: those of triangles only where they cross, and less near their ends."""
    touch = Touch()
    near = int(0)
    v = pair.vertices
    if pair.with_rod != 0 or lines_cross(v, x):
        weights = signed_weights(EDGE_EDGE, v, x)
        stiffness = pair.full_stiffness
        if pair.with_rod == 0:
            stiffness *= crossing(weights)
            stiffness *= parallelism(x[v[1]] - x[v[0]], x[v[3]] - x[v[2]])
        touch, near = refreshed(EDGE_EDGE, pair, weights, stiffness, reach, pulled[p], x, x_start)
    return touch, near


@wp.func
def note_near(p: int, v: wp.vec4i, near: int, state: wp.array[PairState], changed: wp.array[int]):
    """Note which corners may feel pair p of the vertices v now."""
    if near != state[p].near:
        for c in range(4):
            changed[v[c]] = 1
        state[p].near = near


@wp.kernel
def refresh_pairs(
    first: int,
    parts: int,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    pairs: wp.array[Pair],
    pulled: wp.array[wp.vec3],
    counts: wp.array[int],
    alarm: wp.array[int],
    stride: wp.array[float],
    # out
    touches: wp.array[Touch],
    state: wp.array[PairState],
    changed: wp.array[int],
):
    """Closest points and normals of pairs that are near, as they are now.

    The room between their sides is measured anew when an alarm was raised. `changed` vertices get
    other lists.
    """
    of_vertices = counts[OF_VERTICES]
    begin, end = share_of(first + wp.tid(), parts, of_vertices + counts[OF_EDGES])
    for p in range(begin, wp.min(end, of_vertices)):
        pair = pairs[p]
        gap = LEFT * state[p].gap
        if alarm[0] != 0:
            gap = room_between(VERTEX_TRIANGLE, pair, x)
            state[p].gap = gap
        near = int(0)
        reach = reach_if_near(pair, gap, stride)
        if reach > 0.0:
            touch, near = vertex_triangle_touch(p, pair, reach, pulled, x, x_start)
            if near != 0:
                touches[p] = touch
        note_near(p, pair.vertices, near, state, changed)
    for p in range(wp.max(begin, of_vertices), end):
        pair = pairs[p]
        gap = LEFT * state[p].gap
        if alarm[0] != 0:
            gap = room_between(EDGE_EDGE, pair, x)
            state[p].gap = gap
        near = int(0)
        reach = reach_if_near(pair, gap, stride)
        if reach > 0.0:
            touch, near = edge_edge_touch(p, pair, reach, pulled, x, x_start)
            if near != 0:
                touches[p] = touch
        note_near(p, pair.vertices, near, state, changed)


@wp.kernel
def gather_near(
    first: int,
    x: wp.array[wp.vec3],
    lists: PairLists,
    state: wp.array[PairState],
    alarm: wp.array[int],
    # in and out
    changed: wp.array[int],
    x_looked: wp.array[wp.vec3],
    stride: wp.array[float],
    # out
    near_entry: wp.array[int],
    near_end: wp.array[int],
    least_gap: wp.array[float],
    x_seen: wp.array[wp.vec3],
    alert: wp.array[int],
):
    """The entries of each vertex that it may feel, from lists.start[i] up to near_end[i].

    After an alarm also the smallest room [m] of all its pairs, as seen from x. Notes the `stride`
    [m] of each since the last look; before the first one of a step it is infinite.
    """
    i = first + wp.tid()
    before = REMEMBERED * wp.where(stride[i] < wp.inf, stride[i], 0.0)
    stride[i] = wp.max(wp.length(x[i] - x_looked[i]), before)
    x_looked[i] = x[i]
    if alarm[0] == 0 and changed[i] == 0:
        return
    end = lists.start[i]
    least = float(1.0e30)
    for k in range(lists.start[i], lists.start[i + 1]):
        e = lists.entry[k]
        of_pair = state[e >> 2]
        least = wp.where(of_pair.gap < least, of_pair.gap, least)
        if (of_pair.near >> (e & 3)) & 1 == 1:
            near_entry[end] = e
            end += 1
    near_end[i] = end
    changed[i] = 0
    if alarm[0] != 0:
        least_gap[i] = least
        x_seen[i] = x[i]
        alert[i] = 0


@wp.kernel
def find_room(
    first: int,
    embedding: Embedding,
    listed: wp.array[int],
    alarm: wp.array[int],
    least_gap: wp.array[float],
    # out
    room: wp.array[float],
    awake: wp.array[int],
):
    """After an alarm, how far [m] each vertex may go from where it was seen with all that it
    carries quiet, as long as the others that move that stay within their room.
    """
    if alarm[0] == 0:
        return
    i = first + wp.tid()
    if listed[i] == 0:
        return
    least = float(1.0e30)
    for slot in range(embedding.start[i], embedding.start[i + 1]):
        s = embedding.carried[slot]
        least = wp.min(least, least_gap[s] / spread_of(s, embedding))
    room[i] = CAUTION * QUIET * least
    awake[i] = 0


@wp.kernel
def part_anew(
    parts: int,
    x: wp.array[wp.vec3],
    counts: wp.array[int],
    # in and out
    pairs: wp.array[Pair],
):
    """Let the normals of all pairs of surfaces part their sides as they are now, where that leaves
    more between them than those of before do.
    """
    begin, end = share_of(wp.tid(), parts, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        v = pair.vertices
        weights = signed_weights(pair.kind, v, x)
        n = parting_normal(pair.kind, weights, v, x, weighted(weights, v, x))
        pairs[p].found_normal = better(pair.kind, pair.found_normal, n, v, x)
