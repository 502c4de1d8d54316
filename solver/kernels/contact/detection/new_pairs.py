# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact pairs as they are found: what parts their sides, and how far they reach."""

import warp as wp

from ...device.options import HOT
from ..contact_state import ContactState
from ..pairs import VERTEX_TRIANGLE, Pair, SurfaceArrays, signed_weights, weighted

wp.set_module_options(HOT)

# What is nearer at rest than the contact distance keeps at least this part of how far it is then.
KEPT_AT_REST = wp.constant(0.5)


@wp.func
def multiplier_of(kind: int, v: wp.vec4i, multiplier: wp.array[float]):
    """What a pair reaches more [m]: as its vertex does, or as both ends of an edge do."""
    if kind == VERTEX_TRIANGLE:
        return multiplier[v[0]]
    return wp.max(
        wp.min(multiplier[v[0]], multiplier[v[1]]), wp.min(multiplier[v[2]], multiplier[v[3]])
    )


@wp.func
def without_load(known: Pair, state: ContactState):
    """A pair of the same vertices as a known one that reaches no farther than both radii, with no
    normal yet.
    """
    v = known.vertices
    other = v[known.kind]
    pair = Pair()
    pair.kind = known.kind
    pair.vertices = v
    pair.other = known.other
    pair.radius = state.radius[v[0]] + state.radius[other]
    pair.friction = wp.sqrt(state.friction[v[0]] * state.friction[other])
    pair.full_stiffness = wp.min(
        wp.min(state.stiffness[v[0]], state.stiffness[v[1]]),
        wp.min(state.stiffness[v[2]], state.stiffness[v[3]]),
    )
    return pair


@wp.func
def with_load(pair: Pair, surface: SurfaceArrays, state: ContactState):
    """A pair that reaches as far as its load lets it.

    What is closer at rest, by d, than the contact distance r keeps 2 d − r, but no less than a part
    of d: at rest it does not touch, and what is just apart and what is just not behave alike.
    Elements of one sheet, near each other because that is thick, may come closer as it folds.
    """
    v = pair.vertices
    pair.multiplier = multiplier_of(pair.kind, v, state.multiplier)
    if surface.body[v[0]] == surface.body[v[pair.kind]]:
        rest = weighted(signed_weights(pair.kind, v, surface.rest), v, surface.rest)
        d = wp.length(rest)
        pair.multiplier = wp.max(wp.min(pair.multiplier, d - pair.radius), 0.0)
        pair.radius = wp.min(pair.radius, wp.max(2.0 * d - pair.radius, KEPT_AT_REST * d))
    pair.radius += pair.multiplier
    return pair


@wp.func
def of_rods(with_rod: int, pair: Pair):
    """A pair that may be one of an edge that belongs to no triangle, which reaches no more."""
    if with_rod != 0:
        pair.with_rod = 1
        pair.radius -= pair.multiplier
        pair.multiplier = 0.0
    return pair
