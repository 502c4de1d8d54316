# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions that part a pair and let its sides go past each other.

What slides over a mesh comes past triangles and edges that lie ahead of it in the same plane. The
direction between the closest points, which leaves the largest gap, points along the way there, and
a plane across the way would end it. A direction across the way leaves less, but none of that is
used up.
"""

import warp as wp

from ..options import QUICK
from .pairs import VERTEX_TRIANGLE, weighted
from .parting import gap_along, normal_to
from .planes import KEPT

wp.set_module_options(QUICK)


@wp.func
def approach_along(kind: int, n: wp.vec3, v: wp.vec4i, path: wp.array[wp.vec3]):
    """How far both sides of a pair at most come towards each other along n on their paths [m]."""
    a = float(0.0)
    b = float(0.0)
    for c in range(4):
        along = wp.dot(n, path[v[c]])
        if c < kind:
            a = wp.max(a, -along)
        else:
            b = wp.max(b, along)
    return a + b


@wp.func
def freer(
    kind: int,
    best: wp.vec3,
    other: wp.vec3,
    v: wp.vec4i,
    x: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
):
    """That of two directions, the latter of any length, of whose gap the paths use up less."""
    n = wp.normalize(other)
    gap = gap_along(kind, n, v, x)
    freest = best
    if gap > 0.0:
        used = approach_along(kind, n, v, path)
        if used * gap_along(kind, best, v, x) < gap * approach_along(kind, best, v, path):
            freest = n
    return freest


@wp.func
def freer_side(
    kind: int,
    best: wp.vec3,
    other: wp.vec3,
    v: wp.vec4i,
    x: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
):
    """The same of a direction either way round."""
    return freer(kind, freer(kind, best, other, v, x, path), -other, v, x, path)


@wp.func
def passing_normal(
    kind: int,
    n: wp.vec3,
    weights: wp.vec4,
    v: wp.vec4i,
    x: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
):
    """The direction n from B to A, or where the plane across it would end the paths of the sides
    one that lets them go farther.
    """
    if approach_along(kind, n, v, path) < KEPT * gap_along(kind, n, v, x):
        return n
    way = weighted(weights, v, path)
    gap = weighted(weights, v, x)
    aside = gap - (wp.dot(gap, way) / wp.max(wp.length_sq(way), 1.0e-30)) * way
    best = freer(kind, n, aside, v, x, path)
    u = x[v[1]] - x[v[0]]
    if kind == VERTEX_TRIANGLE:
        u = x[v[2]] - x[v[1]]
        best = freer_side(kind, best, wp.cross(way, x[v[3]] - x[v[1]]), v, x, path)
    t = x[v[3]] - x[v[2]]
    best = freer_side(kind, best, wp.cross(way, u), v, x, path)
    best = freer_side(kind, best, wp.cross(way, t), v, x, path)
    return freer_side(kind, best, normal_to(u, t), v, x, path)
