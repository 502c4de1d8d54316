# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of rods and cloth that contact has kept far longer than at rest.

Rubber under its load is long as well, and its tension is then balanced by what pulls at it, be it
weight, inertia, contact or a pin. Here the tension is left over at a free end of the edge whose
step was cut short to keep surfaces apart: one that pins have carried past what holds it, or that a
fast collider pushes ahead. Without such a step a force that is left over is that of contact not
yet solved, and says nothing about the tension.
"""

import warp as wp

from ..device.options import QUICK

wp.set_module_options(QUICK)

# It shows from this ratio of lengths on, ...
SHOWS = wp.constant(1.25)
# ... where the force that is left would draw such an end back by this part of the excess.
PART = wp.constant(0.5)


@wp.struct
class Bars:
    """Edges, and the sides of triangles, as bars."""

    ends: wp.array[wp.vec2i]
    rest: wp.array[float]  # length [m]
    stiffness: wp.array[float]  # [N/m]
    body: wp.array[int]


@wp.func
def way_back(
    i: int,
    along: wp.vec3,
    stiffness: float,
    force: wp.array[wp.vec3],
    inertia: wp.array[float],
    cut: wp.array[int],
):
    """How far the force that is left at vertex i would draw it along a bar [m]; 0 where its step
    was not cut short. What inertia holds comes back in many steps, and is where it belongs in this
    one. A pin needs no force.
    """
    if i >= inertia.shape[0]:
        return 0.0
    if cut[i] == 0:
        return 0.0
    return wp.dot(force[i], along) / (stiffness + inertia[i])


@wp.kernel
def find_overstretch(
    parts: int,
    x: wp.array[wp.vec3],
    force: wp.array[wp.vec3],
    inertia: wp.array[float],
    cut: wp.array[int],
    bars: Bars,
    # in and out
    ratio: wp.array[float],
):
    """The largest ratio of a length to that at rest among such bars of every body. `inertia` [free
    vertex] are m/h² [N/m], and `cut` [vertex] is what has ended the last step of each, or 0.
    """
    for e in range(wp.tid(), bars.rest.shape[0], parts):
        ends = bars.ends[e]
        side = x[ends[1]] - x[ends[0]]
        length = wp.length(side)
        rest = bars.rest[e]
        if length > SHOWS * rest:
            along = side / length
            stiffness = bars.stiffness[e]
            back = way_back(ends[0], along, stiffness, force, inertia, cut)
            back = wp.max(back, way_back(ends[1], -along, stiffness, force, inertia, cut))
            if back > PART * (length - rest):
                wp.atomic_max(ratio, bars.body[e], length / rest)
