# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of the coarse matrix, built from the functions of an element kind:

    ∂²E/∂G² ≈ Σ_m c_m vec(Q_m) vec(Q_m)ᵀ + (M + μ I) ⊗ I + t ∂cof F/∂F

summed over the chunks of `matrix.py`; F are the first three columns of G.
"""

from functools import cache

import warp as wp

from ..elements.linear_algebra import column
from ..elements.table import module_of
from .matrix import LOOPS, ElementChunks, Patches, add_isotropic, add_turns, mat34, mat1212, vec12


@cache
def deformation_columns(rows, columns):
    """The function that returns the columns of F, the first three, of [rows, columns]."""
    wide = wp.types.matrix(shape=(rows, columns), dtype=float)
    narrow = wp.types.matrix(shape=(rows, 3), dtype=float)

    @wp.func
    def first_three(values: wide):
        narrowed = narrow()
        for r in range(rows):
            for c in range(3):
                narrowed[r, c] = values[r, c]
        return narrowed

    @wp.func
    def all_of_it(values: wide):
        return values

    return all_of_it if columns == 3 else first_three


# Warp would copy the matrices to add them.
OUTER = """float* row = &blocks.data[entry].data[0][0];
#if defined(__CUDA_ARCH__)
for (int i = 0; i < 12; ++i, row += 12) for (int j = 0; j < 12; ++j) row[j] += scale * a[i] * b[j];
#else
typedef float v __attribute__((vector_size(16), aligned(4), may_alias));
const v b_0 = *(v*)&b[0], b_1 = *(v*)&b[4], b_2 = *(v*)&b[8];
for (int i = 0; i < 12; ++i, row += 12) {
    const float s = scale * a[i];
    *(v*)row += s * b_0;
    *(v*)(row + 4) += s * b_1;
    *(v*)(row + 8) += s * b_2;
}
#endif
"""


@wp.func_native(OUTER)
def add_outer(scale: float, a: vec12, b: vec12, entry: int, blocks: wp.array[mat1212]):
    """Add scale a bᵀ to a block."""
    ...


def between_kernel(kind):
    """The kernel for blocks of elements with corners in any aggregates."""
    Element, Rest, corners, squares = kind.element, kind.rest, kind.corners, kind.squares
    gradient_of, weight_of = kind.gradient, kind.weight
    square_of, turning_of = kind.square, kind.turning
    spread_of, shear_of = kind.spread, kind.shear
    mat4k = wp.types.matrix(shape=(4, kind.columns), dtype=float)
    mat3k = wp.types.matrix(shape=(3, kind.columns), dtype=float)
    of_f = deformation_columns(4, kind.columns)

    @wp.func
    def projected_weights(k: int, element: Element, patches: Patches):
        """B_k = Σ p_a w_aᵀ over the corners in aggregate k."""
        b = mat4k()
        c = int(0)
        while c < corners:
            v = element.corners[c]
            if patches.of[v] == k:
                b += wp.outer(patches.modes[v], weight_of(element, c))
            c += 1
        return b

    @wp.func
    def applied(b: mat4k, q: mat3k):
        """B Qᵀ as a row of entries [mode, axis]."""
        row = vec12()
        for m in range(4):
            for i in range(3):
                row[3 * m + i] = wp.dot(b[m], q[i])
        return row

    @wp.kernel(module=module_of(kind, "coarse_matrix", LOOPS))
    def add_between(
        first: int,
        chunks: ElementChunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[Rest],
        patches: Patches,
        # out
        partial: wp.array[mat1212],
    ):
        """Add a block of elements with corners in any aggregates, or in one and at pins."""
        entry = first + wp.tid()
        chunk = chunks.chunk[entry]
        k = chunks.row[entry]
        other = chunks.column[entry]
        if patches.is_kept[patches.body[k]] != 0:
            return
        partial[entry] = mat1212()
        scalar = wp.mat44(0.0)
        turns_0 = mat34()
        turns_1 = mat34()
        turns_2 = mat34()
        turns_3 = mat34()
        for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
            element = elements[e]
            g = gradient_of(element, x)
            b_k = projected_weights(k, element, patches)
            b_l = projected_weights(other, element, patches)
            if wp.static(square_of is not None):
                m = int(0)
                while m < squares:
                    scale, change = square_of(element, rest, g, m)
                    add_outer(scale, applied(b_k, change), applied(b_l, change), entry, partial)
                    m += 1
            if wp.static(spread_of is not None):
                scalar += b_k * spread_of(element, rest, g) * wp.transpose(b_l)
            if wp.static(shear_of is not None):
                scalar += shear_of(element) * (b_k * wp.transpose(b_l))
            if wp.static(turning_of is not None):
                f = turning_of(element, rest, g)
                own = of_f(b_k)
                across = wp.transpose(of_f(b_l))
                turns_0 += f * wp.skew(own[0]) * across
                turns_1 += f * wp.skew(own[1]) * across
                turns_2 += f * wp.skew(own[2]) * across
                turns_3 += f * wp.skew(own[3]) * across
        block = partial[entry]
        if wp.static(turning_of is not None):
            block = add_turns(block, 0, turns_0)
            block = add_turns(block, 1, turns_1)
            block = add_turns(block, 2, turns_2)
            block = add_turns(block, 3, turns_3)
        partial[entry] = add_isotropic(block, scalar)

    return add_between


def inside_kernel(kind):
    """The kernel for blocks of solids with all corners in one aggregate: sums over G first, then B,
    which is the slope of the modes for all of them.
    """
    Element, Rest, squares = kind.element, kind.rest, kind.squares
    gradient_of, square_of = kind.gradient, kind.square
    shear_of, turning_of = kind.shear, kind.turning
    of_f = deformation_columns(3, kind.columns)

    @wp.kernel(module=module_of(kind, "coarse_matrix", LOOPS))
    def add_inside(
        first: int,
        chunks: ElementChunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[Rest],
        patches: Patches,
        # out
        partial: wp.array[mat1212],
    ):
        """Add the block of solid elements with all corners in one aggregate."""
        entry = first + wp.tid()
        if patches.is_kept[patches.body[chunks.row[entry]]] != 0:
            return
        chunk = chunks.chunk[entry]
        # Σ c q_k q_lᵀ for the columns of Q.
        s_00 = wp.mat33(0.0)
        s_01 = wp.mat33(0.0)
        s_02 = wp.mat33(0.0)
        s_11 = wp.mat33(0.0)
        s_12 = wp.mat33(0.0)
        s_22 = wp.mat33(0.0)
        shear = float(0.0)
        turn = wp.mat33(0.0)
        for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
            element = elements[e]
            g = gradient_of(element, x)
            m = int(0)
            while m < squares:
                scale, all_of_change = square_of(element, rest, g, m)
                change = of_f(all_of_change)
                q_0 = column(change, 0)
                q_1 = column(change, 1)
                q_2 = column(change, 2)
                s_00 += wp.outer(scale * q_0, q_0)
                s_01 += wp.outer(scale * q_0, q_1)
                s_02 += wp.outer(scale * q_0, q_2)
                s_11 += wp.outer(scale * q_1, q_1)
                s_12 += wp.outer(scale * q_1, q_2)
                s_22 += wp.outer(scale * q_2, q_2)
                m += 1
            if wp.static(shear_of is not None):
                shear += shear_of(element)
            if wp.static(turning_of is not None):
                turn += turning_of(element, rest, g)
        slope = patches.slope[chunks.row[entry]]
        block = mat1212()
        for m in range(1, 4):
            b = wp.vec3(slope[m, 0], slope[m, 1], slope[m, 2])
            row_0 = b[0] * s_00 + b[1] * wp.transpose(s_01) + b[2] * wp.transpose(s_02)
            row_1 = b[0] * s_01 + b[1] * s_11 + b[2] * wp.transpose(s_12)
            row_2 = b[0] * s_02 + b[1] * s_12 + b[2] * s_22
            for n in range(1, 4):
                sub_block = slope[n, 0] * row_0 + slope[n, 1] * row_1 + slope[n, 2] * row_2
                for i in range(3):
                    for j in range(3):
                        block[3 * m + i, 3 * n + j] = sub_block[i, j]
            block = add_turns(block, m, turn * wp.skew(b) * wp.transpose(slope))
        partial[entry] = add_isotropic(block, shear * (slope * wp.transpose(slope)))

    return add_inside
