# SPDX-License-Identifier: GPL-3.0-or-later
"""Solution with the factors of `cholesky_gpu.py` by products, which many threads share.

L has blocks of `span` panels on its diagonal, which are inverted; most matrices have one. Then

    y = L⁻¹ S b,   x = S L⁻ᵀ y

is two products, or more with the panels left of each block. In one launch each product has a thread
block for every panel, which waits for the products before (kernels/device/turns.py).
"""

import warp as wp

from ..device.options import OPTIONS
from ..device.turns import MACROS, NO_MACROS, end_turn, take_turn, wait_for_turns
from .cholesky_gpu import local
from .skyline import Skyline

wp.set_module_options(OPTIONS)

# Products: what columns left of a block take off the right side, L⁻¹, L⁻ᵀ, and what a block takes
# off the columns on its left.
TAKE, FORTH, BACK, GIVE = (wp.constant(k) for k in range(4))


@wp.func_native(
    snippet=MACROS
    + """
#if defined(__CUDA_ARCH__)
    const int threads = blockDim.x, thread = threadIdx.x;
#else
    constexpr int threads = 1, thread = 0;
#endif
    // Two threads share the sum of every entry of tiles.
    constexpr int size = 256, parts = 2;
    WHOLE_BLOCK double sums[parts * size];
    enum { TAKE, FORTH, BACK, GIVE };
    const int first = panel - number, begin = block * span;
    const int count = skyline.first.data[skyline.matrix.data[panel] + 1] - first;
    const int end = begin + span < count ? begin + span : count;
    const bool is_back = product == BACK || product == GIVE;
    const double* const factor = scale.data + 16 * (size_t)first;
    const double* const b = right.data + 16 * (size_t)first;
    double* const y = forth.data + 16 * (size_t)first;
    double* const z = side.data + 16 * (size_t)first;
    const double* const given = product == FORTH || product == GIVE ? z : y;
    const int from = product == TAKE ? skyline.start.data[panel] / 16
                     : product == BACK ? number : begin;
    const int to = product == TAKE ? begin : product == FORTH ? number + 1 : end;
    for (int n = thread; n < parts * size; n += threads) {
        const int entry = n % size, k = is_back ? entry % 16 : entry / 16;
        double sum = 0.0;
        for (int p = from + n / size; p < to; p += parts) {
            const int row = is_back ? p : number, column = is_back ? number : p, at = 16 * p + k;
            const double* tile;
            if (product == FORTH || product == BACK)
                tile = inverse.data + size * (span * (size_t)(first + row) + column - begin);
            else {
                const int start = skyline.start.data[first + row] / 16;
                if (column < start) continue;
                tile = lower.data + 16 * (size_t)skyline.begin.data[first + row];
                tile += size * (column - start);
            }
            const bool is_first = product == FORTH && block == 0;
            sum += tile[entry] * (is_first ? factor[at] * b[at] : given[at]);
        }
        sums[n] = sum;
    }
    MEET;
    for (int k = thread; k < 16; k += threads) {
        double sum = 0.0;
        for (int n = 0; n < 16 * parts; ++n) {
            const int other = n % 16, entry = is_back ? 16 * k + other : 16 * other + k;
            sum += sums[size * (n / 16) + entry];
        }
        const int at = 16 * number + k;
        if (product == TAKE) z[at] = factor[at] * b[at] - sum;
        if (product == FORTH) y[at] = sum;
        if (product == GIVE) y[at] -= sum;
        if (product == BACK) {
            z[at] = sum;
            solution.data[16 * (size_t)first + at] = factor[at] * sum;
        }
    }
"""
    + NO_MACROS
)
def multiply(
    product: int,
    block: int,
    panel: int,
    number: int,
    span: int,
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    scale: wp.array[wp.float64],
    right: wp.array[wp.float64],
    forth: wp.array[wp.float64],
    side: wp.array[wp.float64],
    solution: wp.array[wp.float64],
):
    """Find the part of a panel, `number` in its matrix, in a `product` with a block of L or its
    inverse.
    """
    ...


@wp.func
def groups_of(blocks: int):
    """The number of products that wait for each other, with so many blocks of L."""
    return 4 * blocks - 2


@wp.struct
class Vectors:
    """Vectors of a solution [row of all panels]."""

    scale: wp.array[wp.float64]  # diagonal of S
    right: wp.array[wp.float64]  # b
    forth: wp.array[wp.float64]  # y
    side: wp.array[wp.float64]  # right side of a block, and L⁻ᵀ y
    solution: wp.array[wp.float64]  # x


@wp.kernel
def solve(
    blocks: int,
    span: int,
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    # in and out
    turns: wp.array[int],
    vectors: Vectors,
):
    """Solve all systems; the largest matrix has so many `blocks`. A product is a group of thread
    blocks, one for every panel.
    """
    panels = skyline.matrix.shape[0]
    turn = take_turn(turns)
    panel = turn % panels
    group = turn / panels
    groups = groups_of(blocks)
    # Forth: FORTH, TAKE, FORTH, …; back: BACK, GIVE, BACK, ….
    block = (group + 1) / 2
    product = wp.where(group % 2 == 0, FORTH, TAKE)
    if group >= groups / 2:
        block = (groups - group) / 2
        product = wp.where(group % 2 == groups / 2 % 2, BACK, GIVE)
    number = local(panel, skyline)
    is_mine = number / span == block
    if product == GIVE:
        after = wp.int(0)
        if number >= 0:
            after = skyline.first[skyline.matrix[panel] + 1] - panel + number
        is_mine = number < span * block and span * block < after
    wait_for_turns(panels * group, turns)
    if number >= 0 and is_mine:
        v = vectors
        multiply(
            product,
            block,
            panel,
            number,
            span,
            skyline,
            lower,
            inverse,
            v.scale,
            v.right,
            v.forth,
            v.side,
            v.solution,
        )
    end_turn(panels * groups, turns)
