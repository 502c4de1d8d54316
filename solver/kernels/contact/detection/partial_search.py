# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches for what has used up its room.

Where only some vertices get new trust regions, only these can come near others that they could not
come near before. So queries whose own vertices are `renewed` ask for all that is near. The others
know what is not, and ask trees of what is renewed alone, whose other boxes are empty.
"""

import warp as wp

from ...device.options import HOT
from ..pairs import SurfaceArrays

wp.set_module_options(HOT)


@wp.func
def is_edge_renewed(e: wp.vec2i, surface: SurfaceArrays):
    """Whether a vertex of edge e has a new trust region."""
    return surface.renewed[e[0]] + surface.renewed[e[1]] > 0


@wp.func
def is_triangle_renewed(t: wp.vec3i, surface: SurfaceArrays):
    """The same of a triangle."""
    return surface.renewed[t[0]] + surface.renewed[t[1]] + surface.renewed[t[2]] > 0
