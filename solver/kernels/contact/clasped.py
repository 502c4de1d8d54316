# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins at what animation moves as well: a skirt's waist on the hips, a flag's hem on its pole.

Neither can give way to the other, and both are to be where animation puts them. So a pinned vertex
that may get as near as the contact distance to something led, a collider or what has a pin of
another body, is clasped until the frame ends: what it belongs to does not touch what is led. After
such a frame it is looked whether anything intersects, and that is no contact either.
"""

import warp as wp

from ..options import HOT
from .boxes import vertex_box
from .pairs import Surface
from .reach import is_in_reach, may_meet
from .state import ContactState
from .tree import COLLIDER_TRIANGLES, TRIANGLES, first_in, next_in

wp.set_module_options(HOT)


@wp.func
def is_led(t: wp.vec3i, surface: Surface):
    """Whether animation moves a corner of triangle t."""
    last = wp.max(t[0], wp.max(t[1], t[2]))
    return last >= surface.kinematic_start and last < surface.point_start


@wp.func
def meets_what_is_led(
    v: int, tree: int, surface: Surface, state: ContactState, x: wp.array[wp.vec3]
):
    """Whether vertex v may touch a triangle of another body in a tree that is led."""
    low, high = vertex_box(v, surface, state, x)
    walk = first_in(surface.trees, tree, low, high)
    while walk.entry >= 0:
        t = surface.triangles[walk.entry]
        if surface.body[t[0]] != surface.body[v] and is_led(t, surface):
            if may_meet(v, t, surface) and is_in_reach(v, t, surface, state, x):
                return True
        walk = next_in(surface.trees, walk)
    return False


@wp.kernel
def clasp(
    first: int,
    pinned: wp.array[int],
    state: ContactState,
    x: wp.array[wp.vec3],
    # in and out
    surface: Surface,
):
    """Find which of the `pinned` surface vertices are clasped, besides those that are so far."""
    v = pinned[first + wp.tid()]
    meets = meets_what_is_led(v, COLLIDER_TRIANGLES, surface, state, x)
    meets = meets or meets_what_is_led(v, TRIANGLES, surface, state, x)
    if meets:
        surface.clasped[v] = 1
