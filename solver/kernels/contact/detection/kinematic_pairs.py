# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins at other kinematic surfaces: a skirt's waist on the hips, a flag's hem on its pole.

Neither can give way to the other, and both are to be where animation puts them. So pairs that are
kinematic as a whole are no contact. A pinned vertex that may get as near as the contact distance to
a kinematic surface, a collider or a pin of another body, excludes that body until a later frame
searches, and so do the ends of a pinned edge: their elements do not touch the kinematic ones of
that body. After such a frame intersections are checked, and those are no contact either.
"""

import warp as wp

from ...device.options import OPTIONS
from ..contact_state import ContactState
from ..pairs import SurfaceArrays, bit_of
from .boxes import edge_box, vertex_box
from .bvh import COLLIDER_EDGES, COLLIDER_TRIANGLES, EDGES, TRIANGLES, first_in, next_in
from .exclusions import is_kinematic
from .reach import edges_in_reach, edges_may_meet, is_in_reach, may_meet

wp.set_module_options(OPTIONS)


@wp.func
def exclude_at_ends(e: wp.vec2i, body: int, surface: SurfaceArrays):
    """Exclude a body at those ends of an edge that are pins."""
    for c in range(2):
        if is_kinematic(e[c], surface) and e[c] < surface.collider_start:
            wp.atomic_or(surface.excluded, e[c], bit_of(body))


@wp.func
def exclude_bodies_of_triangles(
    v: int, tree: int, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]
):
    """Exclude at vertex v the other bodies with a kinematic corner of a triangle in reach."""
    low, high = vertex_box(v, surface, state, x)
    walk = first_in(surface.trees, tree, low, high)
    while walk.entry >= 0:
        t = surface.triangles[walk.entry]
        there = surface.body[t[0]]
        kinematic = (
            is_kinematic(t[0], surface)
            or is_kinematic(t[1], surface)
            or is_kinematic(t[2], surface)
        )
        is_new = surface.excluded[v] & bit_of(there) == 0
        if kinematic and is_new and there != surface.body[v]:
            if may_meet(v, t, surface) and is_in_reach(v, t, surface, state, x):
                surface.excluded[v] = surface.excluded[v] | bit_of(there)
        walk = next_in(surface.trees, walk)


@wp.kernel
def exclude_at_vertices(
    first: int,
    pinned: wp.array[int],
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Exclude bodies at the `pinned` surface vertices, besides those excluded so far."""
    v = pinned[first + wp.tid()]
    exclude_bodies_of_triangles(v, COLLIDER_TRIANGLES, surface, state, x)
    exclude_bodies_of_triangles(v, TRIANGLES, surface, state, x)


@wp.func
def exclude_bodies_of_edges(
    e: wp.vec2i, tree: int, surface: SurfaceArrays, state: ContactState, x: wp.array[wp.vec3]
):
    """Exclude at edge e the other bodies with a kinematic edge in a tree and in reach."""
    low, high = edge_box(e, surface, state, x)
    walk = first_in(surface.trees, tree, low, high)
    while walk.entry >= 0:
        f = surface.edges[walk.entry]
        kinematic = is_kinematic(f[0], surface) and is_kinematic(f[1], surface)
        there = surface.body[f[0]]
        is_new = surface.excluded[e[0]] & surface.excluded[e[1]] & bit_of(there) == 0
        if kinematic and is_new and there != surface.body[e[0]]:
            if edges_may_meet(e, f, surface) and edges_in_reach(e, f, surface, state, x):
                exclude_at_ends(e, there, surface)
        walk = next_in(surface.trees, walk)


@wp.kernel
def exclude_at_edges(
    first: int,
    pinned: wp.array[int],
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Exclude bodies at pinned edges. One thread on the CPU, without atomics."""
    e = surface.edges[pinned[first + wp.tid()]]
    exclude_bodies_of_edges(e, COLLIDER_EDGES, surface, state, x)
    exclude_bodies_of_edges(e, EDGES, surface, state, x)
