# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition on the GPU: A = S⁻¹ L Lᵀ S⁻¹ of every matrix of a `Skyline`; S scales its
diagonal to 1. It works in tiles of PANEL rows, with a launch per column of tiles.

The launch for column c multiplies the tiles A_pc by L_cc⁻ᵀ, which gives L_pc, and takes L_pc L_qcᵀ
off the tiles A_pq on the right. A thread block finds both factors of its tile by itself. That of
the next diagonal tile also inverts its factor, for the next launch.

Entries are [column, row of the panel]; of L⁻¹ only diagonal blocks are stored
(`substitution_gpu.py`). A matrix that is not positive definite gives a factor that is not finite,
and a solution that is not finite either.
"""

import warp as wp

from ..device.options import OPTIONS
from .skyline import PANEL, Skyline

wp.set_module_options(OPTIONS)

# Panels of a block of L that is inverted, and its rows; native code says 8 and 128 as well.
SPAN = wp.constant(8)
ROWS = wp.constant(128)


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
    scale: wp.array[wp.float64],
    # in and out
    matrix: wp.array2d[wp.float64],
):
    """Scale A to a diagonal of 1 + `shift`."""
    panel, k = wp.tid()
    number = local(panel, skyline)
    if number < 0:
        return
    first = panel - number
    own = scale[PANEL * panel + k]
    for n in range(skyline.width[panel]):
        column = skyline.start[panel] + n - PANEL * number
        value = matrix[skyline.begin[panel] + n, k]
        value *= own * scale[PANEL * (first + number) + column]
        if column == k:
            value += shift
        matrix[skyline.begin[panel] + n, k] = value


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    #define WHOLE_BLOCK __shared__
    #define MEET __syncthreads()
    const int threads = blockDim.x, thread = threadIdx.x;
#else
    #define WHOLE_BLOCK
    #define MEET
    const int threads = 1, thread = 0;
#endif
    constexpr int size = 256;  // of a tile
    WHOLE_BLOCK double left[size], right[size], own[size], other_own[size];
    WHOLE_BLOCK double divisor[size], tile[size], inverted[size];
    const int other = pivot + after, begin = skyline.start.data[panel], k = 16 * column;
    const double* const known = rest.data + 16 * (size_t)skyline.begin.data[panel];
    const size_t at = 16 * (size_t)(skyline.begin.data[panel] + k + 16 * after - begin);
    const bool meets = k >= begin, is_corner = after == 1 && other == panel;
    if (meets) {
        const int span_column = 16 * (column % 8);
        const double* corner = inverse.data + 16 * (128 * (size_t)pivot + span_column);
        const int other_begin = skyline.start.data[after ? other : panel];
        const double* above = rest.data;
        above += 16 * (size_t)skyline.begin.data[after ? other : panel];
        for (int n = thread; n < size; n += threads) {
            left[n] = known[16 * (size_t)(k - begin) + n];
            right[n] = above[16 * (size_t)(k - other_begin) + n];
            divisor[n] = corner[n];
        }
        MEET;
        for (int n = thread; n < size; n += threads) {
            double sum = 0.0, other_sum = 0.0;
            for (int m = 0; m <= n / 16; ++m) {
                sum += left[16 * m + n % 16] * divisor[16 * m + n / 16];
                other_sum += right[16 * m + n % 16] * divisor[16 * m + n / 16];
            }
            own[n] = sum;
            other_own[n] = other_sum;
            if (after == 0) lower.data[at + n] = sum;
        }
        MEET;
    }
    for (int n = thread; n < size && after; n += threads) {
        double value = rest.data[at + n];
        for (int m = 0; m < 16 && meets; ++m)
            value -= own[16 * m + n % 16] * other_own[16 * m + n / 16];
        if (is_corner) {
            tile[n] = value;
            inverted[n] = n % 17 ? 0.0 : 1.0;
        } else
            rest.data[at + n] = value;
    }
    // Rows of the tile are eliminated, and those of the identity with them.
    for (int pass = 0; pass < 16 && is_corner; ++pass) {
        MEET;
        const double factor = 1.0 / tile[17 * pass];
        for (int n = thread; n < size; n += threads) {
            const int row = n % 16, col = n / 16;
            if (row <= pass) continue;
            double* const values = col > pass ? tile : inverted;
            const int by = col > pass ? 16 * pass + col : 16 * col + pass;
            values[n] -= factor * tile[16 * pass + row] * values[by];
        }
    }
    if (is_corner) {
        MEET;
        double* const corner = inverse.data + 16 * (128 * (size_t)panel + 16 * ((column + 1) % 8));
        for (int n = thread; n < size; n += threads)
            corner[n] = inverted[n] / sqrt(tile[17 * (n % 16)]);
    }
    #undef WHOLE_BLOCK
    #undef MEET
"""
)
def eliminate_tile(
    column: int,
    pivot: int,
    panel: int,
    after: int,
    skyline: Skyline,
    rest: wp.array2d[wp.float64],
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
):
    """Find tile (panel, `column`) of L if `after` is 0, or else subtract the product from the tile
    `after` columns of tiles to the right.
    """
    ...


@wp.kernel
def eliminate(
    column: int,
    skyline: Skyline,
    # in and out
    rest: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    # out
    lower: wp.array2d[wp.float64],
):
    """Eliminate a column of tiles, a tile per thread block; column −1 only inverts the factor of
    the first tile.
    """
    panel, after = wp.tid()
    number = local(panel, skyline)
    if number <= column or column + after > number:
        return
    pivot = panel - number + column
    meets = skyline.start[panel] <= PANEL * column
    if after > 0:
        meets = meets and skyline.start[pivot + after] <= PANEL * column
    if meets or (after == 1 and number == column + 1):
        eliminate_tile(column, pivot, panel, after, skyline, rest, lower, inverse)
