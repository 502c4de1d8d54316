# SPDX-License-Identifier: GPL-3.0-or-later
"""What pairs are now: which are near, their closest points and normals, and who may feel them."""

import warp as wp

from ..embedding import Embedding, spread_of
from ..options import HOT
from ..shares import share_of
from .counts import OF_EDGES, OF_VERTICES
from .front import is_parted
from .glances import LEAST_NEAR, LEFT, NEAR, NOWHERE, STILL, Glance, glance_at, is_still, stays
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

# Nor is a pair that its vertices will not close: what is felt is at most this many times as far
# beyond the contact distance as they have gone since the last look or, some sweeps ago, ...
HASTE = wp.constant(4.0)
# ... of which this part is remembered at each, ...
REMEMBERED = wp.constant(0.7)
# Part of the room of a vertex that rounding leaves it.
CAUTION = wp.constant(0.99)


@wp.func
def of_both(pair: Pair, ways: wp.array[float]):
    """The longest of the `ways` [m] of one side's vertices, and that of the other's, together."""
    own = float(0.0)
    other = float(0.0)
    for c in range(4):
        there = ways[pair.vertices[c]]
        if c < pair.kind:
            own = wp.max(own, there)
        else:
            other = wp.max(other, there)
    return own + other


@wp.func
def reach_of(pair: Pair, stride: wp.array[float]):
    """How far apart [m] a pair is near, as its vertices move."""
    least, most = LEAST_NEAR * pair.radius, (NEAR - 1.0) * pair.radius
    return pair.radius + wp.clamp(HASTE * of_both(pair, stride), least, most)


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
    x_seen: wp.array[wp.vec3],
    # out
    gone: wp.array[float],
    strayed: wp.array[float],
):
    """How far each vertex has gone since it was looked at, squared [m²], and since the room of its
    pairs was measured [m].
    """
    i = first + wp.tid()
    gone[i] = wp.length_sq(x[i] - x_looked[i])
    strayed[i] = wp.length(x[i] - x_seen[i])


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
    strayed: wp.array[float],
    # in and out
    glances: wp.array[Glance],
    # out
    touches: wp.array[Touch],
    state: wp.array[PairState],
    changed: wp.array[int],
):
    """Closest points and normals of pairs that are near, as they are now.

    The room between their sides is measured anew when an alarm was raised, as after every search,
    and what is told at a glance; it shrinks by what vertices have `strayed` since. `changed`
    vertices get other lists.
    """
    of_vertices = counts[OF_VERTICES]
    begin, end = share_of(first + wp.tid(), parts, of_vertices + counts[OF_EDGES])
    for p in range(begin, end):
        keeps = bool(False)
        if alarm[0] == 0:
            glance = glances[p]
            if glance.vertices[0] == NOWHERE:
                continue
            keeps = is_still(glance, gone)
            if keeps and stays(glance, state[p]):
                continue
        pair = pairs[p]
        room = state[p].gap
        if alarm[0] != 0:
            room = room_between(wp.where(p < of_vertices, VERTEX_TRIANGLE, EDGE_EDGE), pair, x)
            state[p].gap = room
            glances[p] = glance_at(pair, room)
        else:
            room = wp.max(LEFT * room, room - of_both(pair, strayed))
        near = int(0)
        reach = reach_if_near(pair, room, stride)
        if reach > 0.0:
            if keeps:
                continue
            if p < of_vertices:
                touch, near = vertex_triangle_touch(p, pair, reach, pulled, x, x_start)
                if near != 0:
                    touches[p] = touch
            else:
                across, near = edge_edge_touch(p, pair, reach, pulled, x, x_start)
                if near != 0:
                    touches[p] = across
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
