# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes around everything that vertices, edges and triangles may touch before the next search."""

import warp as wp

from ...device.options import OPTIONS
from ..contact_state import ContactState
from ..pairs import SurfaceArrays
from .broad_phase import highest, lowest
from .bvh import put_box
from .partial_search import is_edge_moved, is_triangle_moved

wp.set_module_options(OPTIONS)


@wp.func
def edge_reach(e: wp.vec2i, state: ContactState):
    """Return how far from an edge [m] it touches another one."""
    return state.radius[e[0]] + wp.min(state.multiplier[e[0]], state.multiplier[e[1]])


@wp.func
def vertex_box(v: int, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]):
    """Return the box, low and high, of all that vertex v may touch before the next search."""
    reach = state.radius[v] + state.multiplier[v]
    r = wp.vec3(reach, reach, reach)
    return lowest(v, surface, x) - r, highest(v, surface, x) + r


@wp.func
def edge_box(e: wp.vec2i, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]):
    """Return the box of an edge, as `vertex_box`."""
    reach = edge_reach(e, state)
    r = wp.vec3(reach, reach, reach)
    low = wp.min(lowest(e[0], surface, x), lowest(e[1], surface, x)) - r
    high = wp.max(highest(e[0], surface, x), highest(e[1], surface, x)) + r
    return low, high


@wp.func
def triangle_box(t: wp.vec3i, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]):
    """Return the box of a triangle, as `vertex_box`."""
    reach = state.radius[t[0]]
    r = wp.vec3(reach, reach, reach)
    low = wp.min(lowest(t[0], surface, x), lowest(t[1], surface, x))
    high = wp.max(highest(t[0], surface, x), highest(t[1], surface, x))
    return wp.min(low, lowest(t[2], surface, x)) - r, wp.max(high, highest(t[2], surface, x)) + r


@wp.kernel
def bound_edges(
    first: int,
    boxes: int,
    nodes: wp.array[wp.vec3i],
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Put the boxes of edges, with all they may touch before the next search, into `nodes` of level
    0: rows are a node, its first entry, and 1 if only moved edges have a box. A thread takes so
    many `boxes`.
    """
    begin = (first + wp.tid()) * boxes
    node = nodes[begin >> 3]
    for lane in range(begin & 7, (begin & 7) + boxes):
        k = surface.trees.entry[node[1] + lane]
        low = wp.vec3(wp.inf)
        high = wp.vec3(-wp.inf)
        if k >= 0:
            e = surface.edges[k]
            if node[2] == 0 or is_edge_moved(e, surface):
                low, high = edge_box(e, surface, state, x)
        put_box(surface.trees.nodes, node[0], lane, low, high)


@wp.kernel
def bound_triangles(
    first: int,
    boxes: int,
    nodes: wp.array[wp.vec3i],
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Put the boxes of triangles into trees, in the same way."""
    begin = (first + wp.tid()) * boxes
    node = nodes[begin >> 3]
    for lane in range(begin & 7, (begin & 7) + boxes):
        k = surface.trees.entry[node[1] + lane]
        low = wp.vec3(wp.inf)
        high = wp.vec3(-wp.inf)
        if k >= 0:
            t = surface.triangles[k]
            if node[2] == 0 or is_triangle_moved(t, surface):
                low, high = triangle_box(t, surface, state, x)
        put_box(surface.trees.nodes, node[0], lane, low, high)
