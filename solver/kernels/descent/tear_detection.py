# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether cloth is to tear (model/tearing.py): in float64, as the host does when it splits it."""

import warp as wp

from ..device.options import QUICK

wp.set_module_options(QUICK)


@wp.struct
class TearingCloth:
    """The triangles of all cloth that tears, in the vertices that they have now."""

    triangles: wp.array[wp.vec3i]
    rest: wp.array[wp.vec3d]  # lengths of their edges at rest, each from a corner to the next [m]
    tear_strain: wp.array[wp.float64]  # [triangle]
    start: wp.array[int]  # [vertex + 1] where its triangles begin in `around`
    around: wp.array[int]
    splits: wp.array[int]  # [vertex] whether a duplicate is left for it


@wp.func
def has_two_sides(v: int, along: wp.vec3d, x: wp.array[wp.vec3], cloth: TearingCloth):
    """Whether a vertex has triangles on both sides of the plane through it across `along`."""
    p = wp.vec3d(x[v])
    ahead = int(0)
    for k in range(cloth.start[v], cloth.start[v + 1]):
        t = cloth.triangles[cloth.around[k]]
        center = (wp.vec3d(x[t[0]]) + wp.vec3d(x[t[1]]) + wp.vec3d(x[t[2]])) / wp.float64(3.0)
        if wp.dot(center - p, along) > wp.float64(0.0):
            ahead += 1
    return ahead > 0 and ahead < cloth.start[v + 1] - cloth.start[v]


@wp.func
def can_split(v: int, along: wp.vec3d, x: wp.array[wp.vec3], cloth: TearingCloth):
    """Whether the vertex of an edge stretched too far can be split across it."""
    if cloth.splits[v] == 0:
        return False
    return has_two_sides(v, along, x, cloth)


@wp.kernel
def find_tears(
    first: int,
    cloth: TearingCloth,
    x: wp.array[wp.vec3],
    # out
    frame_goes_on: wp.array[int],
):
    """Leave out the rest of the frame where a vertex is to be split: it has an edge stretched too
    far, a duplicate, and triangles on both sides. One thread per triangle.
    """
    t = first + wp.tid()
    for k in range(3):
        one = cloth.triangles[t][k]
        other = cloth.triangles[t][(k + 1) % 3]
        edge = wp.vec3d(x[other]) - wp.vec3d(x[one])
        if wp.length(edge) / cloth.rest[t][k] - wp.float64(1.0) > cloth.tear_strain[t]:
            if can_split(one, edge, x, cloth) or can_split(other, -edge, x, cloth):
                frame_goes_on[0] = 0
