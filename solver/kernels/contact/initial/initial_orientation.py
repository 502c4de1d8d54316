# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientation of surfaces that touch as they begin: a cloth in the floor, a box on another one.

A gap of zero has no direction, and rounding makes a different one for each pair. So one of two
bodies is in front of the other: of a closed one, else of one that is held, or else of the later
one; behind it if it is so on the average, of two open bodies that are free.
"""

import warp as wp

from ...device.options import OPTIONS
from ..feasibility.separating_planes import (
    LOST,
    gap_along,
    is_separating,
    leaves_any_gap,
    normal_to,
    rounding_along,
)
from ..pairs import EDGE_EDGE, Pair, SurfaceArrays, across

wp.set_module_options(OPTIONS)

# Normals of a side that are this nearly perpendicular to a pair's do not orient it: then those at
# its closest points do, as for a diagonal of a wall that touches with its end.
CLEARLY = wp.constant(0.1)
# Those of one of both closest points may be perpendicular to it too, as at corners of two boxes of
# one size: beyond this cosine both sides orient it.
TIE = wp.constant(1.0e-3)
# Cosine of the largest angle between similar normals of one search and the next.
SIMILAR = wp.constant(0.9)
# Sides farther apart than this fraction of their contact distance are certainly separated.
NARROW = wp.constant(0.1)


@wp.func
def is_separated(pair: Pair, gap: wp.vec3, n: wp.vec3, x: wp.array[wp.vec3]):
    """Return whether a direction n separates a pair with this gap between its closest points."""
    if wp.length(gap) >= NARROW * pair.radius:
        return True
    return is_separating(pair, n, x)


@wp.func
def separates_as_before(pair: Pair, n: wp.vec3, previous: wp.vec3, x: wp.array[wp.vec3]):
    """Return whether a direction n that is similar to the previous normal leaves any gap between
    the sides of a pair, as small as it may be: they are apart, and on their previous sides.
    """
    is_similar = wp.dot(n, previous) > SIMILAR
    return is_similar and leaves_any_gap(pair.kind, n, pair.vertices, x)


@wp.func
def couple_of(a: int, b: int, surface: SurfaceArrays):
    """Return the place of two bodies in `surface.side`."""
    return wp.min(a, b) * surface.bodies + wp.max(a, b)


@wp.func
def facing_of(pair: Pair, weights: wp.vec4, surface: SurfaceArrays):
    """Return a direction from B to A in which one of two bodies is in front of the other: the sum
    of its corners' normals, each with the size of its weight; 0 where none is known.
    """
    a = surface.body[pair.vertices[0]]
    b = surface.body[pair.vertices[3]]
    of_a = wp.vec3(0.0)
    of_b = wp.vec3(0.0)
    if a == b:
        return of_a
    for c in range(4):
        if c < pair.kind:
            of_a += wp.abs(weights[c]) * surface.facing[pair.vertices[c]]
        else:
            of_b += wp.abs(weights[c]) * surface.facing[pair.vertices[c]]
    is_behind = surface.support_rank[a] > surface.support_rank[b]
    if surface.support_rank[a] == surface.support_rank[b]:
        is_behind = a > b
    side = float(surface.side[couple_of(a, b, surface)])
    # A rod faces nowhere.
    if wp.length_sq(of_b) == 0.0 or (is_behind and wp.length_sq(of_a) > 0.0):
        return -side * of_a
    return side * of_b


@wp.func
def is_tie(pair: Pair, normal: wp.vec3, facing: wp.vec3, surface: SurfaceArrays):
    """Return whether a direction does not orient the normal of a pair of two rigid bodies. All of
    their pairs must be right: one that is not holds all of a body.
    """
    a = surface.body[pair.vertices[0]]
    b = surface.body[pair.vertices[3]]
    unclear = wp.abs(wp.dot(normal, facing)) < TIE * wp.length(facing)
    return unclear and surface.rigid[a] != 0 and surface.rigid[b] != 0


@wp.func
def facing_of_both(pair: Pair, weights: wp.vec4, surface: SurfaceArrays):
    """Return the direction from B to A in which both of two bodies face at points with these signed
    weights.
    """
    facing = wp.vec3(0.0)
    for c in range(4):
        away = wp.abs(weights[c]) * surface.facing[pair.vertices[c]]
        facing += wp.where(c < pair.kind, -away, away)
    couple = couple_of(surface.body[pair.vertices[0]], surface.body[pair.vertices[3]], surface)
    return float(surface.side[couple]) * facing


@wp.func
def leaves_a_gap(kind: int, n: wp.vec3, v: wp.vec4i, x: wp.array[wp.vec3]):
    """Return whether a direction from B to A leaves a gap between them but for rounding."""
    rounding = LOST * rounding_along(n, x[v[0]], x[v[1]], x[v[2]], x[v[3]])
    return gap_along(kind, n, v, x) >= -rounding


@wp.func
def common_direction(pair: Pair, weights: wp.vec4, surface: SurfaceArrays, x: wp.array[wp.vec3]):
    """Return the normal of a pair from B to A, whose closest points have these signed weights, that
    orients its sides as all pairs of their bodies do; 0 where none is known.
    """
    v = pair.vertices
    facing = facing_of(pair, wp.vec4(1.0), surface)
    if wp.length_sq(facing) == 0.0:
        return facing
    u = x[v[2]] - x[v[1]]
    aside = wp.vec3(0.0)
    if pair.kind == EDGE_EDGE:
        u = x[v[1]] - x[v[0]]
        aside = wp.normalize(across(facing, u))
    # Of edges that lie in a line, all normals leave a gap.
    if wp.length_sq(aside) > 0.0 and leaves_a_gap(pair.kind, aside, v, x):
        return aside
    normal = normal_to(u, x[v[3]] - x[v[2]])
    if wp.abs(wp.dot(normal, facing)) < CLEARLY * wp.length(facing):
        facing = facing_of(pair, weights, surface)
        if is_tie(pair, normal, facing, surface):
            facing = facing_of_both(pair, weights, surface)
    return wp.sign(wp.dot(normal, facing)) * normal


@wp.func
def normal_in_front(
    pair: Pair, weights: wp.vec4, n: wp.vec3, surface: SurfaceArrays, x: wp.array[wp.vec3]
):
    """Return the `common_direction` of a pair whose sides n does not separate; n if that leaves no
    gap either.
    """
    other = common_direction(pair, weights, surface, x)
    is_known = wp.length_sq(other) > 0.0 and leaves_a_gap(pair.kind, other, pair.vertices, x)
    return wp.where(is_known, other, n)
