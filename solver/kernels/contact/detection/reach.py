# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach of vertices and edges: elements that they may touch before the next search."""

import warp as wp

from ...device.options import OPTIONS
from ..contact_state import ContactState
from ..feasibility.separating_planes import rounding_along
from ..pairs import SurfaceArrays, bodies_may_touch
from .boxes import edge_reach
from .distance import closest_on_segments, closest_on_triangle
from .exclusions import are_joined, belongs

wp.set_module_options(OPTIONS)


@wp.func
def advance(v: int, direction: wp.vec3, surface: SurfaceArrays):
    """Return how far vertex v may get in a direction before the next search [m]."""
    return wp.max(wp.dot(direction, surface.path[v]), 0.0) + surface.trust_radius[v]


@wp.func
def advance_of_edge(e: wp.vec2i, direction: wp.vec3, surface: SurfaceArrays):
    return wp.max(advance(e[0], direction, surface), advance(e[1], direction, surface))


@wp.func
def advance_of_triangle(t: wp.vec3i, direction: wp.vec3, surface: SurfaceArrays):
    ends = advance_of_edge(wp.vec2i(t[0], t[1]), direction, surface)
    return wp.max(ends, advance(t[2], direction, surface))


@wp.func
def may_meet(v: int, t: wp.vec3i, surface: SurfaceArrays):
    """Return whether vertex v and triangle t touch when they meet.

    Vertices inside of a body do not, such as all of a body that is still flat.
    """
    there = surface.body[t[0]]
    may = bodies_may_touch(surface.body[v], there, surface)
    return may and surface.inside[v] != there + 1 and not belongs(v, t, surface)


@wp.func
def is_in_reach(
    v: int, t: wp.vec3i, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]
):
    """Return whether vertex v and triangle t may touch before the next search."""
    p = x[v]
    w = closest_on_triangle(p, x[t[0]], x[t[1]], x[t[2]])
    gap = w[0] * (x[t[0]] - p) + w[1] * (x[t[1]] - p) + w[2] * (x[t[2]] - p)
    toward = gap / wp.max(wp.length(gap), 1.0e-30)
    apart = wp.min(wp.dot(toward, x[t[0]] - p), wp.dot(toward, x[t[1]] - p))
    apart = wp.min(apart, wp.dot(toward, x[t[2]] - p))
    limit = state.radius[v] + state.multiplier[v] + state.radius[t[0]]
    limit += advance(v, toward, surface)
    limit += advance_of_triangle(t, -toward, surface)
    limit += rounding_along(toward, p, x[t[0]], x[t[1]], x[t[2]])
    return apart < limit


@wp.func
def edges_may_meet(e: wp.vec2i, f: wp.vec2i, surface: SurfaceArrays):
    """Return whether edges e and f touch when they meet, in the same way."""
    there = surface.body[f[0]]
    may = bodies_may_touch(surface.body[e[0]], there, surface)
    may = may and surface.inside[e[0]] != there + 1 and surface.inside[e[1]] != there + 1
    return may and not are_joined(e, f, surface)


@wp.func
def edges_in_reach(
    e: wp.vec2i, f: wp.vec2i, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]
):
    """Return whether edges e and f may touch before the next search."""
    p = x[e[0]]
    q = x[e[1]]
    st = closest_on_segments(p, q, x[f[0]], x[f[1]])
    gap = st[0] * (q - p) - wp.lerp(x[f[0]] - p, x[f[1]] - p, st[1])
    toward = -gap / wp.max(wp.length(gap), 1.0e-30)
    apart = wp.min(wp.dot(toward, x[f[0]] - p), wp.dot(toward, x[f[1]] - p))
    apart -= wp.max(wp.dot(toward, q - p), 0.0)
    limit = edge_reach(e, state) + edge_reach(f, state) + advance_of_edge(e, toward, surface)
    limit += advance_of_edge(f, -toward, surface)
    limit += rounding_along(toward, p, q, x[f[0]], x[f[1]])
    return apart < limit
