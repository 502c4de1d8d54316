# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins at what animation moves as well: a skirt's waist on the hips, a flag's hem on its pole.

Neither can give way to the other, and both are to be where animation puts them. So pairs that are
led as a whole are no contact. A pinned vertex that may get as near as the contact distance to
something led, a collider or what has a pin of another body, is clasped there until a later frame
searches, and so are the ends of a pinned edge: what belongs to them does not touch what that body
leads. After such a frame it is looked whether anything intersects, and that is no contact either.
"""

import warp as wp

from ...device.options import HOT
from ..contact_state import ContactState
from ..pairs import SurfaceArrays, bit_of
from .boxes import edge_box, vertex_box
from .bvh import COLLIDER_EDGES, COLLIDER_TRIANGLES, EDGES, TRIANGLES, first_in, next_in
from .exclusions import is_led
from .reach import edges_in_reach, edges_may_meet, is_in_reach, may_meet

wp.set_module_options(HOT)


@wp.func
def clasp_ends(e: wp.vec2i, body: int, surface: SurfaceArrays):
    """Clasp those ends of an edge that are pins at a body."""
    for c in range(2):
        if is_led(e[c], surface) and e[c] < surface.collider_start:
            wp.atomic_or(surface.clasped, e[c], bit_of(body))


@wp.func
def clasp_at_triangles(
    v: int, tree: int, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]
):
    """Clasp vertex v at other bodies that lead a corner of a triangle in a tree it may touch."""
    low, high = vertex_box(v, surface, state, x)
    walk = first_in(surface.trees, tree, low, high)
    while walk.entry >= 0:
        t = surface.triangles[walk.entry]
        there = surface.body[t[0]]
        led = is_led(t[0], surface) or is_led(t[1], surface) or is_led(t[2], surface)
        is_new = surface.clasped[v] & bit_of(there) == 0
        if led and is_new and there != surface.body[v]:
            if may_meet(v, t, surface) and is_in_reach(v, t, surface, state, x):
                surface.clasped[v] = surface.clasped[v] | bit_of(there)
        walk = next_in(surface.trees, walk)


@wp.kernel
def clasp_vertices(
    first: int,
    pinned: wp.array[int],
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Find where the `pinned` surface vertices are clasped, besides where they are so far."""
    v = pinned[first + wp.tid()]
    clasp_at_triangles(v, COLLIDER_TRIANGLES, surface, state, x)
    clasp_at_triangles(v, TRIANGLES, surface, state, x)


@wp.func
def clasp_at_edges(
    e: wp.vec2i, tree: int, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]
):
    """Clasp edge e at other bodies that lead both ends of an edge in a tree it may touch."""
    low, high = edge_box(e, surface, state, x)
    walk = first_in(surface.trees, tree, low, high)
    while walk.entry >= 0:
        f = surface.edges[walk.entry]
        led = is_led(f[0], surface) and is_led(f[1], surface)
        there = surface.body[f[0]]
        is_new = surface.clasped[e[0]] & surface.clasped[e[1]] & bit_of(there) == 0
        if led and is_new and there != surface.body[e[0]]:
            if edges_may_meet(e, f, surface) and edges_in_reach(e, f, surface, state, x):
                clasp_ends(e, there, surface)
        walk = next_in(surface.trees, walk)


@wp.kernel
def clasp_edges(
    first: int,
    pinned: wp.array[int],
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """The same of edges of which both ends are pinned. One thread on the CPU, without atomics."""
    e = surface.edges[pinned[first + wp.tid()]]
    clasp_at_edges(e, COLLIDER_EDGES, surface, state, x)
    clasp_at_edges(e, EDGES, surface, state, x)
