# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of near pairs for their vertices: closest points, normals, stiffness."""

import warp as wp

from ...device.options import OPTIONS
from ..law import tangential
from ..pairs import EDGE_EDGE, VERTEX_TRIANGLE, Pair, Touch, exact_gap, pair_normal, signed_weights
from .closest import TOUCHING
from .distance import parallelism
from .features import Neighborhoods, counts_with_rod, into_block

wp.set_module_options(OPTIONS)

# Edges that cross farther from their ends than this fraction of their length count in full.
CROSSING = wp.constant(0.1)


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
def stiffness_between(kind: int, w: wp.vec4, v: wp.vec4i, stiffness: wp.array[float]):
    """Return the largest stiffness [N/m] of a contact: that of its softer side, in the mean of the
    side's vertices with the weights w. So it is continuous from triangle to triangle.
    """
    first = w[0] * stiffness[v[0]]
    second = w[1] * stiffness[v[1]]
    rest = -(w[2] * stiffness[v[2]] + w[3] * stiffness[v[3]])
    if kind == VERTEX_TRIANGLE:
        return wp.min(first, rest - second)
    return wp.min(first + second, rest)


@wp.func
def near_touch(
    kind: int, pair: Pair, weights: wp.vec4, stiffness: float, reach: float, x: wp.array[wp.vec3]
):
    """Return the `Touch` of a pair within `reach` [m], without its start, and a bit per corner it
    may act on.
    """
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
        touch.radius = pair.radius
        touch.friction = pair.friction
        touch.stiffness = stiffness
        for c in range(4):
            if weights[c] != 0.0:
                near += 1 << c
    return touch, near


@wp.func
def start_gap_of(touch: Touch, pulled: wp.vec3, x_start: wp.array[wp.vec3]):
    """Return the gap [m] that friction compares with (`Touch.start_gap`)."""
    return exact_gap(touch.weights, touch.vertices, x_start) - tangential(pulled, touch.normal)


@wp.func
def in_blocks(touch: Touch, near: int, with_rod: int, x: wp.array[wp.vec3], around: Neighborhoods):
    """Return the `Touch` of two edges, and its bits, turned into the blocks of both."""
    v = touch.vertices
    w = touch.weights
    bits = near
    if with_rod != 0 and not counts_with_rod(w, v, x, around):
        bits = 0
    elif near == 15:
        normal = into_block(touch.normal, v[2], v[3], x, around)
        touch.normal = -into_block(-normal, v[0], v[1], x, around)
    return touch, bits


@wp.func
def vertex_triangle_touch(
    p: int,
    pair: Pair,
    reach: float,
    pulled: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    around: Neighborhoods,
):
    """Return the `Touch` of pair p at x, and its bits: none beyond `reach` [m]."""
    weights = signed_weights(VERTEX_TRIANGLE, pair.vertices, x)
    stiffness = stiffness_between(VERTEX_TRIANGLE, weights, pair.vertices, around.stiffness)
    touch, near = near_touch(VERTEX_TRIANGLE, pair, weights, stiffness, reach, x)
    if near != 0:
        touch.start_gap = start_gap_of(touch, pulled[p], x_start)
    return touch, near


@wp.func
def edge_edge_touch(
    p: int,
    pair: Pair,
    reach: float,
    pulled: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    around: Neighborhoods,
):
    """Return the `Touch` of two edges: of triangles only where they cross, and less near ends."""
    touch = Touch()
    near = int(0)
    v = pair.vertices
    if pair.with_rod != 0 or lines_cross(v, x):
        weights = signed_weights(EDGE_EDGE, v, x)
        stiffness = stiffness_between(EDGE_EDGE, weights, v, around.stiffness)
        if pair.with_rod == 0:
            stiffness *= crossing(weights)
            stiffness *= parallelism(x[v[1]] - x[v[0]], x[v[3]] - x[v[2]])
        touch, near = near_touch(EDGE_EDGE, pair, weights, stiffness, reach, x)
        if near != 0:
            touch, near = in_blocks(touch, near, pair.with_rod, x, around)
            touch.start_gap = start_gap_of(touch, pulled[p], x_start)
    return touch, near
