# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of common moves: they change no distance inside a group, except by rounding.

Coordinates lose digits as they grow: a body that lies on another one, which flies far away, may end
on its other side. So pairs within a group are checked after a move. A gap larger than rounding was
open all along; with a smaller one all vertices of a pair have to move by the same, or some of an
open gap has to be left.
"""

import warp as wp

from ..contact.detection.pair_counts import OF_EDGES, OF_VERTICES
from ..contact.feasibility.separating_planes import is_separating, leaves_any_gap, separating_normal
from ..contact.pairs import Pair, SurfaceArrays, signed_weights, weighted
from ..device.options import OPTIONS
from ..device.thread_shares import share_of

wp.set_module_options(OPTIONS)


@wp.func
def moves_alike(v: wp.vec4i, before: wp.array[wp.vec3], x: wp.array[wp.vec3]):
    """True where all vertices of a pair have moved by the same, to the last digit."""
    displacement = wp.vec3d(x[v[0]]) - wp.vec3d(before[v[0]])
    apart = wp.float64(0.0)
    for c in range(1, 4):
        other = wp.vec3d(x[v[c]]) - wp.vec3d(before[v[c]])
        apart = wp.max(apart, wp.length_sq(other - displacement))
    return apart == wp.float64(0.0)


@wp.func
def normal_of(pair: Pair, x: wp.array[wp.vec3]):
    """A direction that separates the sides of a pair, if there is one."""
    v = pair.vertices
    weights = signed_weights(pair.kind, v, x)
    return separating_normal(pair.kind, weights, v, x, weighted(weights, v, x))


@wp.func
def stays_separated(pair: Pair, before: wp.array[wp.vec3], x: wp.array[wp.vec3]):
    """True where the sides of a pair stay separated on a move from `before` to x that changes no
    distance except by rounding. Sides nearer than that, but separated, must keep a gap along one
    direction all along, or they may have passed through. Other sides cannot.

    Smooth skins, whose offsets do not turn, and rigid bodies, which turn at the end of a straight
    path, change distances by more. What passes through there is separated before and after, but
    from the other side.
    """
    if is_separating(pair, pair.plane_normal, x) or moves_alike(pair.vertices, before, x):
        return True
    now, then = normal_of(pair, x), normal_of(pair, before)
    if is_separating(pair, now, x):
        return wp.dot(now, then) > 0.0 or not is_separating(pair, then, before)
    if is_separating(pair, then, before):
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
    """Mark groups as `unmoved` if a pair of theirs does not stay separated on the move from
    `before` to x, and set `any_changed` if there are any.
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
    """Restore the saved positions of unmoved groups."""
    i = first + wp.tid()
    if unmoved[group[body[i]]] != 0:
        x[i] = saved[i]
