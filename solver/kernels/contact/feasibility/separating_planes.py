# SPDX-License-Identifier: GPL-3.0-or-later
"""Normals of planes that separate the two sides of a pair.

Closest points alone are no proof: where edges are nearly parallel, float32 finds some that are not
the closest ones, and the direction between those may not separate the edges. But the gap along any
direction can be computed, none exceeds the distance, and of a few directions one attains it.
"""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import EDGE_EDGE, Pair, across, pair_normal

wp.set_module_options(OPTIONS)

# The sides of a pair stay this fraction of their contact distance apart, ...
FLOOR = wp.constant(1.0e-3)
# ... and this fraction of all addends of their gap: several times its rounding.
ROUNDING = wp.constant(1.0e-6)
# Rounding takes less from a gap than this fraction of the least distance that is kept for it.
LOST = wp.constant(0.25)
# A normal is good if its gap is this fraction of a distance no smaller than the true one.
WELL = wp.constant(0.9)


@wp.func
def gap_along(kind: int, n: wp.vec3, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return the gap [m] that a direction n from B to A leaves between the sides of a pair;
    negative if it does not separate them.
    """
    a = x[v[0]]
    lowest = float(0.0)
    highest = wp.max(wp.dot(n, x[v[2]] - a), wp.dot(n, x[v[3]] - a))
    b = wp.dot(n, x[v[1]] - a)
    if kind == EDGE_EDGE:
        lowest = wp.min(b, 0.0)
    else:
        highest = wp.max(highest, b)
    return lowest - highest


@wp.func
def rounding_along(n: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3, d: wp.vec3):
    """Return the largest rounding of gaps between four points along a unit vector [m]."""
    size = wp.abs(n)
    most = wp.max(wp.dot(size, wp.abs(b - a)), wp.dot(size, wp.abs(c - a)))
    most = wp.max(most, wp.dot(size, wp.abs(d - a)))
    return ROUNDING * (wp.dot(size, wp.abs(a)) + most)


@wp.func
def least_distance(pair: Pair, x: wp.array[wp.vec3]):
    """Return how far apart the sides of a pair stay along its normal [m]."""
    v = pair.vertices
    rounding = rounding_along(pair.plane_normal, x[v[0]], x[v[1]], x[v[2]], x[v[3]])
    return FLOOR * pair.radius + rounding


@wp.func
def slack_between(kind: int, pair: Pair, x: wp.array[wp.vec3]):
    """Return how much nearer the sides of a pair may come along its normal [m]."""
    return gap_along(kind, pair.plane_normal, pair.vertices, x) - least_distance(pair, x)


@wp.func
def is_separating(pair: Pair, n: wp.vec3, x: wp.array[wp.vec3]):
    """Return whether a direction leaves more between the sides of a pair than rounding can make."""
    v = pair.vertices
    rounding = LOST * rounding_along(n, x[v[0]], x[v[1]], x[v[2]], x[v[3]])
    return gap_along(pair.kind, n, v, x) > rounding


@wp.func
def leaves_any_gap(kind: int, n: wp.vec3, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return whether a direction n from B to A leaves any gap between them: in float64, which holds
    differences of positions exactly.
    """
    along = wp.vec3d(n)
    a = wp.vec3d(x[v[0]])
    b = wp.dot(along, wp.vec3d(x[v[1]]) - a)
    c = wp.dot(along, wp.vec3d(x[v[2]]) - a)
    d = wp.dot(along, wp.vec3d(x[v[3]]) - a)
    highest = wp.max(c, d)
    lowest = wp.float64(0.0)
    if kind == EDGE_EDGE:
        lowest = wp.min(b, lowest)
    else:
        highest = wp.max(highest, b)
    return lowest > highest


@wp.func
def normal_to(u: wp.vec3, t: wp.vec3):
    """Return a vector normal to two others to within rounding, however small the angle between them
    is; 0 if there is none.
    """
    n = wp.cross(u, t)
    uu = wp.max(wp.length_sq(u), 1.0e-30)
    aside = t - (wp.dot(t, u) / uu) * u
    for _ in range(2):
        n = wp.normalize(n)
        n -= (wp.dot(n, u) / uu) * u
        n -= (wp.dot(n, aside) / wp.max(wp.length_sq(aside), 1.0e-30)) * aside
    return wp.normalize(n)


@wp.func
def better(kind: int, best: wp.vec3, other: wp.vec3, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return that of two directions which leaves the larger gap; the second may have any length,
    and is ignored without one.
    """
    n = wp.normalize(other)
    if wp.length_sq(n) > 0.0:
        if wp.length_sq(best) == 0.0 or gap_along(kind, n, v, x) > gap_along(kind, best, v, x):
            return n
    return best


@wp.func
def best_to_edge(
    kind: int,
    best: wp.vec3,
    away: wp.vec3,
    along: wp.vec3,
    v: wp.vec4i,
    x: wp.array[wp.vec3],
):
    """Return the best of `best` and those directions in which a point may be closest to an edge
    `along`; `away` lies between its beginning and the point.
    """
    n = better(kind, best, away, v, x)
    n = better(kind, n, away - along, v, x)
    return better(kind, n, across(away, along), v, x)


@wp.func
def best_normal(kind: int, best: wp.vec3, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return the best of `best` and the directions of all features that may be closest: its gap is
    the distance, but for rounding.
    """
    a = x[v[0]]
    b = x[v[1]]
    c = x[v[2]]
    d = x[v[3]]
    n = best
    if kind == EDGE_EDGE:
        both = normal_to(b - a, d - c)
        n = better(kind, n, both, v, x)
        n = better(kind, n, -both, v, x)
        n = best_to_edge(kind, n, a - c, d - c, v, x)
        n = best_to_edge(kind, n, b - c, d - c, v, x)
        # Of A's edge with the opposite sign: the normal points away from B.
        n = better(kind, n, across(a - c, b - a), v, x)
        n = better(kind, n, across(a - d, b - a), v, x)
    else:
        face = normal_to(c - b, d - b)
        n = better(kind, n, face, v, x)
        n = better(kind, n, -face, v, x)
        n = best_to_edge(kind, n, a - b, c - b, v, x)
        n = best_to_edge(kind, n, a - c, d - c, v, x)
        n = best_to_edge(kind, n, a - d, b - d, v, x)
    return n


@wp.func
def separating_normal(kind: int, w: wp.vec4, v: wp.vec4i, x: wp.array[wp.vec3], toward: wp.vec3):
    """Return the `pair_normal`, or another direction that separates the sides better."""
    n = pair_normal(kind, w, v, x, toward)
    if gap_along(kind, n, v, x) < WELL * wp.length(toward):
        n = best_normal(kind, n, v, x)
    return n
