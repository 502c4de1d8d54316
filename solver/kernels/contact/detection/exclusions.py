# SPDX-License-Identifier: GPL-3.0-or-later
"""Exclusions: pairs that are joined, kinematic or together at rest, and so no contact."""

import warp as wp

from ..feasibility.separating_planes import LOST, rounding_along
from ..pairs import EDGE_EDGE, VERTEX_TRIANGLE, SurfaceArrays, bit_of, signed_weights, weighted


@wp.func
def belongs(v: int, t: wp.vec3i, surface: SurfaceArrays):
    """Return whether vertex v is a corner of triangle t, or attached to one."""
    j = surface.joint[v]
    return surface.joint[t[0]] == j or surface.joint[t[1]] == j or surface.joint[t[2]] == j


@wp.func
def are_joined(e: wp.vec2i, f: wp.vec2i, surface: SurfaceArrays):
    """Return whether edges e and f have a vertex in common, or attached ones."""
    a = surface.joint[e[0]]
    b = surface.joint[e[1]]
    c = surface.joint[f[0]]
    d = surface.joint[f[1]]
    return a == c or a == d or b == c or b == d


@wp.func
def is_kinematic(v: int, surface: SurfaceArrays):
    """Return whether animation moves vertex v."""
    return v >= surface.kinematic_start and v < surface.point_start


@wp.func
def excludes(v: int, there: int, surface: SurfaceArrays):
    """Return whether vertex v excludes a body, or is a collider's."""
    is_excluded = surface.excluded[v] & bit_of(there) != 0
    return is_excluded or (v >= surface.collider_start and is_kinematic(v, surface))


@wp.func
def are_excluded(kind: int, v: wp.vec4i, surface: SurfaceArrays):
    """Return whether a pair of two bodies is kinematic as a whole, or excluded by a vertex on each
    side (kinematic_pairs.py).
    """
    here = surface.body[v[0]]
    there = surface.body[v[3]]
    if here == there:
        return False
    one = bool(False)
    other = bool(False)
    kinematic = bool(True)
    for c in range(4):
        kinematic = kinematic and is_kinematic(v[c], surface)
        if c < kind:
            one = one or excludes(v[c], there, surface)
        else:
            other = other or excludes(v[c], here, surface)
    return kinematic or (one and other)


@wp.func
def is_no_gap(kind: int, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return whether the gap of a pair at x is within rounding."""
    gap = weighted(signed_weights(kind, v, x), v, x)
    rounding = rounding_along(wp.normalize(gap), x[v[0]], x[v[1]], x[v[2]], x[v[3]])
    return wp.length(gap) <= LOST * rounding


@wp.func
def lay_in_each_other(kind: int, v: wp.vec4i, surface: SurfaceArrays):
    """Return whether the sides of a pair of one body touch at rest and as the scene begins, such as
    those of a seam that is not merged: like neighbors, they are not held apart.
    """
    if surface.body[v[0]] != surface.body[v[3]]:
        return False
    return is_no_gap(kind, v, surface.rest) and is_no_gap(kind, v, surface.start)


@wp.func
def lay_in_triangle(e: wp.vec2i, t: wp.vec3i, surface: SurfaceArrays):
    """Return whether an edge and a triangle do, in the same way."""
    lay = bool(False)
    for k in range(2):
        end = wp.vec4i(e[k], t[0], t[1], t[2])
        lay = lay or lay_in_each_other(VERTEX_TRIANGLE, end, surface)
    for k in range(3):
        side = wp.vec4i(e[0], e[1], t[k], t[(k + 1) % 3])
        lay = lay or lay_in_each_other(EDGE_EDGE, side, surface)
    return lay
