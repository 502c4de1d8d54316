# SPDX-License-Identifier: GPL-3.0-or-later
"""Partial searches, for vertices with new trust regions.

Where only some vertices get new trust regions, only these can come near others that were out of
reach. So queries with `moved` vertices of their own search everything. The others keep their known
results, and search only trees of moved entries, whose other boxes are empty.
"""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import SurfaceArrays

wp.set_module_options(OPTIONS)


@wp.func
def is_edge_moved(e: wp.vec2i, surface: SurfaceArrays):
    """Return whether a vertex of edge e has a new trust region."""
    return surface.moved[e[0]] + surface.moved[e[1]] > 0


@wp.func
def is_triangle_moved(t: wp.vec3i, surface: SurfaceArrays):
    """Return whether a vertex of triangle t has a new trust region."""
    return surface.moved[t[0]] + surface.moved[t[1]] + surface.moved[t[2]] > 0
