# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of the faces, edges and corners of surfaces.

A point lies in the block of a feature where nothing of the surface near that feature is closer to
it (Chen et al., "Offset Geometric Contact", 2025, §3.2).
"""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import across

wp.set_module_options(OPTIONS)

# Blocks are wider by this fraction of the distance, and by this one of the coordinates.
BAND = wp.constant(1.0e-3)
ROUNDING = wp.constant(2.0e-7)
# Weights smaller than this may be those of an edge or a corner within that band.
SMALL = wp.constant(1.0e-3)
# Sine of the angle to the block of an edge beyond which directions are not turned into it.
FADE = wp.constant(0.1)
# In place of the third corners of more than two triangles at an edge.
MANY = wp.constant(-2)


@wp.struct
class Neighborhoods:
    """The edges around every vertex v of surfaces, from start[v] up to start[v + 1].

    Each has its other end, and the third corners of its triangles: -1 where there is none, MANY
    where there are more than two.
    """

    start: wp.array[int]
    edges: wp.array[wp.vec3i]
    stiffness: wp.array[float]  # the largest of a vertex's contacts [N/m], as in `ContactState`


@wp.func
def third_corners(a: int, b: int, around: Neighborhoods):
    """Return the third corners of the triangles at edge ab."""
    corners = wp.vec2i(-1, -1)
    for k in range(around.start[a], around.start[a + 1]):
        edge = around.edges[k]
        if edge[0] == b:
            corners = wp.vec2i(edge[1], edge[2])
    return corners


@wp.func
def margin_of(point: wp.vec3, gap: wp.vec3):
    """Return how far [m] a block reaches into its neighbors at a point at the end of `gap`."""
    return BAND * wp.length(gap) + ROUNDING * wp.length(point)


@wp.func
def is_at_corner(point: wp.vec3, c: int, x: wp.array[wp.vec3], around: Neighborhoods):
    """Return whether a point lies in the block of corner c: beyond the ends of all its edges."""
    gap = point - x[c]
    margin = margin_of(point, gap)
    for k in range(around.start[c], around.start[c + 1]):
        edge = x[around.edges[k][0]] - x[c]
        if wp.dot(gap, edge) > margin * wp.length(edge):
            return False
    return True


@wp.func
def is_at_edge(point: wp.vec3, a: int, b: int, x: wp.array[wp.vec3], around: Neighborhoods):
    """Return whether a point lies in the block of edge ab: beside it, and beyond its triangles.

    All triangles of the edge get the same result, to the last bit.
    """
    first = wp.min(a, b)
    origin = x[first]
    edge = x[wp.max(a, b)] - origin
    gap = point - origin
    along = wp.dot(gap, edge)
    if along <= 0.0 or along >= wp.length_sq(edge):
        return False
    gap = across(gap, edge)
    margin = margin_of(point, gap)
    corners = third_corners(first, wp.max(a, b), around)
    for k in range(2):
        if corners[k] >= 0:
            inward = across(x[corners[k]] - origin, edge)
            if wp.dot(gap, inward) > margin * wp.length(inward):
                return False
    return True


@wp.func
def is_in_block(v: wp.vec4i, weights: wp.vec4, x: wp.array[wp.vec3], around: Neighborhoods):
    """Return whether the vertex of a pair lies in the block of the face, edge or corner that is
    closest to it, with these weights (pairs.py).
    """
    point = x[v[0]]
    for c in range(1, 4):
        if weights[c] < SMALL - 1.0 and is_at_corner(point, v[c], x, around):
            return True
    for c in range(1, 4):
        if weights[c] > -SMALL and is_at_edge(point, v[1 + c % 3], v[1 + (c + 1) % 3], x, around):
            return True
    return wp.max(wp.max(weights[1], weights[2]), weights[3]) < 0.0


@wp.func
def is_of_rod(a: int, b: int, around: Neighborhoods):
    """Return whether edge ab belongs to no triangle."""
    return third_corners(a, b, around)[0] == -1


@wp.func
def end_of(a: int, b: int, weight: float):
    """Return the end of edge ab with the closest point, -1 if that is inside: `weight` is b's."""
    end = wp.where(weight >= 1.0, b, -1)
    return wp.where(weight <= 0.0, a, end)


@wp.func
def counts_at_end(
    end: int, a: int, b: int, point: wp.vec3, x: wp.array[wp.vec3], around: Neighborhoods
):
    """Return whether edge ab counts for a point that is closest to its `end`: the first one of the
    edges there, in the block of that corner. If the closest point is inside (-1), it does.
    """
    if end < 0:
        return True
    other = wp.where(end == a, b, a)
    is_first_edge = around.edges[around.start[end]][0] == other
    return is_first_edge and is_at_corner(point, end, x, around)


@wp.func
def counts_with_rod(weights: wp.vec4, v: wp.vec4i, x: wp.array[wp.vec3], around: Neighborhoods):
    """Return whether a pair of edges counts, one of which at least belongs to a rod. Ends of rods
    at triangles are vertices, which have pairs with these.
    """
    end_a = end_of(v[0], v[1], weights[1])
    end_b = end_of(v[2], v[3], -weights[3])
    a_is_rod = is_of_rod(v[0], v[1], around)
    b_is_rod = is_of_rod(v[2], v[3], around)
    if (end_a >= 0 and a_is_rod and not b_is_rod) or (end_b >= 0 and b_is_rod and not a_is_rod):
        return False
    at_a = weights[0] * x[v[0]] + weights[1] * x[v[1]]
    at_b = -(weights[2] * x[v[2]] + weights[3] * x[v[3]])
    return counts_at_end(end_a, v[0], v[1], at_b, x, around) and counts_at_end(
        end_b, v[2], v[3], at_a, x, around
    )


@wp.func
def into_block(toward: wp.vec3, a: int, b: int, x: wp.array[wp.vec3], around: Neighborhoods):
    """Return a unit direction near `toward`, a unit vector normal to edge ab: the nearest one in
    the block of the edge if that is close, turning smoothly into `toward` if it is not.
    """
    direction = toward
    edge = x[b] - x[a]
    corners = third_corners(a, b, around)
    for k in range(2):
        if corners[k] >= 0:
            inward = wp.normalize(across(x[corners[k]] - x[a], edge))
            beyond = wp.dot(toward, inward)
            if beyond > 0.0:
                c = wp.max(0.0, 1.0 - beyond / FADE)
                direction -= (c * (2.0 - c) * beyond) * inward
    return wp.normalize(direction)
