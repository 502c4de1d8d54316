# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches for what has used up its room.

Where only some vertices get new trust regions, only these can come near others that they could not
come near before. A query is asked again if its own vertices are `renewed`, or its box overlaps that
of something else that is: which it finds in trees of these alone, whose other boxes are empty. All
other queries have found all that they would find.
"""

import warp as wp

from ..options import HOT
from .boxes import edge_box, vertex_box
from .neighborhoods import BODIES, COLLIDERS, near_bodies
from .pairs import Surface
from .state import ContactState

wp.set_module_options(HOT)


@wp.kernel
def keep_renewed_edges(
    first: int,
    offset: int,
    surface: Surface,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    renewed_low: wp.array[wp.vec3],
    renewed_high: wp.array[wp.vec3],
):
    """The boxes of edges from number `offset` on that have a renewed vertex; empty ones else."""
    k = first + wp.tid()
    e = surface.edges[offset + k]
    is_renewed = surface.renewed[e[0]] + surface.renewed[e[1]] > 0
    renewed_low[k] = wp.where(is_renewed, low[k], wp.vec3(wp.inf))
    renewed_high[k] = wp.where(is_renewed, high[k], wp.vec3(-wp.inf))


@wp.kernel
def keep_renewed_triangles(
    first: int,
    offset: int,
    surface: Surface,
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # out
    renewed_low: wp.array[wp.vec3],
    renewed_high: wp.array[wp.vec3],
):
    """The same of triangles."""
    k = first + wp.tid()
    t = surface.triangles[offset + k]
    is_renewed = surface.renewed[t[0]] + surface.renewed[t[1]] + surface.renewed[t[2]] > 0
    renewed_low[k] = wp.where(is_renewed, low[k], wp.vec3(wp.inf))
    renewed_high[k] = wp.where(is_renewed, high[k], wp.vec3(-wp.inf))


@wp.func
def overlaps(tree: wp.uint64, low: wp.vec3, high: wp.vec3):
    """1 where a box overlaps any in a tree, else 0."""
    query = wp.bvh_query_aabb(tree, low, high)
    index = int(0)
    return wp.where(wp.bvh_query_next(query, index), 1, 0)


@wp.kernel
def mark_vertices(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    again: wp.array[int],
):
    """Whether each surface vertex is asked again for triangles near it."""
    k = first + wp.tid()
    v = surface.vertices[k]
    mark = surface.renewed[v]
    if mark == 0:
        low, high = vertex_box(v, surface, state, x)
        near = near_bodies(surface.body[v], low, high, surface)
        if near & BODIES != 0 and surface.body_triangles > 0:
            mark = overlaps(surface.renewed_triangle_tree, low, high)
        if mark == 0 and near & COLLIDERS != 0:
            mark = overlaps(surface.renewed_collider_triangle_tree, low, high)
    again[k] = mark


@wp.kernel
def mark_edges(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    again: wp.array[int],
):
    """Whether each edge of a body is asked again for edges near it."""
    k = first + wp.tid()
    e = surface.edges[k]
    mark = wp.max(surface.renewed[e[0]], surface.renewed[e[1]])
    if mark == 0:
        low, high = edge_box(e, surface, state, x)
        near = near_bodies(surface.body[e[0]], low, high, surface)
        if near & BODIES != 0:
            mark = overlaps(surface.renewed_edge_tree, low, high)
        if mark == 0 and near & COLLIDERS != 0:
            mark = overlaps(surface.renewed_collider_edge_tree, low, high)
    again[k] = mark
