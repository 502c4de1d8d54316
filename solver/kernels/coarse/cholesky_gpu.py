# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition on the GPU: A = S⁻¹ L Lᵀ S⁻¹ of every matrix of a `Skyline`; S scales its
diagonal to 1. It works in tiles of PANEL rows, with one or two launches per column of tiles.

Entries are [column, row of the panel], so a loaded tile is its transpose. A matrix that is not
positive definite gives a factor that is not finite, and a solution that is not finite either.
"""

import warp as wp

from ..device.options import OPTIONS
from .skyline import PANEL, Skyline

# NVIDIA's libraries for large tiles would compile for a minute.
wp.set_module_options(OPTIONS | {"enable_mathdx_gemm": False, "enable_mathdx_solver": False})


@wp.func
def tile_at(panel: int, column: int, skyline: Skyline):
    """Start of the tile of a panel at `column`, a multiple of PANEL."""
    return skyline.begin[panel] + column - skyline.start[panel]


@wp.func
def local(panel: int, skyline: Skyline):
    """The number of a panel within its matrix; -1 behind the last panel."""
    g = skyline.matrix[panel]
    number = int(-1)
    if g >= 0:
        number = panel - skyline.first[g]
    return number


@wp.kernel
def find_scales(
    skyline: Skyline,
    matrix: wp.array2d[wp.float64],
    # out
    scale: wp.array[wp.float64],
):
    """Set 1/√A_ii, and 0 behind the last row."""
    panel, k = wp.tid()
    number = local(panel, skyline)
    size = wp.float64(0.0)
    if number >= 0 and PANEL * number + k < skyline.rows[skyline.matrix[panel]]:
        size = wp.float64(1.0) / wp.sqrt(matrix[tile_at(panel, PANEL * number + k, skyline), k])
    scale[PANEL * panel + k] = size


@wp.kernel
def apply_scales(
    shift: wp.float64,
    skyline: Skyline,
    matrix: wp.array2d[wp.float64],
    scale: wp.array[wp.float64],
    # out
    lower: wp.array2d[wp.float64],
):
    """Scale A to a diagonal of 1 + `shift`; diagonal tiles get both of their halves."""
    panel, k = wp.tid()
    number = local(panel, skyline)
    if number < 0:
        return
    first = panel - number
    corner = tile_at(panel, PANEL * number, skyline)
    own = scale[PANEL * panel + k]
    for n in range(skyline.width[panel]):
        at = skyline.begin[panel] + n
        column = skyline.start[panel] + n - PANEL * number
        value = matrix[at, k]
        if column > k:
            value = matrix[corner + k, column]
        value *= own * scale[PANEL * (first + number) + column]
        if column == k:
            value += shift
        lower[at, k] = value


@wp.kernel
def factor_column(
    column: int,
    skyline: Skyline,
    # in and out
    lower: wp.array2d[wp.float64],
    # out
    corner: wp.array2d[wp.float64],
):
    """Find L of the tiles in a column of tiles, diagonal tiles in `corner`."""
    panel = wp.tid()
    number = local(panel, skyline)
    k = PANEL * column
    if number < column or skyline.start[panel] > k:
        return
    pivot = panel - number + column
    own = wp.tile_load(
        lower, shape=(PANEL, PANEL), offset=(tile_at(pivot, k, skyline), 0), storage="shared"
    )
    factor = wp.tile_cholesky(own)
    at = tile_at(panel, k, skyline)
    turned = wp.tile_load(lower, shape=(PANEL, PANEL), offset=(at, 0), storage="shared")
    wp.tile_lower_solve_inplace(factor, turned)
    if panel == pivot:
        wp.tile_store(corner, turned, offset=(PANEL * panel, 0))  # others still need A there
    else:
        wp.tile_store(lower, turned, offset=(at, 0))


@wp.kernel
def update_rest(
    column: int,
    skyline: Skyline,
    # in and out
    lower: wp.array2d[wp.float64],
):
    """Subtract the product of a column of L from the rest of A, a tile per thread block."""
    panel, after = wp.tid()
    number = local(panel, skyline)
    k = PANEL * column
    other = panel - number + column + 1 + after
    if number < 0 or other > panel or skyline.start[panel] > k:
        return
    if skyline.start[other] > k:
        return
    one = wp.tile_load(
        lower, shape=(PANEL, PANEL), offset=(tile_at(panel, k, skyline), 0), storage="shared"
    )
    another = wp.tile_load(
        lower, shape=(PANEL, PANEL), offset=(tile_at(other, k, skyline), 0), storage="shared"
    )
    at = tile_at(panel, k + PANEL * (after + 1), skyline)
    rest = wp.tile_load(lower, shape=(PANEL, PANEL), offset=(at, 0), storage="shared")
    wp.tile_matmul(wp.tile_transpose(another), one, rest, alpha=-1.0)
    wp.tile_store(lower, rest, offset=(at, 0))
