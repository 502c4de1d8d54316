# SPDX-License-Identifier: GPL-3.0-or-later
"""New contact pairs: their contact distance, stiffness and load."""

import warp as wp

from ...device.options import OPTIONS
from ..contact_state import ContactState
from ..pairs import (
    ONLY_SEPARATED,
    VERTEX_TRIANGLE,
    Pair,
    SurfaceArrays,
    signed_weights,
    weighted,
)

wp.set_module_options(OPTIONS)

# Pairs nearer at rest than the contact distance keep at least this fraction of that gap.
KEPT_AT_REST = wp.constant(0.5)


@wp.func
def multiplier_of(kind: int, v: wp.vec4i, multiplier: wp.array[float]):
    """Return the added reach of a pair [m]: that of its vertex, or of both ends of an edge."""
    if kind == VERTEX_TRIANGLE:
        return multiplier[v[0]]
    return wp.max(
        wp.min(multiplier[v[0]], multiplier[v[1]]), wp.min(multiplier[v[2]], multiplier[v[3]])
    )


@wp.func
def without_load(known: Pair, state: ContactState):
    """Return a pair of a known one's vertices that reaches no farther than both radii, without a
    normal.
    """
    v = known.vertices
    other = v[known.kind]
    pair = Pair()
    pair.kind = known.kind
    pair.vertices = v
    pair.other = known.other
    pair.flat = known.flat
    pair.radius = state.radius[v[0]] + state.radius[other]
    pair.friction = wp.sqrt(state.friction[v[0]] * state.friction[other])
    pair.full_stiffness = wp.min(
        wp.min(state.stiffness[v[0]], state.stiffness[v[1]]),
        wp.min(state.stiffness[v[2]], state.stiffness[v[3]]),
    )
    return pair


@wp.func
def with_load(pair: Pair, surface: SurfaceArrays, state: ContactState):
    """Return a pair that reaches as far as its load lets it.

    Pairs of one body that are closer at rest, by d, than the contact distance r keep 2 d − r, but
    no less than a fraction of d: at rest they do not touch, and the distance depends continuously
    on d. Elements of one sheet, near each other because that is thick, may come closer as it folds.
    """
    v = pair.vertices
    pair.multiplier = multiplier_of(pair.kind, v, state.multiplier)
    # Grains have no shape at rest.
    if v[0] != v[1] and surface.body[v[0]] == surface.body[v[pair.kind]]:
        rest = weighted(signed_weights(pair.kind, v, surface.rest), v, surface.rest)
        d = wp.length(rest)
        pair.multiplier = wp.max(wp.min(pair.multiplier, d - pair.radius), 0.0)
        pair.radius = wp.min(pair.radius, wp.max(2.0 * d - pair.radius, KEPT_AT_REST * d))
    pair.radius += pair.multiplier
    return pair


@wp.func
def of_rods(with_rod: int, pair: Pair):
    """Return a pair marked as one of a rod's edge, which gets no added reach."""
    if with_rod != 0:
        pair.with_rod = 1
        pair.radius -= pair.multiplier
        pair.multiplier = 0.0
    return pair


@wp.func
def flat_of_vertex(v: int, triangle: int, surface: SurfaceArrays):
    """Return `Pair.flat` of a vertex and a triangle."""
    flat = int(0)
    if triangle >= surface.body_triangles:
        flat = surface.flat_sides[triangle - surface.body_triangles]
    if v >= surface.collider_start and v < surface.point_start:
        if surface.flat_vertices[v - surface.collider_start] != 0:
            flat = ONLY_SEPARATED
    return flat


@wp.func
def is_flat_edge(e: int, surface: SurfaceArrays):
    """Return whether edge e lies inside a flat surface of a collider."""
    return e >= surface.body_edges and surface.flat_edges[e - surface.body_edges] != 0


@wp.func
def flat_of_edges(one: int, other: int, surface: SurfaceArrays):
    """Return `Pair.flat` of two edges."""
    is_flat = is_flat_edge(one, surface) or is_flat_edge(other, surface)
    return wp.where(is_flat, ONLY_SEPARATED, 0)
