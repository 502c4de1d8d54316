# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse matrix A = PᵀHP of affine aggregates (solver/coarse/aggregates.py).

The coefficients z_k [4, 3] of aggregate k change the gradient of an element by z_kᵀ B_k, with
B_k = Σ_{a in k} p_a w_aᵀ over its corners a and their weights w. Elements with the same aggregates
form a chunk. A thread adds up one block (k, l) of one chunk, so no two threads add to the same
place.
"""

import warp as wp

from ..device.options import OPTIONS
from .skyline import Skyline, place

# Loops over modes stay loops: unrolled, they take long to compile.
LOOPS = OPTIONS | {"max_unroll": 2}
wp.set_module_options(LOOPS)

# Rows of a block, each with a thread that gathers it.
ROWS_OF_BLOCK = wp.constant(12)

vec12 = wp.types.vector(length=12, dtype=float)
mat43 = wp.types.matrix(shape=(4, 3), dtype=float)
mat34 = wp.types.matrix(shape=(3, 4), dtype=float)
mat1212 = wp.types.matrix(shape=(12, 12), dtype=float)


@wp.struct
class ElementChunks:
    """Elements of one kind, sorted so that a chunk has corners in the same aggregates."""

    start: wp.array[int]  # [chunk + 1]
    wide_start: wp.array[int]  # [chunk + 1] of elements in lanes
    offset: int  # of the first chunk in the sums of all kinds
    vertex: wp.array[int]  # [chunk] a corner; its chunk has no forces while it is ...
    asleep: wp.array[int]  # ... 1 here [vertex], and no direction leads on from there
    corner: wp.array[int]  # [chunk] slot of its corner forces; -1: all corners in one aggregate
    chunk: wp.array[int]  # [entry], and the two aggregates of its block
    row: wp.array[int]
    column: wp.array[int]


@wp.struct
class Patches:
    """Aggregates on the device (solver/coarse/aggregates.py)."""

    of: wp.array[int]  # [vertex]
    modes: wp.array[wp.vec4]  # [vertex]
    slope: wp.array[mat43]  # [aggregate]
    mode_count: wp.array[int]
    turn: wp.array[wp.mat33]  # rotation since its blocks were found
    body: wp.array[int]  # its component by elements alone
    is_kept: wp.array[int]  # [body] 1 where the blocks found before still do
    row: wp.array[int]  # its first row in its matrix
    first: wp.array[int]  # and in the vector of all unknowns, the rows of all panels
    start: wp.array[int]  # the first column with a place in its rows


@wp.func
def add_turns(block: mat1212, m: int, turns: mat34):
    """The block plus ε_ijk v_k at modes m, n, for v in column n of `turns`."""
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
    """The block plus `scalar` ⊗ I."""
    for m in range(4):
        for n in range(4):
            for i in range(3):
                block[3 * m + i, 3 * n + i] += scalar[m, n]
    return block


@wp.func
def are_apart(k: int, other: int, patches: Patches):
    """True where two aggregates are in different matrices."""
    return patches.first[k] - patches.row[k] != patches.first[other] - patches.row[other]


@wp.func
def has_place(k: int, other: int, patches: Patches):
    """True where the block (k, other) of A, or (other, k) below the diagonal, has a place."""
    if are_apart(k, other, patches):
        return False
    if patches.row[k] < patches.row[other]:
        return patches.row[k] >= patches.start[other]
    return patches.row[other] >= patches.start[k]


@wp.kernel
def gather_blocks(
    first: int,
    start: wp.array[int],
    entry: wp.array[int],
    row: wp.array[int],
    column: wp.array[int],
    inertia: wp.array[wp.mat44],
    partial: wp.array[vec12],
    patches: Patches,
    skyline: Skyline,
    # out
    matrix: wp.array[wp.float64],
):
    """Set a row of a block of A: a sum of its entries, plus the inertia of the aggregate on the
    diagonal. `ROWS_OF_BLOCK` threads per block.
    """
    t = first + wp.tid()
    b = t / ROWS_OF_BLOCK
    m = t % ROWS_OF_BLOCK
    k = row[b]
    other = column[b]
    if m >= 3 * patches.mode_count[k] or not has_place(k, other, patches):
        return
    values = vec12()
    if k == other:
        for n in range(4):
            values[3 * n + m % 3] = inertia[k][m / 3, n]
    for q in range(start[b], start[b + 1]):
        values += partial[ROWS_OF_BLOCK * entry[q] + m]
    is_below = patches.row[k] >= patches.row[other]
    for n in range(3 * patches.mode_count[other]):
        if k != other or m >= n:
            at = place(patches.first[k] + m, patches.row[other] + n, skyline)
            if not is_below:
                at = place(patches.first[other] + n, patches.row[k] + m, skyline)
            matrix[at] = wp.float64(values[n])
