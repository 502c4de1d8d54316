# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes of all that vertices, edges and triangles may touch before the next search."""

import warp as wp

from ..options import HOT
from .neighborhoods import highest, lowest
from .pairs import Surface
from .state import ContactState

wp.set_module_options(HOT)


@wp.func
def edge_reach(e: wp.vec2i, state: ContactState):
    """How far from an edge [m] it touches another one."""
    return state.radius[e[0]] + wp.min(state.multiplier[e[0]], state.multiplier[e[1]])


@wp.func
def vertex_box(v: int, surface: Surface, state: ContactState, x: wp.array[wp.vec3]):
    """The box, from corner to corner, of all that vertex v may touch before the next search."""
    reach = state.radius[v] + state.multiplier[v]
    r = wp.vec3(reach, reach, reach)
    return lowest(v, surface, x) - r, highest(v, surface, x) + r


@wp.func
def edge_box(e: wp.vec2i, surface: Surface, state: ContactState, x: wp.array[wp.vec3]):
    """The same of an edge."""
    reach = edge_reach(e, state)
    r = wp.vec3(reach, reach, reach)
    low = wp.min(lowest(e[0], surface, x), lowest(e[1], surface, x)) - r
    high = wp.max(highest(e[0], surface, x), highest(e[1], surface, x)) + r
    return low, high


@wp.kernel
def bound_edges(
    first: int,
    offset: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Boxes round edges from number `offset` on, with all they may touch before the next search."""
    k = first + wp.tid()
    a, b = edge_box(surface.edges[offset + k], surface, state, x)
    low[k] = a
    high[k] = b


@wp.kernel
def bound_triangles(
    first: int,
    offset: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Boxes round triangles from number `offset` on, in the same way."""
    k = first + wp.tid()
    t = surface.triangles[offset + k]
    reach = state.radius[t[0]]
    r = wp.vec3(reach, reach, reach)
    low[k] = wp.min(lowest(t[0], surface, x), lowest(t[1], surface, x))
    low[k] = wp.min(low[k], lowest(t[2], surface, x)) - r
    high[k] = wp.max(highest(t[0], surface, x), highest(t[1], surface, x))
    high[k] = wp.max(high[k], highest(t[2], surface, x)) + r
