# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for contact pairs: box queries of vertices and edges."""

import warp as wp

from ..options import HOT
from .distance import closest_on_segments, closest_on_triangle
from .pairs import Surface
from .state import ContactState

wp.set_module_options(HOT)


@wp.func
def belongs(v: int, t: wp.vec3i, surface: Surface):
    """Whether vertex v is a corner of triangle t, or attached to one."""
    j = surface.joint[v]
    return surface.joint[t[0]] == j or surface.joint[t[1]] == j or surface.joint[t[2]] == j


@wp.func
def are_joined(e: wp.vec2i, f: wp.vec2i, surface: Surface):
    """Whether edges e and f have a vertex in common, or attached ones."""
    a = surface.joint[e[0]]
    b = surface.joint[e[1]]
    c = surface.joint[f[0]]
    d = surface.joint[f[1]]
    return a == c or a == d or b == c or b == d


@wp.func
def largest(values: wp.array[float], v: wp.vec3i):
    return wp.max(wp.max(values[v[0]], values[v[1]]), values[v[2]])


@wp.func
def edge_reach(e: wp.vec2i, surface: Surface, state: ContactState):
    """How far from an edge [m] it may touch another one before the next search."""
    multiplier = wp.min(state.multiplier[e[0]], state.multiplier[e[1]])
    moves = wp.max(surface.trust_radius[e[0]], surface.trust_radius[e[1]])
    return state.radius[e[0]] + multiplier + moves


@wp.kernel
def bound_edges(
    offset: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Boxes round edges from number `offset` on, with all they may touch before the next search."""
    k = wp.tid()
    e = surface.edges[offset + k]
    reach = edge_reach(e, surface, state)
    r = wp.vec3(reach, reach, reach)
    low[k] = wp.min(x[e[0]], x[e[1]]) - r
    high[k] = wp.max(x[e[0]], x[e[1]]) + r


@wp.kernel
def bound_triangles(
    offset: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Boxes round triangles from number `offset` on, in the same way."""
    k = wp.tid()
    t = surface.triangles[offset + k]
    reach = state.radius[t[0]] + largest(surface.trust_radius, t)
    r = wp.vec3(reach, reach, reach)
    low[k] = wp.min(wp.min(x[t[0]], x[t[1]]), x[t[2]]) - r
    high[k] = wp.max(wp.max(x[t[0]], x[t[1]]), x[t[2]]) + r


@wp.func
def triangle_intersects(v: int, t: wp.vec3i, surface: Surface):
    """Whether vertex v and triangle t are in an intersection, where contact would be on the wrong
    side.

    What is outside of another closed body is on its right side, whatever its neighbors cross.
    """
    here = surface.body[v] + 1
    there = surface.body[t[0]] + 1
    inside = surface.inside[v] == there
    crossing = int(0)
    for c in range(3):
        inside = inside or surface.inside[t[c]] == here
        crossing += surface.crosses[t[c]]
    if here != there and surface.closed[there - 1] != 0:
        crossing = 0
    return inside or (surface.crosses[v] != 0 and crossing > 0)


@wp.func
def edge_intersects(e: wp.vec2i, f: wp.vec2i, surface: Surface):
    """The same of two edges."""
    here = surface.body[e[0]] + 1
    there = surface.body[f[0]] + 1
    inside = (
        surface.inside[e[0]] == there
        or surface.inside[e[1]] == there
        or surface.inside[f[0]] == here
        or surface.inside[f[1]] == here
    )
    ours = surface.crosses[e[0]] + surface.crosses[e[1]]
    theirs = surface.crosses[f[0]] + surface.crosses[f[1]]
    return inside or (ours > 0 and theirs > 0)


@wp.func
def near_triangles(
    v: int,
    tree: wp.uint64,
    first_triangle: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    at: int,
    slots: int,
    count: int,
    found: wp.array[int],
):
    """Write the triangles of a tree that vertex v may touch to found[at...]; returns how many."""
    p = x[v]
    reach = state.radius[v] + state.multiplier[v] + surface.trust_radius[v]
    r = wp.vec3(reach, reach, reach)
    n = count
    query = wp.bvh_query_aabb(tree, p - r, p + r)
    index = int(0)
    while wp.bvh_query_next(query, index):
        t = surface.triangles[first_triangle + index]
        pairing = surface.body[v] * surface.bodies + surface.body[t[0]]
        if surface.may_touch[pairing] != 0 and not belongs(v, t, surface):
            w = closest_on_triangle(p, x[t[0]], x[t[1]], x[t[2]])
            gap = w[0] * (x[t[0]] - p) + w[1] * (x[t[1]] - p) + w[2] * (x[t[2]] - p)
            limit = reach + state.radius[t[0]] + largest(surface.trust_radius, t)
            if wp.length_sq(gap) < limit * limit and not triangle_intersects(v, t, surface):
                if n < slots:
                    found[at + n] = first_triangle + index
                n += 1
    return n


@wp.kernel
def find_triangles(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    slots: int,
    # out
    count: wp.array[int],
    found: wp.array[int],
):
    """Triangles near each surface vertex, up to `slots` of them; `count` tells how many there are.

    Vertices of colliders look for triangles of bodies only.
    """
    k = first + wp.tid()
    v = surface.vertices[k]
    at = k * slots
    n = int(0)
    if surface.meets_bodies[surface.body[v]] != 0 and surface.body_triangles > 0:
        n = near_triangles(v, surface.triangle_tree, 0, surface, state, x, at, slots, n, found)
    of_collider = v >= surface.collider_start and v < surface.point_start
    if not of_collider and surface.body_triangles < surface.triangles.shape[0]:
        n = near_triangles(
            v,
            surface.collider_triangle_tree,
            surface.body_triangles,
            surface,
            state,
            x,
            at,
            slots,
            n,
            found,
        )
    count[k] = n


@wp.func
def near_edges(
    k: int,
    tree: wp.uint64,
    first_edge: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    at: int,
    slots: int,
    count: int,
    found: wp.array[int],
):
    """Write the edges of a tree behind edge k that it may touch to found[at...]."""
    e = surface.edges[k]
    p = x[e[0]]
    q = x[e[1]]
    reach = edge_reach(e, surface, state)
    r = wp.vec3(reach, reach, reach)
    n = count
    query = wp.bvh_query_aabb(tree, wp.min(p, q) - r, wp.max(p, q) + r)
    index = int(0)
    while wp.bvh_query_next(query, index):
        other = first_edge + index
        if other > k:
            f = surface.edges[other]
            pairing = surface.body[e[0]] * surface.bodies + surface.body[f[0]]
            if surface.may_touch[pairing] != 0 and not are_joined(e, f, surface):
                st = closest_on_segments(p, q, x[f[0]], x[f[1]])
                gap = st[0] * (q - p) - wp.lerp(x[f[0]] - p, x[f[1]] - p, st[1])
                limit = reach + edge_reach(f, surface, state)
                if wp.length_sq(gap) < limit * limit and not edge_intersects(e, f, surface):
                    if n < slots:
                        found[at + n] = other
                    n += 1
    return n


@wp.kernel
def find_edges(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    slots: int,
    # out
    count: wp.array[int],
    found: wp.array[int],
):
    """Edges near each edge of a body, every pair once; as `find_triangles`."""
    k = first + wp.tid()
    at = k * slots
    n = int(0)
    if surface.meets_bodies[surface.body[surface.edges[k][0]]] != 0:
        n = near_edges(k, surface.edge_tree, 0, surface, state, x, at, slots, n, found)
    if surface.body_edges < surface.edges.shape[0]:
        n = near_edges(
            k,
            surface.collider_edge_tree,
            surface.body_edges,
            surface,
            state,
            x,
            at,
            slots,
            n,
            found,
        )
    count[k] = n
