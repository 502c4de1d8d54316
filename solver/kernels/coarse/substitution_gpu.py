# SPDX-License-Identifier: GPL-3.0-or-later
"""Solution with the factors of `cholesky_gpu.py` by products, which many threads share.

L has blocks of `span` panels on its diagonal, which are inverted; most matrices have one. Then

    y = L⁻¹ S b,   x = S L⁻ᵀ y

is two products, or more with the panels left of each block. Each has a thread block for every
panel, which waits for the products before (kernels/device/turns.py). The same launch restricts
forces before, and prolongs solutions behind them.
"""

import warp as wp

from ..device.options import OPTIONS
from ..device.turns import MACROS, NO_MACROS, end_turn, take_turn, wait_for_turns
from .cholesky_gpu import local
from .coarse_step import Members, Moves, prolong_chunk
from .matrix import Patches
from .restriction import Pulls, restrict_mode, sum_chunk
from .shapes import sum_shape, turn_by_block
from .skyline import Skyline

wp.set_module_options(OPTIONS)

# Threads of a block.
THREADS = wp.constant(512)
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


@wp.func
def multiply_in_group(
    group: int,
    panel: int,
    blocks: int,
    span: int,
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    v: Vectors,
):
    """Find the part of a panel in the product that is number `group`: forth they are FORTH, TAKE,
    FORTH, …; back BACK, GIVE, BACK, …. The largest matrix has so many `blocks`.
    """
    half = groups_of(blocks) / 2
    block = (group + 1) / 2
    product = wp.where(group % 2 == 0, FORTH, TAKE)
    if group >= half:
        block = (2 * half - group) / 2
        product = wp.where(group % 2 == half % 2, BACK, GIVE)
    number = local(panel, skyline)
    if number < 0:
        return
    count = skyline.first[skyline.matrix[panel] + 1] - panel + number
    is_mine = number / span == block
    if product == GIVE:
        is_mine = number < span * block and span * block < count
    if is_mine:
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


@wp.func
def prepare(thread: int, patches: Patches, members: Members, pulls: Pulls, moves: Moves):
    """Sum up a chunk of forces or the shape of a chunk of vertices, or copy a position."""
    chunk = thread - pulls.elements
    i = chunk - members.shape.shape[0]
    if chunk < 0:
        sum_chunk(thread, patches, pulls)
    elif i < 0:
        if patches.mode_count[patches.of[members.vertex[members.start[chunk]]]] == 4:
            sum_shape(chunk, moves.x, patches, members)
    elif i < moves.x.shape[0]:
        moves.before[i] = moves.x[i]
        moves.moved[i] = moves.x[i]


@wp.kernel(launch_bounds=int(THREADS))
def solve(
    begins: wp.vec4i,
    blocks: int,
    span: int,
    skyline: Skyline,
    lower: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    # in and out
    patches: Patches,
    members: Members,
    pulls: Pulls,
    vectors: Vectors,
    moves: Moves,
    turns: wp.array[int],
):
    """Find turns, restrict forces, solve all systems, and prolong their solutions.

    Thread blocks sum up chunks of shapes and forces; from begins[0] on they restrict a mode of an
    aggregate each; from begins[1] on there are groups for the products, one for every panel in
    each; from begins[2] on they prolong to chunks of vertices, up to begins[3].
    """
    _block, lane = wp.tid()
    turn = take_turn(turns)
    if turn < begins[0]:
        for thread in range(THREADS * turn + lane, THREADS * (turn + 1), wp.block_dim()):
            prepare(thread, patches, members, pulls, moves)
    elif turn < begins[1]:
        wait_for_turns(begins[0], turns)
        k, m = (turn - begins[0]) / 4, (turn - begins[0]) % 4
        rotation = turn_by_block(k, lane, patches, members)
        restrict_mode(k, m, lane, rotation, patches, pulls, vectors.right)
        if m == 0 and lane == 0:
            patches.turn[k] = rotation
    elif turn < begins[2]:
        panels = skyline.matrix.shape[0]
        group = (turn - begins[1]) / panels
        wait_for_turns(begins[1] + panels * group, turns)
        panel = turn - begins[1] - panels * group
        multiply_in_group(group, panel, blocks, span, skyline, lower, inverse, vectors)
    else:
        wait_for_turns(begins[2], turns)
        first = THREADS * (turn - begins[2])
        for chunk in range(first + lane, first + THREADS, wp.block_dim()):
            if chunk < members.shape.shape[0]:
                prolong_chunk(chunk, vectors.solution, members, patches, moves)
    end_turn(begins[3], turns)
