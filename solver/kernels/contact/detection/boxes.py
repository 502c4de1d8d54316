# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes around everything that vertices, edges and triangles may touch before the next search."""

import warp as wp

from ...device.options import OPTIONS
from ..contact_state import ContactState
from ..pairs import SurfaceArrays
from .broad_phase import highest, lowest
from .bvh import MOVED, WIDTH, clear_node, entry_at, node_at, put_box
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
    tree: int,
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Put the boxes of edges, with all they may touch before the next search, into the nodes of
    level 0 of a tree; into that of moved ones, only theirs.
    """
    node = first + wp.tid()
    at = node_at(surface.trees, tree, 0) + node
    clear_node(surface.trees.nodes, at)
    for lane in range(WIDTH):
        k = entry_at(surface.trees, tree, node, lane)
        if k >= 0:
            e = surface.edges[k]
            if tree < MOVED or is_edge_moved(e, surface):
                low, high = edge_box(e, surface, state, x)
                put_box(surface.trees.nodes, at, lane, low, high)


@wp.kernel
def bound_triangles(
    first: int,
    tree: int,
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Put the boxes of triangles into a tree, in the same way."""
    node = first + wp.tid()
    at = node_at(surface.trees, tree, 0) + node
    clear_node(surface.trees.nodes, at)
    for lane in range(WIDTH):
        k = entry_at(surface.trees, tree, node, lane)
        if k >= 0:
            t = surface.triangles[k]
            if tree < MOVED or is_triangle_moved(t, surface):
                low, high = triangle_box(t, surface, state, x)
                put_box(surface.trees.nodes, at, lane, low, high)
