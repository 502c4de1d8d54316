# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of near pairs for their vertices: closest points, normals, stiffness."""

import warp as wp

from ...device.options import OPTIONS
from ..law import tangential
from ..pairs import EDGE_EDGE, VERTEX_TRIANGLE, Pair, Touch, exact_gap, pair_normal, signed_weights
from .distance import parallelism

wp.set_module_options(OPTIONS)

# Edges that cross farther from their ends than this fraction of their length count in full.
CROSSING = wp.constant(0.1)
# Distances below this fraction of the contact distance have no direction.
TOUCHING = wp.constant(1.0e-3)


@wp.func
def lines_cross(v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return whether the closest points of the lines through two edges lie inside of both edges."""
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
    # In one comparison: four branches are unpredictable.
    return wp.min(wp.min(s, whole - s), wp.min(t, whole - t)) > 0.0


@wp.func
def crossing(weights: wp.vec4):
    """Return 1 for edges that cross well inside of both, falling smoothly to 0 at their ends.

    The end of a triangle's edge is a vertex, whose pairs with triangles represent it. Where two
    such vertices meet, all their edges would else count once more, 36 times on a regular mesh.
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
    """Return the `Touch` of a pair within `reach` [m], and a bit per corner it may act on."""
    touch = Touch()
    v = pair.vertices
    between = exact_gap(weights, v, x)
    distance = wp.length(between)
    near = int(0)
    if distance < reach and stiffness > 0.0:
        toward = between
        if distance <= TOUCHING * pair.radius:
            toward = pair.plane_normal
        touch.vertices = v
        touch.weights = weights
        touch.normal = pair_normal(kind, weights, v, x, toward)
        touch.start_gap = exact_gap(weights, v, x_start) - tangential(pulled, touch.normal)
        touch.radius = pair.radius
        touch.friction = pair.friction
        touch.stiffness = stiffness
        for c in range(4):
            if weights[c] != 0.0:
                near += 1 << c
    return touch, near


@wp.func
def vertex_triangle_touch(
    p: int,
    pair: Pair,
    reach: float,
    pulled: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
):
    """Return the `Touch` of pair p at x, and its bits: none beyond `reach` [m]."""
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
    """Return the `Touch` of two edges: of triangles only where they cross, and less near ends."""
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
