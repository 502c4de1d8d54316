# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of near pairs for their vertices: closest points, normals, stiffness."""

import warp as wp

from ...device.options import OPTIONS
from ..law import tangential
from ..pairs import (
    EDGE_EDGE,
    ONLY_SEPARATED,
    VERTEX_TRIANGLE,
    Pair,
    Touch,
    exact_gap,
    pair_normal,
    signed_weights,
)
from .distance import parallelism

wp.set_module_options(OPTIONS)

# Edges that cross farther from their ends than this fraction of their length count in full.
CROSSING = wp.constant(0.1)
# Beyond a flat side the push of a triangle fades over this fraction of the contact distance.
BESIDE = wp.constant(0.1)
# A direction does not tell the side of a surface below this cosine of its angle to the normal.
STEEP = wp.constant(0.5)
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
def sides_of(weights: wp.vec4):
    """Return a bit, of the opposite corner, per side of a triangle with its closest point."""
    sides = int(0)
    for c in range(3):
        if weights[c + 1] == 0.0:
            sides += 1 << c
    return sides


@wp.func
def without_flat_side(touch: Touch, x: wp.array[wp.vec3]):
    """Return a touch beyond sides where the surface goes on flat: along the normal of its triangle,
    and weaker the farther it is from the triangle, since the neighbor pushes as well.

    It ends at an angle of 45°, before the side of the surface becomes uncertain.
    """
    v = touch.vertices
    gap = exact_gap(touch.weights, v, x)
    normal = wp.normalize(wp.cross(x[v[2]] - x[v[1]], x[v[3]] - x[v[1]]))
    height = wp.dot(normal, gap)
    aside = wp.length(gap - height * normal)
    width = wp.clamp(wp.abs(height), TOUCHING * touch.radius, BESIDE * touch.radius)
    share = wp.max(1.0 - aside / width, 0.0)
    facing = wp.dot(touch.normal, normal)
    touch.normal = wp.sign(facing) * normal
    touch.stiffness *= wp.where(wp.abs(facing) < STEEP, 0.0, share)
    return touch


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
    touch = Touch()
    near = int(0)
    if pair.flat != ONLY_SEPARATED:
        weights = signed_weights(VERTEX_TRIANGLE, pair.vertices, x)
        stiffness = pair.full_stiffness
        touch, near = refreshed(
            VERTEX_TRIANGLE, pair, weights, stiffness, reach, pulled[p], x, x_start
        )
        sides = sides_of(weights)
        if near != 0 and sides != 0 and (sides & pair.flat) == sides:
            touch = without_flat_side(touch, x)
            near = wp.where(touch.stiffness > 0.0, near, 0)
    return touch, near


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
    crosses = pair.with_rod != 0 or lines_cross(v, x)
    if crosses and pair.flat != ONLY_SEPARATED:
        weights = signed_weights(EDGE_EDGE, v, x)
        stiffness = pair.full_stiffness
        if pair.with_rod == 0:
            stiffness *= crossing(weights)
            stiffness *= parallelism(x[v[1]] - x[v[0]], x[v[3]] - x[v[2]])
        touch, near = refreshed(EDGE_EDGE, pair, weights, stiffness, reach, pulled[p], x, x_start)
    return touch, near
