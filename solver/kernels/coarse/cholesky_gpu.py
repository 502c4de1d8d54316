# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky decomposition on the GPU: A = S⁻¹ L Lᵀ S⁻¹ of every matrix of a `Skyline`; S scales its
diagonal to 1. One launch decomposes all matrices, in tiles of PANEL rows.

A thread block finds a tile of L, or a tile of the inverse of a diagonal block of L, by products of
tiles that are found before (left-looking). It waits for each of those (kernels/device/turns.py):
the tiles of a panel come after those of all panels before it, and its tiles of L⁻¹ after those of
L. So the whole takes as long as the chain from one diagonal tile to the next. The block of a
diagonal tile also finds the tile on the left of it, as fewer waits make the chain shorter, and
inverts its factor.

Entries are [column, row of the panel]. A matrix that is not positive definite gives a factor that
is not finite, and a solution that is not finite either.
"""

import warp as wp

from ..device.options import OPTIONS
from ..device.turns import MACROS, NO_MACROS, end_turn, take_turn
from .skyline import PANEL, Skyline

wp.set_module_options(OPTIONS)

# A block has one thread for every entry of a tile.
TILE_THREADS = wp.constant(256)

TILES = (
    MACROS
    + """
#if defined(__CUDA_ARCH__)
    constexpr int threads = 256;
    const int thread = threadIdx.x;
#else
    constexpr int threads = 1, thread = 0;
#endif
    constexpr int size = 256, each = size / threads;
    WHOLE_BLOCK double left[size], right[size];
    int* const done = flags.data + slots * panel;  // of the tiles of L, then of L⁻¹
    // What two tiles are, and all threads meet, once they are found.
    #define FETCH(flag, tile, other_flag, other_tile) do { \\
        MEET; \\
        if (thread == 0) AWAIT(flag, epoch); \\
        if (thread == threads / 2) AWAIT(other_flag, epoch); \\
        MEET; \\
        const double *const one = tile, *const other_one = other_tile; \\
        for (int n = thread; n < size; n += threads) { \\
            left[n] = one[n]; \\
            right[n] = other_one[n]; \\
        } \\
        MEET; \\
    } while (0)
"""
)
NO_TILES = NO_MACROS + "#undef FETCH\n"


@wp.func
def local(panel: int, skyline: Skyline):
    """The number of a panel within its matrix; -1 behind the last panel."""
    g = skyline.matrix[panel]
    number = int(-1)
    if g >= 0:
        number = panel - skyline.first[g]
    return number


@wp.func_native(
    snippet=TILES
    + """
    WHOLE_BLOCK double tile[size], inverted[size], row_scale[16], column_scale[16];
    const int start = skyline.start.data[panel] / 16, column = start + slot;
    const bool is_corner = column == number, has_own = !is_corner || slot > 0;
    // Products of panels `panel` and `other` up to this column.
    const int end = is_corner && has_own ? number - 1 : column;
    const int other = panel - number + end, other_start = skyline.start.data[other] / 16;
    const double* const a = matrix.data;
    const size_t row_begin = 16 * (size_t)skyline.begin.data[panel];
    const size_t other_begin = 16 * (size_t)skyline.begin.data[other];
    const double* const known = lower.data + row_begin - size * start;
    const double* const other_known = lower.data + other_begin - size * other_start;
    int* const other_done = flags.data + slots * other - other_start;
    const int rows = skyline.rows.data[skyline.matrix.data[panel]];
    for (int k = thread; k < 16; k += threads) {
        const double own_size = a[row_begin + size * (number - start) + 17 * k];
        const double other_size = a[other_begin + size * (end - other_start) + 17 * k];
        row_scale[k] = 16 * number + k < rows ? 1.0 / sqrt(own_size) : 0.0;
        column_scale[k] = 16 * end + k < rows ? 1.0 / sqrt(other_size) : 0.0;
        if (is_corner) scale.data[16 * panel + k] = row_scale[k];
    }
    MEET;
    double own[each], corner[each];
    for (int n = thread, k = 0; k < each; n += threads, ++k) {
        const size_t at = row_begin + size * (end - start) + n;
        own[k] = a[at] * row_scale[n % 16] * column_scale[n / 16];
        if (!is_corner) continue;
        const double entry = a[row_begin + size * (number - start) + n];
        corner[k] = entry * row_scale[n % 16] * row_scale[n / 16] + (n % 17 ? 0.0 : shift);
    }
    for (int c = start; c < end; ++c) {
        const bool meets = c >= other_start;
        if (!meets && !is_corner) continue;
        FETCH(done[c - start], known + size * c,
              (meets ? other_done[c] : done[c - start]),
              (meets ? other_known + size * c : known + size * c));
        for (int n = thread, k = 0; k < each; n += threads, ++k)
            for (int m = 0; m < 16; ++m) {
                if (meets) own[k] -= left[16 * m + n % 16] * right[16 * m + n / 16];
                if (is_corner) corner[k] -= left[16 * m + n % 16] * left[16 * m + n / 16];
            }
    }
    if (has_own) {  // times the inverse of the factor on the diagonal
        const double* const factor = inverse.data + size * (span * (size_t)other + end % span);
        MEET;
        for (int n = thread, k = 0; k < each; n += threads, ++k) tile[n] = own[k];
        FETCH(other_done[end], factor, other_done[end], factor);
        for (int n = thread, k = 0; k < each; n += threads, ++k) {
            double sum = 0.0;
            for (int m = 0; m <= n / 16; ++m) sum += tile[16 * m + n % 16] * right[16 * m + n / 16];
            left[n] = sum;
            lower.data[row_begin + size * (end - start) + n] = sum;
        }
        MEET;
    }
    if (is_corner) {
        for (int n = thread, k = 0; k < each; n += threads, ++k) {
            for (int m = 0; m < 16 && has_own; ++m)
                corner[k] -= left[16 * m + n % 16] * left[16 * m + n / 16];
            tile[n] = corner[k];
            inverted[n] = n % 17 ? 0.0 : 1.0;
        }
        // Rows of the tile are eliminated, and those of the identity with them.
        for (int pass = 0; pass < 16; ++pass) {
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
        MEET;
        double* const found = inverse.data + size * (span * (size_t)panel + number % span);
        for (int n = thread; n < size; n += threads)
            found[n] = inverted[n] / sqrt(tile[17 * (n % 16)]);
        MEET;
    }
    if (thread == 0) {
        if (has_own) SET(done[end - start], epoch);
        if (is_corner) SET(done[slot], epoch);
    }
"""
    + NO_TILES
)
def find_tile(
    panel: int,
    number: int,
    slot: int,
    slots: int,
    span: int,
    epoch: int,
    shift: wp.float64,
    skyline: Skyline,
    matrix: wp.array2d[wp.float64],
    flags: wp.array[int],
    scale: wp.array[wp.float64],
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
):
    """Find the tile `slot` of a panel of L, `number` in its matrix; with the last one, on the
    diagonal, the one before it, and S.
    """
    ...


@wp.func_native(
    snippet=TILES
    + """
    const int start = skyline.start.data[panel] / 16, first = panel - number;
    const int begin = number - number % span, column = begin + slot;
    const double* const known = lower.data + 16 * (size_t)skyline.begin.data[panel] - size * start;
    double* const found = inverse.data + size * (span * (size_t)panel + slot);
    double own[each];
    for (int k = 0; k < each; ++k) own[k] = 0.0;
    for (int c = column > start ? column : start; c < number; ++c) {
        const int* const other_done = flags.data + slots * (first + c);
        const int diagonal = c - skyline.start.data[first + c] / 16;
        FETCH(done[c - start], known + size * c,
              other_done[c == column ? diagonal : slots - span + slot],
              inverse.data + size * (span * (size_t)(first + c) + slot));
        for (int n = thread, k = 0; k < each; n += threads, ++k)
            for (int m = 0; m < 16; ++m)
                own[k] += left[16 * m + n % 16] * right[16 * (n / 16) + m];
    }
    WHOLE_BLOCK double product[size];
    for (int n = thread, k = 0; k < each; n += threads, ++k) product[n] = own[k];
    const double* const corner = inverse.data + size * (span * (size_t)panel + number - begin);
    FETCH(done[number - start], corner, done[number - start], corner);
    for (int n = thread; n < size; n += threads) {
        double sum = 0.0;
        for (int m = 0; m <= n % 16; ++m) sum -= left[16 * m + n % 16] * product[16 * (n / 16) + m];
        found[n] = sum;
    }
    MEET;
    if (thread == 0) SET(done[slots - span + slot], epoch);
"""
    + NO_TILES
)
def find_inverse_tile(
    panel: int,
    number: int,
    slot: int,
    slots: int,
    span: int,
    epoch: int,
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    flags: wp.array[int],
    inverse: wp.array2d[wp.float64],
):
    """Find the tile `slot` of a panel of the inverses of blocks of L, left of the diagonal tile:
    −L_pp⁻¹ Σ L_pk (L⁻¹)_kq.
    """
    ...


@wp.kernel
def decompose(
    slots: int,
    span: int,
    shift: wp.float64,
    skyline: Skyline,
    matrix: wp.array2d[wp.float64],
    # in and out
    flags: wp.array[int],
    turns: wp.array[int],
    # out
    scale: wp.array[wp.float64],
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
):
    """Decompose all matrices, a tile per thread block. A panel has `slots` blocks: for tiles of L,
    and the last `span` of them for tiles of L⁻¹, in blocks of as many panels.

    `flags` say which tiles have been found in this launch. The fraction `shift` of the diagonal is
    added to it.
    """
    turn = take_turn(turns)
    panel = turn / slots
    slot = turn % slots
    number = local(panel, skyline)
    epoch = turns[2] + 1
    if number >= 0:
        if slot < slots - span:
            tiles = skyline.width[panel] / PANEL
            if slot == tiles - 1 or slot < tiles - 2:
                find_tile(
                    panel,
                    number,
                    slot,
                    slots,
                    span,
                    epoch,
                    shift,
                    skyline,
                    matrix,
                    flags,
                    scale,
                    lower,
                    inverse,
                )
        elif slot - slots + span < number % span:
            slot -= slots - span
            find_inverse_tile(
                panel, number, slot, slots, span, epoch, skyline, lower, flags, inverse
            )
    end_turn(skyline.matrix.shape[0] * slots, turns)
