# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors at all corners of an element except the first, for one element or eight in lanes."""

import warp as wp

from ..device.lanes import code, vec3s, wide


@wp.struct
class Corners:
    """One vector per corner; triangles have no third."""

    first: wp.vec3
    second: wp.vec3
    third: wp.vec3


CornersInLanes = wide(Corners)


@wp.func_native(
    code("""for (int l = 0; l < count; ++l)
    for (int i = 0; i < 3; ++i) values.data[first + stride * l][i] = rows.data[i][l];""")
)
def write_lanes(rows: vec3s, first: int, stride: int, count: int, values: wp.array[wp.vec3]):
    """Write the vectors of up to eight lanes to `values`, `stride` apart."""
    ...
