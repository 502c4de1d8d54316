# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition on the GPU, in tiles, a launch or two for each column of tiles.

In place: A = S⁻¹ L Lᵀ S⁻¹ with the diagonal scaled to 1. Row i holds the columns
from start[i] on, those before are zero, and only rows before stop[i] hold column i; both are
multiples of TILE and grow with i. A matrix that is not positive definite leads to numbers that are
not finite, and so does a solution with it.
"""

import warp as wp

from ..options import QUICK

wp.set_module_options(QUICK)

# Matrices have a multiple of so many rows.
TILE = wp.constant(16)


@wp.kernel
def find_scales(
    shift: wp.float64,
    start: wp.array[int],
    # in and out
    matrix: wp.array3d[wp.float64],
    # out
    scale: wp.array2d[wp.float64],
):
    """1/√A_ii. Rows that nothing is in get a 1 on the diagonal."""
    g, i = wp.tid()
    place = i - start[i]
    size = matrix[g, i, place]
    if size == wp.float64(0.0):
        size = wp.float64(1.0)
    matrix[g, i, place] = size * (wp.float64(1.0) + shift)
    scale[g, i] = wp.float64(1.0) / wp.sqrt(size)


@wp.kernel
def apply_scales(
    scale: wp.array2d[wp.float64],
    start: wp.array[int],
    # in and out
    matrix: wp.array3d[wp.float64],
):
    """A scaled to a diagonal of 1."""
    g, i, place = wp.tid()
    j = start[i] + place
    if j < matrix.shape[1]:
        matrix[g, i, place] = scale[g, i] * matrix[g, i, place] * scale[g, j]


@wp.kernel
def factor_column(
    k: int,
    start: wp.array[int],
    # in and out
    matrix: wp.array3d[wp.float64],
    # out
    corner: wp.array3d[wp.float64],
):
    """L of the tiles in column k, the one on the diagonal in `corner` [n, m, TILE]."""
    g, t = wp.tid()
    i = k + TILE * t
    own = wp.tile_reshape(
        wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, k, k - start[k]), storage="shared"),
        shape=(TILE, TILE),
    )
    lower = wp.tile_cholesky(own)
    below = wp.tile_reshape(
        wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, i, k - start[i]), storage="shared"),
        shape=(TILE, TILE),
    )
    turned = wp.tile_transpose(below)
    wp.tile_lower_solve_inplace(lower, turned)
    found = wp.tile_reshape(wp.tile_transpose(turned), shape=(1, TILE, TILE))
    if t == 0:
        wp.tile_store(corner, found, offset=(g, k, 0))  # others still need A there
    else:
        wp.tile_store(matrix, found, offset=(g, i, k - start[i]))


@wp.kernel
def update_rest(
    k: int,
    start: wp.array[int],
    # in and out
    matrix: wp.array3d[wp.float64],
):
    """Take what column k of L stands for off the rest of A, a tile per block of threads."""
    g, t, u = wp.tid()
    if u > t:
        return
    i = k + TILE * (t + 1)
    j = k + TILE * (u + 1)
    one = wp.tile_reshape(
        wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, i, k - start[i])),
        shape=(TILE, TILE),
    )
    other = wp.tile_reshape(
        wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, j, k - start[j])),
        shape=(TILE, TILE),
    )
    rest = wp.tile_reshape(
        wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, i, j - start[i]), storage="shared"),
        shape=(TILE, TILE),
    )
    wp.tile_matmul(one, wp.tile_transpose(other), rest, alpha=-1.0)
    wp.tile_store(matrix, wp.tile_reshape(rest, shape=(1, TILE, TILE)), offset=(g, i, j - start[i]))


@wp.kernel
def solve(
    lower: wp.array3d[wp.float64],
    corner: wp.array3d[wp.float64],
    start: wp.array[int],
    stop: wp.array[int],
    # in and out
    y: wp.array3d[wp.float64],
):
    """L⁻ᵀ L⁻¹ y of scaled right sides [n, m, 1]."""
    g = wp.tid()
    rows = lower.shape[1]
    for k in range(0, rows, TILE):
        begin = start[k]
        part = wp.tile_reshape(
            wp.tile_load(y, shape=(1, TILE, 1), offset=(g, k, 0), storage="shared"), shape=(TILE, 1)
        )
        for j in range(begin, k, TILE):
            left = wp.tile_reshape(
                wp.tile_load(lower, shape=(1, TILE, TILE), offset=(g, k, j - begin)),
                shape=(TILE, TILE),
            )
            known = wp.tile_reshape(
                wp.tile_load(y, shape=(1, TILE, 1), offset=(g, j, 0)), shape=(TILE, 1)
            )
            wp.tile_matmul(left, known, part, alpha=-1.0)
        own = wp.tile_reshape(
            wp.tile_load(corner, shape=(1, TILE, TILE), offset=(g, k, 0)), shape=(TILE, TILE)
        )
        wp.tile_lower_solve_inplace(own, part)
        wp.tile_store(y, wp.tile_reshape(part, shape=(1, TILE, 1)), offset=(g, k, 0))
    for step in range(TILE, rows + TILE, TILE):
        k = rows - step
        part = wp.tile_reshape(
            wp.tile_load(y, shape=(1, TILE, 1), offset=(g, k, 0), storage="shared"), shape=(TILE, 1)
        )
        for j in range(k + TILE, stop[k], TILE):
            below = wp.tile_reshape(
                wp.tile_load(lower, shape=(1, TILE, TILE), offset=(g, j, k - start[j])),
                shape=(TILE, TILE),
            )
            known = wp.tile_reshape(
                wp.tile_load(y, shape=(1, TILE, 1), offset=(g, j, 0)), shape=(TILE, 1)
            )
            wp.tile_matmul(wp.tile_transpose(below), known, part, alpha=-1.0)
        own = wp.tile_reshape(
            wp.tile_load(corner, shape=(1, TILE, TILE), offset=(g, k, 0)), shape=(TILE, TILE)
        )
        wp.tile_upper_solve_inplace(wp.tile_transpose(own), part)
        wp.tile_store(y, wp.tile_reshape(part, shape=(1, TILE, 1)), offset=(g, k, 0))


@wp.kernel
def scale_vectors(
    scale: wp.array2d[wp.float64],
    values: wp.array3d[wp.float64],
    # out
    scaled: wp.array3d[wp.float64],
):
    """S v of vectors [n, m, 1]."""
    g, i = wp.tid()
    scaled[g, i, 0] = scale[g, i] * values[g, i, 0]
