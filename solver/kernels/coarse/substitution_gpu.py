# SPDX-License-Identifier: GPL-3.0-or-later
"""Solution with the factors of `cholesky_gpu.py` by products, which many threads share.

Diagonal blocks of L, of SPAN panels each, are inverted once: from their tiles, blocks of two, four
and eight panels,

    [ L₁    ]⁻¹   [     L₁⁻¹             ]
    [ B  L₂ ]   = [ −L₂⁻¹ B L₁⁻¹   L₂⁻¹ ]

A solution then takes two products per block of rows, there and back, by one thread block.

`inverse` has SPAN tiles for every panel: entry [column, row of the panel], columns counted from the
first one of its span.
"""

import warp as wp

from ..device.options import OPTIONS
from .cholesky_gpu import ROWS, SPAN, local
from .skyline import PANEL, Skyline

wp.set_module_options(OPTIONS)


@wp.func
def is_lower_half(number: int, panels: int):
    """True for a panel in the lower half of a block of 2 `panels`; `number` in its matrix."""
    return number >= 0 and number % (2 * panels) >= panels


@wp.kernel
def multiply_upper(
    panels: int,
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    # out
    product: wp.array2d[wp.float64],
):
    """Find B L₁⁻¹ in blocks of 2 `panels`, an entry per thread."""
    panel, column, row = wp.tid()
    number = local(panel, skyline)
    if not is_lower_half(number, panels):
        return
    upper = number - number % panels - panels  # first panel of L₁
    offset = PANEL * (upper % SPAN)
    shift = skyline.begin[panel] - skyline.start[panel]
    value = wp.float64(0.0)
    for k in range(wp.max(column, skyline.start[panel] - PANEL * upper), PANEL * panels):
        at = ROWS * (panel - number + upper + k / PANEL) + offset + column
        value += lower[shift + PANEL * upper + k, row] * inverse[at, k % PANEL]
    product[ROWS * panel + offset + column, row] = value


@wp.kernel
def multiply_lower(
    panels: int,
    skyline: Skyline,
    product: wp.array2d[wp.float64],
    # in and out
    inverse: wp.array2d[wp.float64],
):
    """Find −L₂⁻¹ (B L₁⁻¹) in blocks of 2 `panels`, an entry per thread."""
    panel, column, row = wp.tid()
    number = local(panel, skyline)
    if not is_lower_half(number, panels):
        return
    begin = number - number % panels  # first panel of L₂
    at = ROWS * panel + PANEL * (begin % SPAN)
    offset = PANEL * (begin % SPAN) - PANEL * panels + column
    value = wp.float64(0.0)
    for k in range(PANEL * (number - begin + 1)):
        above = ROWS * (panel - number + begin + k / PANEL) + offset
        value -= inverse[at + k, row] * product[above, k % PANEL]
    inverse[ROWS * panel + offset, row] = value


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
    // A sum over columns or panels is shared by `parts` threads per row.
    constexpr int span = 8, rows = 128, parts = 4;
    WHOLE_BLOCK double sums[parts * rows], side[rows];
    const int first = skyline.first.data[g], end = skyline.first.data[g + 1];
    const double* const factor = scale.data + 16 * (size_t)first;
    const double* const b = right.data + 16 * (size_t)first;
    double* const y = solution.data + 16 * (size_t)first;
    for (int begin = first; begin < end; begin += span) {
        const int offset = 16 * (begin - first);
        const int count = 16 * (end - begin < span ? end - begin : span);
        for (int n = thread; n < parts * count; n += threads) {
            const int row = n % count, panel = begin + row / 16;
            const int start = skyline.start.data[panel];
            const double* left = lower.data + 16 * (size_t)skyline.begin.data[panel] + row % 16;
            double sum = 0.0;
            for (int column = start + n / count; column < offset; column += parts)
                sum += left[16 * (size_t)(column - start)] * y[column];
            sums[n] = sum;
        }
        MEET;
        for (int row = thread; row < count; row += threads) {
            double value = factor[offset + row] * b[offset + row];
            for (int n = 0; n < parts; ++n) value -= sums[count * n + row];
            side[row] = value;
        }
        MEET;
        for (int n = thread; n < parts * count; n += threads) {
            const int row = n % count;
            const double* own = inverse.data + 16 * rows * (size_t)(begin + row / 16) + row % 16;
            double sum = 0.0;
            for (int column = n / count; column < 16 * (row / 16 + 1); column += parts)
                sum += own[16 * column] * side[column];
            sums[n] = sum;
        }
        MEET;
        for (int row = thread; row < count; row += threads) {
            double value = 0.0;
            for (int n = 0; n < parts; ++n) value += sums[count * n + row];
            y[offset + row] = value;
        }
        MEET;
    }
    for (int begin = end - 1 - (end - 1 - first) % span; begin >= first; begin -= span) {
        const int offset = 16 * (begin - first);
        const int panels = end - begin < span ? end - begin : span, count = 16 * panels;
        for (int n = thread; n < parts * count; n += threads) {
            const int column = n % count;
            double sum = 0.0;
            for (int panel = column / 16 + n / count; panel < panels; panel += parts) {
                const double* own = inverse.data + 16 * (rows * (size_t)(begin + panel) + column);
                for (int row = 0; row < 16; ++row) sum += own[row] * y[offset + 16 * panel + row];
            }
            sums[n] = sum;
        }
        MEET;
        for (int column = thread; column < count; column += threads) {
            double value = 0.0;
            for (int n = 0; n < parts; ++n) value += sums[count * n + column];
            side[column] = value;
            y[offset + column] = factor[offset + column] * value;
        }
        MEET;
        int least = offset;
        for (int panel = begin; panel < begin + panels; ++panel)
            least = skyline.start.data[panel] < least ? skyline.start.data[panel] : least;
        for (int column = least + thread; column < offset; column += threads) {
            double sum = 0.0;
            for (int panel = 0; panel < panels; ++panel) {
                const int from = column - skyline.start.data[begin + panel];
                if (from < 0) continue;
                const double* left = lower.data;
                left += 16 * ((size_t)skyline.begin.data[begin + panel] + from);
                for (int row = 0; row < 16; ++row) sum += left[row] * side[16 * panel + row];
            }
            y[column] -= sum;
        }
        MEET;
    }
    #undef WHOLE_BLOCK
    #undef MEET
"""
)
def substitute(
    g: int,
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    scale: wp.array[wp.float64],
    right: wp.array[wp.float64],
    solution: wp.array[wp.float64],
):
    """Set the solution of matrix g to S L⁻ᵀ L⁻¹ S times its right side, with all threads of a
    block.
    """
    ...


@wp.kernel
def solve(
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    scale: wp.array[wp.float64],
    right: wp.array[wp.float64],
    # out
    solution: wp.array[wp.float64],
):
    """Solve all systems, a thread block per matrix."""
    g = wp.tid()
    if g < skyline.count[0]:
        substitute(g, skyline, lower, inverse, scale, right, solution)
