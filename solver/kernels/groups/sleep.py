# SPDX-License-Identifier: GPL-3.0-or-later
"""Sleep: how long bodies have been at rest, and which of them sleep.

Bodies with listed pairs between them, and attached ones, sleep and wake together.
"""

import warp as wp

from ..contact.detection.pair_counts import ALL
from ..contact.pairs import Pair, SurfaceArrays
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from ..device.union_find import join, root_of

wp.set_module_options(OPTIONS)


@wp.kernel
def count_rest(
    first: int,
    chunks: Chunks,
    x: wp.array[wp.vec3],
    distance: wp.array[float],
    # in and out
    place: wp.array[wp.vec3],
    steps: wp.array[int],
):
    """Count the `steps` [chunk] since any vertex of a chunk was farther than a `distance` [chunk,
    m] from its `place` [vertex]; then all of these become the present ones. One thread per chunk.
    """
    chunk = first + wp.tid()
    rests = bool(True)
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        # Positions that are not finite are not at rest.
        if not (wp.length(x[i] - place[i]) <= distance[chunk]):
            rests = False
    if rests:
        steps[chunk] = steps[chunk] + 1
        return
    steps[chunk] = 0
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        place[i] = x[i]


@wp.kernel
def decide(
    steps: wp.array[int],
    enough: int,
    # out
    is_awake: wp.array[int],
):
    """Set `is_awake` if any chunk has moved within the last `enough` steps. One thread per chunk;
    all of them write the same value.
    """
    if steps[wp.tid()] < enough:
        is_awake[0] = 1


@wp.kernel
def restart(
    chunks: Chunks,
    driven: wp.array[int],
    # in and out
    steps: wp.array[int],
):
    """Count from 0 in all chunks of `driven` bodies [body]."""
    chunk = wp.tid()
    if driven[chunks.owner[chunk]] != 0:
        steps[chunk] = 0


@wp.struct
class Sleepers:
    """Sleep of bodies, all [body]."""

    attached: wp.array[int]  # the first body of those that are attached to it
    may_sleep: wp.array[int]
    parent: wp.array[int]
    wakes: wp.array[int]  # 1 where the body moves or is moved, and at its root of `parent`


@wp.kernel
def begin(
    chunks: Chunks,
    steps: wp.array[int],
    enough: int,
    asleep: wp.array[int],
    # out
    sleepers: Sleepers,
    changes: wp.array[int],
):
    """Find bodies that have moved within the last `enough` steps; set `changes` if any body sleeps
    or may. One thread per body.
    """
    b = wp.tid()
    is_quiet = sleepers.may_sleep[b] != 0
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        if steps[chunk] < enough:
            is_quiet = False
    sleepers.parent[b] = sleepers.attached[b]
    sleepers.wakes[b] = wp.where(is_quiet, 0, 1)
    if is_quiet or asleep[b] != 0:
        changes[0] = 1


@wp.func
def moves(i: int, x_start: wp.array[wp.vec3], goal: wp.array[wp.vec3]):
    """Return whether animation moves vertex i of a collider in this substep."""
    return wp.length_sq(goal[i] - x_start[i]) > 0.0


@wp.kernel
def join_near(
    shares: int,
    counts: wp.array[int],
    pairs: wp.array[Pair],
    surface: SurfaceArrays,
    x_start: wp.array[wp.vec3],
    goal: wp.array[wp.vec3],
    # in and out
    sleepers: Sleepers,
):
    """Join bodies with pairs between them, and wake those with pairs of moving colliders."""
    for p in range(wp.tid(), counts[ALL], shares):
        v = pairs[p].vertices
        a = surface.body[v[0]]
        b = surface.body[v[3]]
        if a < surface.deformable and b < surface.deformable:
            if a != b:
                join(a, b, sleepers.parent)
        else:
            for c in range(4):
                if v[c] >= surface.collider_start and v[c] < surface.point_start:
                    if moves(v[c], x_start, goal):
                        sleepers.wakes[wp.min(a, b)] = 1


@wp.kernel
def wake_neighbors(
    # in and out
    sleepers: Sleepers,
):
    """Wake the roots of all that is awake."""
    b = wp.tid()
    if sleepers.wakes[b] != 0:
        sleepers.wakes[root_of(b, sleepers.parent)] = 1


@wp.kernel
def mark(
    sleepers: Sleepers,
    # out
    asleep: wp.array[int],
):
    """Mark the bodies that sleep."""
    b = wp.tid()
    asleep[b] = 1 - sleepers.wakes[root_of(b, sleepers.parent)]


@wp.kernel
def mark_vertices(
    first: int,
    body: wp.array[int],
    of_body: wp.array[int],
    # out
    asleep: wp.array[int],
):
    """Mark the vertices of bodies that sleep."""
    i = first + wp.tid()
    asleep[i] = of_body[body[i]]


@wp.kernel
def hold(
    first: int,
    x_start: wp.array[wp.vec3],
    asleep: wp.array[int],
    # out
    guess: wp.array[wp.vec3],
):
    """Let the vertices of bodies that sleep stay in place."""
    i = first + wp.tid()
    if asleep[i] != 0:
        guess[i] = x_start[i]
