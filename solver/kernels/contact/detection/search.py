# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for contact pairs: box queries of vertices and edges.

Queries use the beginnings x of trust regions, some of which may be older than others: only regions
bound motion. The direction between the closest points of a pair there separates its sides by how
far they are `apart` along it. As long as neither gets so far in that direction that they could
touch, the pair needs no check, however far they move sideways. That holds for any direction; this
one is the best.
"""

import warp as wp

from ...device.options import OPTIONS
from ..contact_state import ContactState
from ..pairs import EDGE_EDGE, VERTEX_TRIANGLE, PreviousLists, SurfaceArrays, bit_of
from .boxes import edge_box, vertex_box
from .broad_phase import BODIES, COLLIDERS, near_bodies
from .bvh import COLLIDER_EDGES, COLLIDER_TRIANGLES, EDGES, MOVED, TRIANGLES, first_in, next_in
from .exclusions import are_excluded, lay_in_each_other
from .pair_counts import OF_VERTICES
from .partial_search import is_edge_moved, is_triangle_moved
from .previous_pairs import range_of
from .reach import edges_in_reach, edges_may_meet, is_in_reach, may_meet

wp.set_module_options(OPTIONS)


@wp.func
def triangle_intersects(v: int, t: wp.vec3i, surface: SurfaceArrays):
    """Return whether vertex v and triangle t are in an intersection, where contact would be on the
    wrong side.

    A vertex outside of another closed body is on its right side, whatever its neighbors cross.
    """
    here = surface.body[v]
    there = surface.body[t[0]]
    inside = surface.inside[v] == there + 1
    crossing = int(0)
    for c in range(3):
        inside = inside or surface.inside[t[c]] == here + 1
        crossing |= surface.crosses[t[c]]
    if here != there and surface.closed[there] != 0:
        return inside
    crosses = surface.crosses[v] & bit_of(there) != 0 and crossing & bit_of(here) != 0
    return inside or crosses


@wp.func
def edge_intersects(e: wp.vec2i, f: wp.vec2i, surface: SurfaceArrays):
    """Return whether two edges are in an intersection, in the same way."""
    here = surface.body[e[0]]
    there = surface.body[f[0]]
    inside = (
        surface.inside[e[0]] == there + 1
        or surface.inside[e[1]] == there + 1
        or surface.inside[f[0]] == here + 1
        or surface.inside[f[1]] == here + 1
    )
    ours = (surface.crosses[e[0]] | surface.crosses[e[1]]) & bit_of(there)
    theirs = (surface.crosses[f[0]] | surface.crosses[f[1]]) & bit_of(here)
    return inside or (ours != 0 and theirs != 0)


@wp.func
def write(other: int, at: int, n: int, slots: int, found: wp.array[int]):
    """Insert a number in the order of the n from found[at] on, if there is a slot left."""
    if n < slots:
        place = at + n
        while place > at and found[place - 1] > other:
            found[place] = found[place - 1]
            place -= 1
        found[place] = other


@wp.func
def near_triangles(
    v: int,
    low: wp.vec3,
    high: wp.vec3,
    tree: int,
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    at: int,
    slots: int,
    count: int,
    found: wp.array[int],
):
    """Write the triangles of a tree that vertex v may touch, in the box from `low` to `high`, to
    found[at...], in their order; return how many.
    """
    n = count
    walk = first_in(surface.trees, tree, low, high)
    while walk.entry >= 0:
        t = surface.triangles[walk.entry]
        pair = wp.vec4i(v, t[0], t[1], t[2])
        if may_meet(v, t, surface) and not are_excluded(VERTEX_TRIANGLE, pair, surface):
            is_near = is_in_reach(v, t, surface, state, x)
            is_near = is_near and not lay_in_each_other(VERTEX_TRIANGLE, pair, surface)
            if is_near and not triangle_intersects(v, t, surface):
                write(walk.entry, at, n, slots, found)
                n += 1
        walk = next_in(surface.trees, walk)
    return n


@wp.func
def known_triangles(
    k: int, surface: SurfaceArrays, previous: PreviousLists, slots: int, found: wp.array[int]
):
    """Write the `previous` results of query k without moved triangles to its slots; return how
    many.
    """
    begin, end = range_of(k, previous.end_of_vertices, 0, previous.anchors.shape[0])
    n = int(0)
    for p in range(begin, end):
        other = previous.anchors[p].other
        if not is_triangle_moved(surface.triangles[other], surface):
            if n < slots:
                found[k * slots + n] = other
            n += 1
    return n


@wp.kernel
def find_triangles(
    first: int,
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    slots: int,
    previous: PreviousLists,
    # out
    count: wp.array[int],
    found: wp.array[int],
):
    """Find triangles near each surface vertex, up to `slots` of them; `count` is the total.

    Vertices of colliders query triangles of bodies only. Vertices that have not moved query moved
    triangles only, and keep their other `previous` results.
    """
    k = first + wp.tid()
    v = surface.vertices[k]
    at = k * slots
    n = int(0)
    is_moved = surface.moved[v] != 0
    if not is_moved:
        n = known_triangles(k, surface, previous, slots, found)
    low, high = vertex_box(v, surface, state, x)
    near = near_bodies(surface.body[v], low, high, surface)
    among = wp.where(is_moved, 0, MOVED)
    if near & BODIES != 0:
        tree = TRIANGLES + among
        n = near_triangles(v, low, high, tree, surface, state, x, at, slots, n, found)
    if near & COLLIDERS != 0:
        tree = COLLIDER_TRIANGLES + among
        n = near_triangles(v, low, high, tree, surface, state, x, at, slots, n, found)
    count[k] = n


@wp.func
def meets_as_triangle(k: int, other: int, surface: SurfaceArrays):
    """Return whether one of two edges, k < other, is a grain and the other one that of a triangle,
    which the grain meets as a vertex.
    """
    of_body = k < surface.rod_start and other >= surface.grain_start
    of_collider = k >= surface.grain_start and other >= surface.body_edges
    return (of_body and other < surface.body_edges) or of_collider


@wp.func
def near_edges(
    k: int,
    low: wp.vec3,
    high: wp.vec3,
    tree: int,
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    at: int,
    slots: int,
    count: int,
    found: wp.array[int],
):
    """Write the edges of a tree behind edge k that it may touch, in the box from `low` to `high`,
    to found[at...], in their order; return how many.
    """
    e = surface.edges[k]
    n = count
    walk = first_in(surface.trees, tree, low, high)
    while walk.entry >= 0:
        other = walk.entry
        if other > k and not meets_as_triangle(k, other, surface):
            f = surface.edges[other]
            pair = wp.vec4i(e[0], e[1], f[0], f[1])
            if edges_may_meet(e, f, surface) and not are_excluded(EDGE_EDGE, pair, surface):
                is_near = edges_in_reach(e, f, surface, state, x)
                is_near = is_near and not lay_in_each_other(EDGE_EDGE, pair, surface)
                if is_near and not edge_intersects(e, f, surface):
                    write(other, at, n, slots, found)
                    n += 1
        walk = next_in(surface.trees, walk)
    return n


@wp.func
def known_edges(
    k: int, surface: SurfaceArrays, previous: PreviousLists, slots: int, found: wp.array[int]
):
    """Write the `previous` results of an edge, as `known_triangles`."""
    of_vertices, capacity = previous.counts[OF_VERTICES], previous.anchors.shape[0]
    begin, end = range_of(k, previous.end_of_edges, of_vertices, capacity)
    n = int(0)
    for p in range(begin, end):
        other = previous.anchors[p].other
        if not is_edge_moved(surface.edges[other], surface):
            if n < slots:
                found[k * slots + n] = other
            n += 1
    return n


@wp.kernel
def find_edges(
    first: int,
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    slots: int,
    previous: PreviousLists,
    # out
    count: wp.array[int],
    found: wp.array[int],
):
    """Find edges near each edge of a body, every pair once; as `find_triangles`."""
    k = first + wp.tid()
    at = k * slots
    n = int(0)
    e = surface.edges[k]
    is_moved = is_edge_moved(e, surface)
    if not is_moved:
        n = known_edges(k, surface, previous, slots, found)
    low, high = edge_box(e, surface, state, x)
    near = near_bodies(surface.body[e[0]], low, high, surface)
    among = wp.where(is_moved, 0, MOVED)
    if near & BODIES != 0:
        tree = EDGES + among
        n = near_edges(k, low, high, tree, surface, state, x, at, slots, n, found)
    if near & COLLIDERS != 0:
        tree = COLLIDER_EDGES + among
        n = near_edges(k, low, high, tree, surface, state, x, at, slots, n, found)
    count[k] = n
