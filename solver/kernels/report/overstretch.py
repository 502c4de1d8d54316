# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of rods and cloth that contact keeps far longer than at rest.

Loaded rubber is long as well, but its tension is balanced by weight, inertia, contact or a pin. In
an overstretched edge the tension is unbalanced at a free end whose step was truncated to keep
surfaces apart: pins have carried the edge past an obstacle, or a fast collider pushes it. Without a
truncated step an unbalanced force may come from unsolved contact, not from the tension.
"""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Least ratio of lengths of an overstretched edge.
SHOWS = wp.constant(1.25)
# The unbalanced force at such an end must suffice to retract this fraction of the excess length.
RETRACTED = wp.constant(0.5)


@wp.struct
class Bars:
    """Edges, and the sides of triangles, as bars."""

    ends: wp.array[wp.vec2i]
    rest: wp.array[float]  # length [m]
    stiffness: wp.array[float]  # [N/m]
    body: wp.array[int]


@wp.func
def retraction(
    i: int,
    along: wp.vec3,
    stiffness: float,
    force: wp.array[wp.vec3],
    inertia: wp.array[float],
    cut: wp.array[int],
):
    """Return the displacement [m] of vertex i along a bar by its unbalanced force; 0 unless its
    step was truncated. Inertia resists it: a heavy vertex retracts in many steps, and is correct in
    this one. A pin has none.
    """
    if i >= inertia.shape[0]:
        return 0.0
    if cut[i] == 0:
        return 0.0
    return wp.dot(force[i], along) / (stiffness + inertia[i])


@wp.kernel
def find_overstretch(
    shares: int,
    x: wp.array[wp.vec3],
    force: wp.array[wp.vec3],
    inertia: wp.array[float],
    cut: wp.array[int],
    bars: Bars,
    # in and out
    ratio: wp.array[float],
):
    """Find the largest ratio of length to rest length among overstretched bars of every body.
    `inertia` [free vertex] is m/h² [N/m]; `cut` [vertex] is not 0 if the last step was truncated.
    """
    for e in range(wp.tid(), bars.rest.shape[0], shares):
        ends = bars.ends[e]
        side = x[ends[1]] - x[ends[0]]
        length = wp.length(side)
        rest = bars.rest[e]
        if length > SHOWS * rest:
            along = side / length
            stiffness = bars.stiffness[e]
            back = retraction(ends[0], along, stiffness, force, inertia, cut)
            back = wp.max(back, retraction(ends[1], -along, stiffness, force, inertia, cut))
            if back > RETRACTED * (length - rest):
                wp.atomic_max(ratio, bars.body[e], length / rest)
