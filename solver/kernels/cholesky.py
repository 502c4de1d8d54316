# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition on the GPU, in tiles, one block of threads per matrix.

Left-looking and in place: A = S⁻¹ L Lᵀ S⁻¹ with the diagonal scaled to 1. A matrix that is not
positive definite leads to numbers that are not finite, and so does a solution with it.
"""

import warp as wp

wp.set_module_options({"enable_backward": False})

# Matrices have a multiple of so many rows.
TILE = wp.constant(16)


@wp.kernel
def find_scales(
    shift: wp.float64,
    matrix: wp.array3d[wp.float64],
    # out
    scale: wp.array2d[wp.float64],
):
    """1/√A_ii. Rows that nothing is in get a 1 on the diagonal."""
    g, i = wp.tid()
    size = matrix[g, i, i]
    if size == wp.float64(0.0):
        size = wp.float64(1.0)
        matrix[g, i, i] = size
    matrix[g, i, i] = size * (wp.float64(1.0) + shift)
    scale[g, i] = wp.float64(1.0) / wp.sqrt(size)


@wp.kernel
def apply_scales(scale: wp.array2d[wp.float64], matrix: wp.array3d[wp.float64]):
    """A scaled to a diagonal of 1."""
    g, i, j = wp.tid()
    matrix[g, i, j] = scale[g, i] * matrix[g, i, j] * scale[g, j]


@wp.kernel
def factor(matrix: wp.array3d[wp.float64]):
    """L in the place of the lower triangle of A."""
    g = wp.tid()
    rows = matrix.shape[1]
    for k in range(0, rows, TILE):
        own = wp.tile_reshape(
            wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, k, k), storage="shared"),
            shape=(TILE, TILE),
        )
        for j in range(0, k, TILE):
            left = wp.tile_reshape(
                wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, k, j)), shape=(TILE, TILE)
            )
            wp.tile_matmul(left, wp.tile_transpose(left), own, alpha=-1.0)
        lower = wp.tile_cholesky(own)
        wp.tile_store(matrix, wp.tile_reshape(lower, shape=(1, TILE, TILE)), offset=(g, k, k))
        for i in range(k + TILE, rows, TILE):
            below = wp.tile_reshape(
                wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, i, k), storage="shared"),
                shape=(TILE, TILE),
            )
            for j in range(0, k, TILE):
                one = wp.tile_reshape(
                    wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, i, j)),
                    shape=(TILE, TILE),
                )
                other = wp.tile_reshape(
                    wp.tile_load(matrix, shape=(1, TILE, TILE), offset=(g, k, j)),
                    shape=(TILE, TILE),
                )
                wp.tile_matmul(one, wp.tile_transpose(other), below, alpha=-1.0)
            turned = wp.tile_transpose(below)
            wp.tile_lower_solve_inplace(lower, turned)
            wp.tile_store(
                matrix,
                wp.tile_reshape(wp.tile_transpose(turned), shape=(1, TILE, TILE)),
                offset=(g, i, k),
            )


@wp.kernel
def solve(
    lower: wp.array3d[wp.float64],
    # in and out
    y: wp.array3d[wp.float64],
):
    """L⁻ᵀ L⁻¹ y of scaled right sides [n, m, 1]."""
    g = wp.tid()
    rows = lower.shape[1]
    for k in range(0, rows, TILE):
        part = wp.tile_reshape(
            wp.tile_load(y, shape=(1, TILE, 1), offset=(g, k, 0), storage="shared"), shape=(TILE, 1)
        )
        for j in range(0, k, TILE):
            left = wp.tile_reshape(
                wp.tile_load(lower, shape=(1, TILE, TILE), offset=(g, k, j)), shape=(TILE, TILE)
            )
            known = wp.tile_reshape(
                wp.tile_load(y, shape=(1, TILE, 1), offset=(g, j, 0)), shape=(TILE, 1)
            )
            wp.tile_matmul(left, known, part, alpha=-1.0)
        own = wp.tile_reshape(
            wp.tile_load(lower, shape=(1, TILE, TILE), offset=(g, k, k)), shape=(TILE, TILE)
        )
        wp.tile_lower_solve_inplace(own, part)
        wp.tile_store(y, wp.tile_reshape(part, shape=(1, TILE, 1)), offset=(g, k, 0))
    for step in range(TILE, rows + TILE, TILE):
        k = rows - step
        part = wp.tile_reshape(
            wp.tile_load(y, shape=(1, TILE, 1), offset=(g, k, 0), storage="shared"), shape=(TILE, 1)
        )
        for j in range(k + TILE, rows, TILE):
            below = wp.tile_reshape(
                wp.tile_load(lower, shape=(1, TILE, TILE), offset=(g, j, k)), shape=(TILE, TILE)
            )
            known = wp.tile_reshape(
                wp.tile_load(y, shape=(1, TILE, 1), offset=(g, j, 0)), shape=(TILE, 1)
            )
            wp.tile_matmul(wp.tile_transpose(below), known, part, alpha=-1.0)
        own = wp.tile_reshape(
            wp.tile_load(lower, shape=(1, TILE, TILE), offset=(g, k, k)), shape=(TILE, TILE)
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
