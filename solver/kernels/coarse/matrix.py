# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse matrix A = PᵀHP of affine aggregates (solver/coarse/aggregates.py).

An element sees the aggregates of its corners through B_k = Σ_{a in k} p_a w_aᵀ, w its weights: the
coefficients z_k [4, 3] of aggregate k change its gradient by z_kᵀ B_k. Elements with the same
aggregates form a chunk, and a thread adds up one block (k, l) of one chunk, so nothing is added by
two at once.
"""

import warp as wp

from ..options import QUICK

# Loops over modes stay loops: unrolled, they take long to compile.
LOOPS = QUICK | {"max_unroll": 2}
wp.set_module_options(LOOPS)

vec12 = wp.types.vector(length=12, dtype=float)
mat43 = wp.types.matrix(shape=(4, 3), dtype=float)
mat34 = wp.types.matrix(shape=(3, 4), dtype=float)
mat1212 = wp.types.matrix(shape=(12, 12), dtype=float)


@wp.struct
class Chunks:
    """Elements of one kind, sorted so that each chunk sees the same aggregates."""

    start: wp.array[int]  # [chunk + 1]
    offset: int  # of the first chunk in the sums of all kinds
    corner: wp.array[int]  # [chunk] where forces on corners go; -1: one aggregate has all of them
    chunk: wp.array[int]  # [entry] and the two aggregates whose block it adds to
    row: wp.array[int]
    column: wp.array[int]


@wp.struct
class Patches:
    """Aggregates on the device; see solver/coarse/aggregates.py."""

    of: wp.array[int]  # [vertex]
    modes: wp.array[wp.vec4]  # [vertex]
    slope: wp.array[mat43]  # [aggregate]
    mode_count: wp.array[int]
    turn: wp.array[wp.mat33]  # rotation since the matrix was put together
    matrix: wp.array[int]  # where the matrix of its group begins, and the places of a row of that
    width: wp.array[int]
    row: wp.array[int]  # its first row there
    first: wp.array[int]  # and in the vector of all unknowns
    start: wp.array[int]  # columns that its rows have places for: from here, up to `end`
    end: wp.array[int]


@wp.func
def add_turns(block: mat1212, m: int, turns: mat34):
    """The block with ε_ijk v_k added at modes m, n, for v in column n of `turns`."""
    for n in range(4):
        block[3 * m, 3 * n + 1] += turns[2, n]
        block[3 * m, 3 * n + 2] -= turns[1, n]
        block[3 * m + 1, 3 * n] -= turns[2, n]
        block[3 * m + 1, 3 * n + 2] += turns[0, n]
        block[3 * m + 2, 3 * n] += turns[1, n]
        block[3 * m + 2, 3 * n + 1] -= turns[0, n]
    return block


@wp.func
def add_isotropic(block: mat1212, scalar: wp.mat44):
    """The block with `scalar` ⊗ I added."""
    for m in range(4):
        for n in range(4):
            for i in range(3):
                block[3 * m + i, 3 * n + i] += scalar[m, n]
    return block


@wp.func
def block_offset(k: int, other: int, patches: Patches):
    """Where the block (k, other) of A begins; -1 where it has no place."""
    offset = int(-1)
    column = patches.row[other]
    if patches.matrix[k] == patches.matrix[other]:
        if column >= patches.start[k] and column < patches.end[k]:
            offset = patches.matrix[k] + patches.row[k] * patches.width[k]
            offset += column - patches.start[k]
    return offset


@wp.kernel
def gather_blocks(
    start: wp.array[int],
    entry: wp.array[int],
    row: wp.array[int],
    column: wp.array[int],
    inertia: wp.array[wp.mat44],
    partial: wp.array[mat1212],
    patches: Patches,
    # out
    matrix: wp.array[wp.float64],
):
    """Blocks of A: the sums of their entries, and on the diagonal the inertia of the aggregate."""
    b = wp.tid()
    k = row[b]
    other = column[b]
    block = mat1212()
    if k == other:
        block = add_isotropic(block, inertia[k])
    for q in range(start[b], start[b + 1]):
        block += partial[entry[q]]
    offset = block_offset(k, other, patches)
    mirrored = block_offset(other, k, patches)
    for m in range(3 * patches.mode_count[k]):
        for n in range(3 * patches.mode_count[other]):
            value = wp.float64(block[m, n])
            if offset >= 0:
                matrix[offset + m * patches.width[k] + n] = value
            if mirrored >= 0:
                matrix[mirrored + n * patches.width[k] + m] = value
