# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs together anyway, and is no contact."""

import warp as wp

from .pairs import Surface


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
