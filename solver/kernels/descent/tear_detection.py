# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of tears in cloth (model/tearing.py), in float64, as the host splits it."""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.struct
class TearingCloth:
    """The triangles of all cloth that tears, with their current vertices."""

    triangles: wp.array[wp.vec3i]
    rest: wp.array[wp.vec3d]  # lengths of their edges at rest, each from a corner to the next [m]
    tear_strain: wp.array[wp.float64]  # [triangle]
    start: wp.array[int]  # [vertex + 1] offsets of its triangles in `around`
    around: wp.array[int]
    splits: wp.array[int]  # [vertex] 1 if it has a sleeping duplicate


@wp.func
def has_two_sides(v: int, along: wp.vec3d, x: wp.array[wp.vec3], cloth: TearingCloth):
    """Return whether a vertex has triangles on both sides of its plane normal to `along`."""
    p = wp.vec3d(x[v])
    in_front = int(0)
    for k in range(cloth.start[v], cloth.start[v + 1]):
        t = cloth.triangles[cloth.around[k]]
        center = (wp.vec3d(x[t[0]]) + wp.vec3d(x[t[1]]) + wp.vec3d(x[t[2]])) / wp.float64(3.0)
        if wp.dot(center - p, along) > wp.float64(0.0):
            in_front += 1
    return in_front > 0 and in_front < cloth.start[v + 1] - cloth.start[v]


@wp.func
def can_split(v: int, along: wp.vec3d, x: wp.array[wp.vec3], cloth: TearingCloth):
    """Return whether a vertex of an overstretched edge can be split across the edge."""
    if cloth.splits[v] == 0:
        return False
    return has_two_sides(v, along, x, cloth)


@wp.kernel
def find_tears(
    first: int,
    cloth: TearingCloth,
    x: wp.array[wp.vec3],
    # out
    frame_continues: wp.array[int],
):
    """Skip the rest of the frame where a vertex must be split: it has an overstretched edge, a
    sleeping duplicate, and triangles on both sides. One thread per triangle.
    """
    t = first + wp.tid()
    for k in range(3):
        one = cloth.triangles[t][k]
        other = cloth.triangles[t][(k + 1) % 3]
        edge = wp.vec3d(x[other]) - wp.vec3d(x[one])
        if wp.length(edge) / cloth.rest[t][k] - wp.float64(1.0) > cloth.tear_strain[t]:
            if can_split(one, edge, x, cloth) or can_split(other, -edge, x, cloth):
                frame_continues[0] = 0
