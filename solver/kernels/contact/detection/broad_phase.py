# SPDX-License-Identifier: GPL-3.0-or-later
"""Neighbors of every body: the bodies whose boxes overlap its own.

A box holds all places that the surface of a body may reach before the next search, with its contact
distance. Queries outside of all neighbors' boxes need no tree: that of all bodies would return
triangles around them on their own body, which they may not touch.
"""

import warp as wp

from ...device.options import OPTIONS
from ..contact_state import ContactState
from ..pairs import SurfaceArrays, bodies_may_touch
from .bvh import WHOLE_BODIES, first_in, next_in, put_box

wp.set_module_options(OPTIONS)

# A body with more neighbors than this may have any.
NEIGHBORS = wp.constant(16)
# Bits for neighbors that are bodies, and colliders.
BODIES = wp.constant(1)
COLLIDERS = wp.constant(2)


@wp.func
def lowest(v: int, surface: SurfaceArrays, x: wp.array[wp.vec3]):
    """Return the low corner of the box of where vertex v may be before the next search."""
    r = surface.trust_radius[v]
    return x[v] + wp.min(surface.path[v], wp.vec3(0.0)) - wp.vec3(r, r, r)


@wp.func
def highest(v: int, surface: SurfaceArrays, x: wp.array[wp.vec3]):
    r = surface.trust_radius[v]
    return x[v] + wp.max(surface.path[v], wp.vec3(0.0)) + wp.vec3(r, r, r)


@wp.kernel
def clear_boxes(
    # out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    reach: wp.array[float],
):
    """Make all boxes empty."""
    b = wp.tid()
    low[b] = wp.vec3(wp.inf)
    high[b] = wp.vec3(-wp.inf)
    reach[b] = 0.0


@wp.kernel
def gather_boxes(
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    reach: wp.array[float],
):
    """Find the boxes of all vertices of every body, and the farthest [m] that these touch."""
    v = surface.vertices[wp.tid()]
    b = surface.body[v]
    wp.atomic_min(low, b, lowest(v, surface, x))
    wp.atomic_max(high, b, highest(v, surface, x))
    wp.atomic_max(reach, b, state.radius[v] + state.multiplier[v])


@wp.kernel
def widen_boxes(
    reach: wp.array[float],
    # in and out
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
):
    """Widen the boxes by what their bodies touch; that of a body without surface is anywhere."""
    b = wp.tid()
    r = wp.vec3(reach[b], reach[b], reach[b])
    is_empty = low[b][0] > high[b][0]
    low[b] = wp.where(is_empty, wp.vec3(0.0), low[b] - r)
    high[b] = wp.where(is_empty, wp.vec3(0.0), high[b] + r)


@wp.kernel
def bound_bodies(
    first: int,
    boxes: int,
    nodes: wp.array[wp.vec3i],
    low: wp.array[wp.vec3],
    high: wp.array[wp.vec3],
    # in and out
    surface: SurfaceArrays,
):
    """Put the boxes of bodies into their tree, as `bound_edges`; the last bodies may lack a box."""
    begin = (first + wp.tid()) * boxes
    node = nodes[begin >> 3]
    for lane in range(begin & 7, (begin & 7) + boxes):
        b = surface.trees.entry[node[1] + lane]
        if b >= 0 and b < low.shape[0]:
            put_box(surface.trees.nodes, node[0], lane, low[b], high[b])
        else:
            put_box(surface.trees.nodes, node[0], lane, wp.vec3(wp.inf), wp.vec3(-wp.inf))


@wp.kernel
def find_neighbors(
    surface: SurfaceArrays,
    # out
    number: wp.array[int],
    neighbor: wp.array[int],
):
    """Find the bodies and colliders that each may touch and whose boxes overlap: `neighbor` [body,
    k], and their `number` [body], of which at most `NEIGHBORS` are listed.
    """
    b = wp.tid()
    n = int(0)
    walk = first_in(surface.trees, WHOLE_BODIES, surface.body_low[b], surface.body_high[b])
    while walk.entry >= 0:
        if bodies_may_touch(b, walk.entry, surface):
            if n < NEIGHBORS:
                neighbor[b * NEIGHBORS + n] = walk.entry
            n += 1
        walk = next_in(surface.trees, walk)
    number[b] = n


@wp.func
def near_bodies(b: int, low: wp.vec3, high: wp.vec3, surface: SurfaceArrays):
    """Return the neighbors that a box on body b may meet: `BODIES`, `COLLIDERS`, both or 0."""
    n = surface.neighbors[b]
    if n > NEIGHBORS:
        return BODIES | COLLIDERS
    near = int(0)
    for k in range(n):
        other = surface.neighbor[b * NEIGHBORS + k]
        a = wp.max(low, surface.body_low[other])
        c = wp.min(high, surface.body_high[other])
        if a[0] <= c[0] and a[1] <= c[1] and a[2] <= c[2]:
            near |= wp.where(other < surface.deformable, BODIES, COLLIDERS)
    return near
