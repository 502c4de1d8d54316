# SPDX-License-Identifier: GPL-3.0-or-later
"""What pairs are now: which are near, their closest points and normals, and who may feel them."""

import warp as wp

from ..embedding import Embedding, spread_of
from ..options import HOT
from ..shares import share_of
from .counts import OF_EDGES, OF_VERTICES
from .front import is_parted
from .pairs import (
    EDGE_EDGE,
    QUIET,
    VERTEX_TRIANGLE,
    Pair,
    PairLists,
    PairState,
    Touch,
    signed_weights,
    weighted,
)
from .parting import better, parting_normal, room_between
from .touches import edge_edge_touch, vertex_triangle_touch

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
# What quiet vertices have left at least of a gap.
LEFT = wp.constant(1.0 - 2.0 * QUIET)
# What has moved by less than this part of the contact distance is still as it was seen.
STILL = wp.constant(1.0e-4)
# The vertex of a pair that is not near.
NOWHERE = wp.constant(-1)
# Part of the room of a vertex that rounding leaves it.
CAUTION = wp.constant(0.99)


@wp.struct
class Glance:
    """What tells of a pair that it need not be looked at."""

    vertices: wp.vec4i  # from NOWHERE on where it will not be near before the next alarm
    radius: float  # its contact distance [m]


@wp.func
def glance_at(pair: Pair, gap: float):
    """The `Glance` of a pair with a `gap` [m] of room."""
    glance = Glance()
    glance.radius = pair.radius
    glance.vertices = pair.vertices
    if LEFT * gap >= NEAR * pair.radius:
        glance.vertices = wp.vec4i(NOWHERE)
    return glance


@wp.func
def is_still(glance: Glance, gone: wp.array[float]):
    """Whether no vertex of a pair has moved since it was looked at, or hardly so."""
    v = glance.vertices
    least = STILL * glance.radius
    most = wp.max(wp.max(gone[v[0]], gone[v[1]]), wp.max(gone[v[2]], gone[v[3]]))
    return most <= least * least


@wp.func
def stays(glance: Glance, state: PairState):
    """Whether a pair that keeps still remains what it is, near or not, however others move."""
    return state.near == 0 or LEFT * state.gap < (1.0 + LEAST_NEAR) * glance.radius


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
def note_near(p: int, v: wp.vec4i, near: int, state: wp.array[PairState], changed: wp.array[int]):
    """Note which corners may feel pair p of the vertices v now."""
    if near != state[p].near:
        for c in range(4):
            changed[v[c]] = 1
        state[p].near = near


@wp.kernel
def find_gone(
    first: int,
    x: wp.array[wp.vec3],
    x_looked: wp.array[wp.vec3],
    # out
    gone: wp.array[float],
):
    """How far each vertex has gone since it was looked at, squared [m²]."""
    i = first + wp.tid()
    gone[i] = wp.length_sq(x[i] - x_looked[i])


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
    gone: wp.array[float],
    stride: wp.array[float],
    # in and out
    glances: wp.array[Glance],
    # out
    touches: wp.array[Touch],
    state: wp.array[PairState],
    changed: wp.array[int],
):
    """Closest points and normals of pairs that are near, as they are now.

    The room between their sides is measured anew when an alarm was raised, as after every search,
    and what is told at a `Glance` of them. `changed` vertices get other lists.
    """
    of_vertices = counts[OF_VERTICES]
    begin, end = share_of(first + wp.tid(), parts, of_vertices + counts[OF_EDGES])
    for p in range(begin, wp.min(end, of_vertices)):
        left = float(LEFT)
        if alarm[0] != 0:
            left = 1.0
            room = room_between(VERTEX_TRIANGLE, pairs[p], x)
            state[p].gap = room
            glances[p] = glance_at(pairs[p], room)
            if glances[p].vertices[0] == NOWHERE:
                note_near(p, pairs[p].vertices, 0, state, changed)
        glance = glances[p]
        if glance.vertices[0] == NOWHERE:
            continue
        keeps = alarm[0] == 0 and is_still(glance, gone)
        if keeps and stays(glance, state[p]):
            continue
        pair = pairs[p]
        reach = reach_of(pair, stride)
        near = int(0)
        if left * state[p].gap < reach:
            if keeps:
                continue
            touch, near = vertex_triangle_touch(p, pair, reach, pulled, x, x_start)
            if near != 0:
                touches[p] = touch
        note_near(p, pair.vertices, near, state, changed)
    for p in range(wp.max(begin, of_vertices), end):
        left = float(LEFT)
        if alarm[0] != 0:
            left = 1.0
            room = room_between(EDGE_EDGE, pairs[p], x)
            state[p].gap = room
            glances[p] = glance_at(pairs[p], room)
            if glances[p].vertices[0] == NOWHERE:
                note_near(p, pairs[p].vertices, 0, state, changed)
        glance = glances[p]
        if glance.vertices[0] == NOWHERE:
            continue
        keeps = alarm[0] == 0 and is_still(glance, gone)
        if keeps and stays(glance, state[p]):
            continue
        pair = pairs[p]
        reach = reach_of(pair, stride)
        near = int(0)
        if left * state[p].gap < reach:
            if keeps:
                continue
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
    radius: wp.array[float],
    # in and out
    changed: wp.array[int],
    x_looked: wp.array[wp.vec3],
    stride: wp.array[float],
    # out
    near_entry: wp.array[int],
    near_end: wp.array[int],
    gap: wp.array[float],
    least_gap: wp.array[float],
    x_seen: wp.array[wp.vec3],
    alert: wp.array[int],
    told: wp.array[int],
):
    """The entries of each vertex that it may feel, from lists.start[i] up to near_end[i].

    After an alarm also the smallest room [m] of all its pairs, as seen from x. Notes the `stride`
    [m] of each since the last look; before the first one of a step it is infinite. What is still,
    within its contact distance `radius` [m], was looked at where it has been.
    """
    i = first + wp.tid()
    before = REMEMBERED * wp.where(stride[i] < wp.inf, stride[i], 0.0)
    moved = wp.length(x[i] - x_looked[i])
    stride[i] = wp.max(moved, before)
    if moved > STILL * radius[i]:
        x_looked[i] = x[i]
    if alarm[0] == 0 and changed[i] == 0:
        return
    end = lists.start[i]
    least = float(1.0e30)
    for k in range(lists.start[i], lists.start[i + 1]):
        e = lists.entry[k]
        of_pair = state[e >> 2]
        least = wp.where(of_pair.gap < least, of_pair.gap, least)
        if alarm[0] != 0:
            gap[k] = of_pair.gap
        if (of_pair.near >> (e & 3)) & 1 == 1:
            near_entry[end] = e
            end += 1
    near_end[i] = end
    changed[i] = 0
    if alarm[0] != 0:
        least_gap[i] = least
        x_seen[i] = x[i]
        alert[i] = 0
        told[i] = 0


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
    first: int,
    parts: int,
    x: wp.array[wp.vec3],
    counts: wp.array[int],
    # in and out
    pairs: wp.array[Pair],
):
    """Let the normals of all pairs of surfaces part their sides as they are now, where that leaves
    more between them than those of before do.
    """
    begin, end = share_of(first + wp.tid(), parts, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        v = pair.vertices
        weights = signed_weights(pair.kind, v, x)
        gap = weighted(weights, v, x)
        n = parting_normal(pair.kind, weights, v, x, gap)
        if is_parted(pair, gap, n, x):
            pairs[p].found_normal = better(pair.kind, pair.found_normal, n, v, x)
