# SPDX-License-Identifier: GPL-3.0-or-later
"""What bodies do together changes no distance between them, but for rounding.

Coordinates lose digits as they get larger: what lies on a thing that flies far away may end on the
other side of it. So pairs within a group are looked at where it has got. A gap that is more than
rounding can make was there all the way; with less than that all of a pair has to move alike, or any
gap that there was to be left.
"""

import warp as wp

from ..contact.detection.pair_counts import OF_EDGES, OF_VERTICES
from ..contact.feasibility.separating_planes import leaves_any_gap, parting_normal, parts_them
from ..contact.pairs import Pair, SurfaceArrays, signed_weights, weighted
from ..device.options import QUICK
from ..device.thread_shares import share_of

wp.set_module_options(QUICK)


@wp.func
def moves_alike(v: wp.vec4i, before: wp.array[wp.vec3], x: wp.array[wp.vec3]):
    """Whether all vertices of a pair have moved by the same, to the last digit."""
    displacement = wp.vec3d(x[v[0]]) - wp.vec3d(before[v[0]])
    apart = wp.float64(0.0)
    for c in range(1, 4):
        other = wp.vec3d(x[v[c]]) - wp.vec3d(before[v[c]])
        apart = wp.max(apart, wp.length_sq(other - displacement))
    return apart == wp.float64(0.0)


@wp.func
def normal_of(pair: Pair, x: wp.array[wp.vec3]):
    """A direction that parts the sides of a pair, if there is one."""
    v = pair.vertices
    weights = signed_weights(pair.kind, v, x)
    return parting_normal(pair.kind, weights, v, x, weighted(weights, v, x))


@wp.func
def stays_separated(pair: Pair, before: wp.array[wp.vec3], x: wp.array[wp.vec3]):
    """Whether the sides of a pair have stayed apart on a move from `before` to x that changes no
    distance but for rounding. What was nearer than that, but apart, has to be left any gap along
    one direction all the way: each side may have come to the other side of it. What was not even
    apart cannot.
    """
    if parts_them(pair, pair.found_normal, x) or moves_alike(pair.vertices, before, x):
        return True
    now, then = normal_of(pair, x), normal_of(pair, before)
    if parts_them(pair, now, x):
        return True
    if parts_them(pair, then, before):
        return False
    kind, v = pair.kind, pair.vertices
    if not leaves_any_gap(kind, then, v, before) or leaves_any_gap(kind, then, v, x):
        return True
    return leaves_any_gap(kind, now, v, before) and leaves_any_gap(kind, now, v, x)


@wp.kernel
def find_changed(
    shares: int,
    before: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    counts: wp.array[int],
    pairs: wp.array[Pair],
    surface: SurfaceArrays,
    group: wp.array[int],
    # in and out
    unmoved: wp.array[int],
    # out
    any_changed: wp.array[int],
):
    """Mark the groups that should have stayed, as they have not kept a pair as it was `before`
    their move to x, and whether there are any.
    """
    begin, end = share_of(wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        v = pairs[p].vertices
        one = surface.body[v[0]]
        other = surface.body[v[3]]
        if wp.max(one, other) < group.shape[0]:
            g = group[one]
            if group[other] == g and unmoved[g] == 0:
                if not stays_separated(pairs[p], before, x):
                    unmoved[g] = 1
                    any_changed[0] = 1


@wp.kernel
def restore(
    first: int,
    saved: wp.array[wp.vec3],
    body: wp.array[int],
    group: wp.array[int],
    unmoved: wp.array[int],
    # out
    x: wp.array[wp.vec3],
):
    """Let the vertices of groups that stay be where they were kept."""
    i = first + wp.tid()
    if unmoved[group[body[i]]] != 0:
        x[i] = saved[i]
