# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition on the CPU: A = S⁻¹ L Lᵀ S⁻¹ of every matrix of a `Skyline`; S scales its
diagonal to 1. One thread decomposes a matrix; the GPU works in tiles (`cholesky_gpu.py`).

L is found tile by tile, each panel from left to right: A minus the product of the columns left of
the tile and those left of the diagonal tile of its column. A column of a tile is two vectors of
eight. The diagonal holds the inverses, 1/L_kk.
"""

import warp as wp

from ..device.options import OPTIONS
from .skyline import PANEL, Skyline

wp.set_module_options(OPTIONS)

# Fraction of the diagonal that is added to it: the error of float32 sums, and less for bodies at
# rest, whose bending it would stiffen; more, up to a limit, where the decomposition fails.
SHIFT, SHIFT_AT_REST = 1.0e-6, 1.0e-8
MORE_SHIFT = wp.constant(wp.float64(10.0))
MOST_SHIFT = wp.constant(wp.float64(2.0e-3))
# Threads of a launch that share the matrices.
LANES = wp.constant(16)


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    return 0;
#else
    typedef double eight __attribute__((vector_size(64), aligned(8)));
#if defined(__AVX512F__)
    constexpr signed columns = 8;  // as many sums as there are registers for
#else
    constexpr signed columns = 4;
#endif
    // Take Σ left[k][row] right[k][column] over `count` columns k off a tile.
    auto take_product = [](double* tile, const double* left, const double* right, signed count) {
        for (signed column = 0; column < 16; column += columns)
            for (signed row = 0; row < 16; row += 8) {
                eight sums[columns];
                double* place = tile + 16 * column + row;
                const double* factor = right + column;
                #pragma clang loop unroll(full)
                for (signed n = 0; n < columns; ++n) sums[n] = *(const eight*)(place + 16 * n);
                for (signed k = 0; k < count; ++k) {
                    const eight value = *(const eight*)(left + 16 * k + row);
                    #pragma clang loop unroll(full)
                    for (signed n = 0; n < columns; ++n) sums[n] -= value * factor[16 * k + n];
                }
                #pragma clang loop unroll(full)
                for (signed n = 0; n < columns; ++n) *(eight*)(place + 16 * n) = sums[n];
            }
    };
    // Solve for the columns of a tile, whose rows times the transpose of `corner` it is.
    auto divide = [](double* tile, const double* corner) {
        for (signed k = 0; k < 16; ++k) {
            const double inverse = corner[17 * k];
            const eight upper = *(eight*)(tile + 16 * k) * inverse;
            const eight lower = *(eight*)(tile + 16 * k + 8) * inverse;
            *(eight*)(tile + 16 * k) = upper;
            *(eight*)(tile + 16 * k + 8) = lower;
            for (signed n = k + 1; n < 16; ++n) {
                *(eight*)(tile + 16 * n) -= upper * corner[16 * k + n];
                *(eight*)(tile + 16 * n + 8) -= lower * corner[16 * k + n];
            }
        }
    };
    // Decompose a tile on the diagonal; false where it is not positive.
    auto decompose_tile = [](double* tile) {
        for (signed k = 0; k < 16; ++k) {
            double* column = tile + 16 * k;
            if (!(column[k] > 0.0 && column[k] < 2.0)) return false;  // or no number
            const double inverse = column[k] = 1.0 / sqrt(column[k]);
            for (signed row = 0; row < k; ++row) column[row] = 0.0;
            for (signed row = k + 1; row < 16; ++row) column[row] *= inverse;
            for (signed n = k + 1; n < 16; ++n)
                #pragma clang loop vectorize(disable)
                for (signed row = n; row < 16; ++row) tile[16 * n + row] -= column[row] * column[n];
        }
        return true;
    };
    const signed first = skyline.first.data[g], end = skyline.first.data[g + 1];
    for (signed panel = first; panel < end; ++panel) {
        const signed start = skyline.start.data[panel];
        const size_t begin = 16 * (size_t)skyline.begin.data[panel];
        const double* row_scale = scale.data + 16 * (size_t)panel;
        for (signed other = first + start / 16; other <= panel; ++other) {
            const signed other_start = skyline.start.data[other];
            const double* column_scale = scale.data + 16 * (size_t)other;
            const size_t at = begin + 16 * (size_t)(16 * (other - first) - start);
            double* tile = lower.data + at;
            for (signed k = 0; k < 16; ++k)
                for (signed row = 0; row < 16; ++row) {
                    const double entry = matrix.data[at + 16 * k + row];
                    tile[16 * k + row] = entry * row_scale[row] * column_scale[k];
                }
            // What both panels have left of this column.
            const signed from = start > other_start ? start : other_start;
            const double* left = lower.data + begin + 16 * (size_t)(from - start);
            const double* right = lower.data + 16 * (size_t)skyline.begin.data[other];
            right += 16 * (size_t)(from - other_start);
            const signed count = 16 * (other - first) - from;
            if (other == panel)
                for (signed k = 0; k < 16; ++k) tile[17 * k] += shift;
            take_product(tile, left, right, count);
            if (other < panel)
                divide(tile, right + 16 * count);
            else if (!decompose_tile(tile))
                return 0;
        }
    }
    return 1;
#endif
"""
)
def decompose(
    g: int,
    shift: wp.float64,
    skyline: Skyline,
    matrix: wp.array[wp.float64],
    scale: wp.array[wp.float64],
    lower: wp.array[wp.float64],
) -> int:
    """Write L of matrix g, scaled and shifted, to `lower`; return 0 if there is none."""
    ...


@wp.func_native(
    snippet="""
#if !defined(__CUDA_ARCH__)
    typedef double eight __attribute__((vector_size(64), aligned(8)));
    const signed first = skyline.first.data[g], end = skyline.first.data[g + 1];
    double* y = solution.data + 16 * (size_t)first;
    for (signed panel = first; panel < end; ++panel) {
        const double* tile = lower.data + 16 * (size_t)skyline.begin.data[panel];
        const signed own = 16 * (panel - first), start = skyline.start.data[panel];
        eight sums[4] = {*(eight*)(y + own), *(eight*)(y + own + 8), {}, {}};
        for (signed k = start; k < own; k += 2, tile += 32) {
            sums[0] -= *(const eight*)tile * y[k];
            sums[1] -= *(const eight*)(tile + 8) * y[k];
            sums[2] -= *(const eight*)(tile + 16) * y[k + 1];
            sums[3] -= *(const eight*)(tile + 24) * y[k + 1];
        }
        *(eight*)(y + own) = sums[0] + sums[2];
        *(eight*)(y + own + 8) = sums[1] + sums[3];
        for (signed k = 0; k < 16; ++k) {
            const double value = y[own + k] *= tile[17 * k];
            for (signed row = k + 1; row < 16; ++row) y[own + row] -= tile[16 * k + row] * value;
        }
    }
    for (signed panel = end - 1; panel >= first; --panel) {
        const double* tile = lower.data + 16 * (size_t)skyline.begin.data[panel];
        const signed own = 16 * (panel - first), start = skyline.start.data[panel];
        const double* corner = tile + 16 * (size_t)(own - start);
        for (signed k = 15; k >= 0; --k) {
            double value = y[own + k];
            for (signed row = k + 1; row < 16; ++row) value -= corner[16 * k + row] * y[own + row];
            y[own + k] = value * corner[17 * k];
        }
        const eight upper = *(eight*)(y + own), low = *(eight*)(y + own + 8);
        for (signed k = start; k < own; ++k, tile += 16) {
            const eight both = *(const eight*)tile * upper + *(const eight*)(tile + 8) * low;
            y[k] -= ((both[0] + both[1]) + (both[2] + both[3]))
                    + ((both[4] + both[5]) + (both[6] + both[7]));
        }
    }
#endif
"""
)
def substitute(
    g: int, skyline: Skyline, lower: wp.array[wp.float64], solution: wp.array[wp.float64]
):
    """Multiply the scaled right side of matrix g in `solution` by L⁻ᵀ L⁻¹."""
    ...


@wp.func
def first_of_lane(lane: int):
    """The first matrix of a lane: its four bits in reverse order, so that different threads work on
    consecutive matrices.
    """
    return ((lane & 1) << 3) | ((lane & 2) << 1) | ((lane & 4) >> 1) | ((lane & 8) >> 3)


@wp.func
def find_scale(g: int, skyline: Skyline, matrix: wp.array[wp.float64], scale: wp.array[wp.float64]):
    """Set 1/√A_ii of matrix g, 0 behind its last row; return 0 if a diagonal is not positive."""
    good = int(1)
    rows = skyline.rows[g]
    for panel in range(skyline.first[g], skyline.first[g + 1]):
        corner = PANEL * (skyline.begin[panel] + skyline.width[panel] - PANEL)
        row = PANEL * (panel - skyline.first[g])
        for k in range(PANEL):
            inverse = wp.float64(0.0)
            if row + k < rows:
                size = matrix[corner + (PANEL + 1) * k]
                if wp.isfinite(size) and size > wp.float64(0.0):
                    inverse = wp.float64(1.0) / wp.sqrt(size)
                else:
                    good = 0
            scale[PANEL * panel + k] = inverse
    return good


@wp.kernel
def factor(
    first: int,
    least_shift: wp.float64,
    skyline: Skyline,
    matrix: wp.array[wp.float64],
    # out
    lower: wp.array[wp.float64],
    scale: wp.array[wp.float64],
    failed: wp.array[int],
):
    """Decompose the matrices of a lane. One that is not positive definite gets a larger shift;
    `failed` marks those for which none suffices.
    """
    for g in range(first_of_lane(first + wp.tid()), skyline.count[0], LANES):
        found = int(0)
        if find_scale(g, skyline, matrix, scale) != 0:
            shift = wp.float64(least_shift)
            while shift < MOST_SHIFT and found == 0:
                found = decompose(g, shift, skyline, matrix, scale, lower)
                shift *= MORE_SHIFT
        failed[g] = 1 - found


@wp.kernel
def solve(
    first: int,
    skyline: Skyline,
    lower: wp.array[wp.float64],
    scale: wp.array[wp.float64],
    failed: wp.array[int],
    right: wp.array[wp.float64],
    # out
    solution: wp.array[wp.float64],
):
    """Solve the systems of a lane; the solution is 0 where there is no decomposition."""
    for g in range(first_of_lane(first + wp.tid()), skyline.count[0], LANES):
        begin = PANEL * skyline.first[g]
        end = begin + skyline.rows[g]
        for k in range(begin, PANEL * skyline.first[g + 1]):
            solution[k] = wp.float64(0.0)
        if failed[g] == 0:
            for k in range(begin, end):
                solution[k] = scale[k] * right[k]
            substitute(g, skyline, lower, solution)
            for k in range(begin, end):
                solution[k] *= scale[k]
