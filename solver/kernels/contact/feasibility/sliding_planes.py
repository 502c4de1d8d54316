# SPDX-License-Identifier: GPL-3.0-or-later
"""Normals of separating planes along which the sides of a pair may slide.

A body that slides over a mesh approaches triangles and edges that lie ahead of it in the same
plane. The direction between the closest points, which leaves the largest gap, points along its
path, and a plane across the path would end it. A direction across the path leaves a smaller gap,
but none of that is used up.
"""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import VERTEX_TRIANGLE, Pair, weighted
from .plane_bounds import SAFETY
from .separating_planes import gap_along, normal_to, rounding_along

wp.set_module_options(OPTIONS)

# A direction allows sliding when its gap is more than this fraction of the contact distance, ...
BESIDE = wp.constant(0.25)
# ... and more than this many times its rounding.
ABOVE_ROUNDING = wp.constant(10.0)


@wp.func
def approach_along(kind: int, n: wp.vec3, v: wp.vec4i, path: wp.array[wp.vec3]):
    """Return the most by which both sides of a pair approach along n on their paths [m]."""
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
def better_sliding(
    pair: Pair,
    best: wp.vec3,
    other: wp.vec3,
    x: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
):
    """Return that of two directions of whose gap the paths use up less.

    The second, of any length, must leave a good fraction of the contact distance: bodies are to
    slide beside, not along the surfaces that they touch.
    """
    v = pair.vertices
    kind = pair.kind
    n = wp.normalize(other)
    gap = gap_along(kind, n, v, x)
    least = ABOVE_ROUNDING * rounding_along(n, x[v[0]], x[v[1]], x[v[2]], x[v[3]])
    result = best
    if gap > wp.max(BESIDE * pair.radius, least):
        used = approach_along(kind, n, v, path)
        if used * gap_along(kind, best, v, x) < gap * approach_along(kind, best, v, path):
            result = n
    return result


@wp.func
def better_sliding_sign(
    pair: Pair,
    best: wp.vec3,
    other: wp.vec3,
    x: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
):
    """Return `better_sliding` of a direction with either sign."""
    return better_sliding(pair, better_sliding(pair, best, other, x, path), -other, x, path)


@wp.func
def blocks_paths(kind: int, n: wp.vec3, v: wp.vec4i, x: wp.array[wp.vec3], path: wp.array[wp.vec3]):
    """Return whether the plane of a pair across n would end the paths of its sides."""
    return not approach_along(kind, n, v, path) < SAFETY * gap_along(kind, n, v, x)


@wp.func
def sliding_normal(
    pair: Pair,
    n: wp.vec3,
    weights: wp.vec4,
    x: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
):
    """Return a direction from B to A that lets the sides of a pair go farther on their paths than
    n, whose plane `blocks_paths`; n if there is none.
    """
    v = pair.vertices
    slide = weighted(weights, v, path)
    gap = weighted(weights, v, x)
    aside = gap - (wp.dot(gap, slide) / wp.max(wp.length_sq(slide), 1.0e-30)) * slide
    best = better_sliding(pair, n, aside, x, path)
    u = x[v[1]] - x[v[0]]
    if pair.kind == VERTEX_TRIANGLE:
        u = x[v[2]] - x[v[1]]
        best = better_sliding_sign(pair, best, wp.cross(slide, x[v[3]] - x[v[1]]), x, path)
    t = x[v[3]] - x[v[2]]
    best = better_sliding_sign(pair, best, wp.cross(slide, u), x, path)
    best = better_sliding_sign(pair, best, wp.cross(slide, t), x, path)
    return better_sliding_sign(pair, best, normal_to(u, t), x, path)
