# SPDX-License-Identifier: GPL-3.0-or-later
"""What the coarse correction needs of a kind of elements, made from the functions of the kind.

The state of an element is its gradient G = Σ_a x_a w_aᵀ over its corners a. Of its energy E(G) come

    forces      f_a = −P w_a,  P = ∂E/∂G
    slopes      ∂E/∂α at G + α D:  a polynomial, and P : D at samples of what is none
    blocks of   ∂²E/∂G² ≈ Σ_m c_m vec(Q_m) vec(Q_m)ᵀ + (M + μ I) ⊗ I + t ∂cof G/∂G

all summed up over the chunks of `matrix.py`.
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..elements.linear_algebra import column, vec6
from ..elements.table import module_of
from .line import COLLAPSED, SAMPLES, Sums, vec8
from .matrix import (
    LOOPS,
    Chunks,
    Patches,
    add_isotropic,
    add_turns,
    mat34,
    mat43,
    mat1212,
    vec12,
)
from .restriction import Pulls, corner_slot, pull_at, pull_of_stress, sum_slot


@dataclass(frozen=True)
class CoarseKernels:
    """The kernels of one kind of elements; `add_inside` where one aggregate has all corners."""

    add_inside: wp.Kernel
    add_between: wp.Kernel
    add_forces: wp.Kernel
    add_slopes: wp.Kernel


@cache
def coarse_kernels(kind):
    """The `CoarseKernels` of an `ElementKind`."""
    between = between_kernel(kind)
    inside = inside_kernel(kind) if kind.affine else between
    return CoarseKernels(inside, between, forces_kernel(kind), slopes_kernel(kind))


def between_kernel(kind):
    """The kernel for blocks of elements that any aggregates have corners of."""
    Element, Rest, corners, squares = kind.element, kind.rest, kind.corners, kind.squares
    gradient_of, weight_of = kind.gradient, kind.weight
    square_of, turning_of = kind.square, kind.turning
    spread_of, shear_of = kind.spread, kind.shear
    mat4k = wp.types.matrix(shape=(4, kind.columns), dtype=float)
    mat3k = wp.types.matrix(shape=(3, kind.columns), dtype=float)

    @wp.func
    def seen_through(k: int, element: Element, patches: Patches):
        """B_k."""
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
        """B Qᵀ, its entries [mode, axis] in a row."""
        row = vec12()
        for m in range(4):
            for i in range(3):
                row[3 * m + i] = wp.dot(b[m], q[i])
        return row

    @wp.kernel(module=module_of(kind, "coarse_matrix", LOOPS))
    def add_between(
        first: int,
        chunks: Chunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[Rest],
        patches: Patches,
        # out
        partial: wp.array[mat1212],
    ):
        """A block of elements that any aggregates, or an aggregate and pins, have corners of."""
        entry = first + wp.tid()
        chunk = chunks.chunk[entry]
        k = chunks.row[entry]
        other = chunks.column[entry]
        block = mat1212()
        scalar = wp.mat44(0.0)
        turns_0 = mat34()
        turns_1 = mat34()
        turns_2 = mat34()
        turns_3 = mat34()
        for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
            element = elements[e]
            g = gradient_of(element, x)
            b_k = seen_through(k, element, patches)
            b_l = seen_through(other, element, patches)
            m = int(0)
            while m < squares:
                scale, change = square_of(element, rest, g, m)
                block += wp.outer(scale * applied(b_k, change), applied(b_l, change))
                m += 1
            if wp.static(spread_of is not None):
                scalar += b_k * spread_of(element, rest, g) * wp.transpose(b_l)
            if wp.static(shear_of is not None):
                scalar += shear_of(element) * (b_k * wp.transpose(b_l))
            if wp.static(turning_of is not None):
                f = turning_of(element, rest, g)
                across = wp.transpose(b_l)
                turns_0 += f * wp.skew(b_k[0]) * across
                turns_1 += f * wp.skew(b_k[1]) * across
                turns_2 += f * wp.skew(b_k[2]) * across
                turns_3 += f * wp.skew(b_k[3]) * across
        if wp.static(turning_of is not None):
            block = add_turns(block, 0, turns_0)
            block = add_turns(block, 1, turns_1)
            block = add_turns(block, 2, turns_2)
            block = add_turns(block, 3, turns_3)
        partial[entry] = add_isotropic(block, scalar)

    return add_between


def inside_kernel(kind):
    """The kernel for blocks of solids whose corners are all in one aggregate: sums over G, then B
    at the end, which is the slope of the modes for all of them.
    """
    Element, Rest, squares = kind.element, kind.rest, kind.squares
    gradient_of, square_of = kind.gradient, kind.square
    shear_of, turning_of = kind.shear, kind.turning

    @wp.kernel(module=module_of(kind, "coarse_matrix", LOOPS))
    def add_inside(
        first: int,
        chunks: Chunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[Rest],
        patches: Patches,
        # out
        partial: wp.array[mat1212],
    ):
        """The block of solid elements whose corners are all in one aggregate."""
        entry = first + wp.tid()
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
                scale, change = square_of(element, rest, g, m)
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
                part = slope[n, 0] * row_0 + slope[n, 1] * row_1 + slope[n, 2] * row_2
                for i in range(3):
                    for j in range(3):
                        block[3 * m + i, 3 * n + j] = part[i, j]
            block = add_turns(block, m, turn * wp.skew(b) * wp.transpose(slope))
        partial[entry] = add_isotropic(block, shear * (slope * wp.transpose(slope)))

    return add_inside


def forces_kernel(kind):
    """The kernel for the forces of elements, and their sums over chunks."""
    Element, Rest, corners, affine = kind.element, kind.rest, kind.corners, kind.affine
    balanced = 0 if kind.to_space else 1
    gradient_of, stress_of, weight_of = kind.gradient, kind.stress, kind.weight
    mat3k = wp.types.matrix(shape=(3, kind.columns), dtype=float)

    @wp.kernel(module=module_of(kind, "coarse"))
    def add_forces(
        first: int,
        chunks: Chunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[Rest],
        patches: Patches,
        # out
        pulls: Pulls,
    ):
        """Forces of the elements of a chunk."""
        chunk = first + wp.tid()
        begin = chunks.start[chunk]
        total = mat3k()
        pull = mat43()
        for e in range(begin, chunks.start[chunk + 1]):
            element = elements[e]
            stress = stress_of(element, rest, gradient_of(element, x))
            slot = corner_slot(chunk, e, corners, chunks)
            if wp.static(affine):
                total += stress
            if wp.static(not affine) or slot >= 0:
                others = wp.vec3(0.0)
                for c in range(balanced, corners):
                    force = -(stress * weight_of(element, c))
                    others += force
                    if slot >= 0:
                        pulls.force[slot + c] = force
                    if wp.static(not affine):
                        pull += pull_at(element.corners[c], force, patches)
                # The forces of an element add up to zero.
                if wp.static(balanced == 1) and slot >= 0:
                    pulls.force[slot] = -others
                if wp.static(balanced == 1 and not affine):
                    pull += pull_at(element.corners[0], -others, patches)
        if wp.static(affine):
            pull = pull_of_stress(elements[begin].corners[0], total, patches)
        pulls.sums[sum_slot(chunk, chunks, pulls)] = pull

    return add_forces


def slopes_kernel(kind):
    """The kernel for the slope of the energy of elements along a direction."""
    Element, Rest = kind.element, kind.rest
    gradient_of, slope_of, volume_of = kind.gradient, kind.slope, kind.volume
    sampled_of = kind.sampled_stress

    @wp.kernel(module=module_of(kind, "coarse"))
    def add_slopes(
        first: int,
        chunks: Chunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        direction: wp.array[wp.vec3],
        rest: wp.array[Rest],
        longest: float,
        # out
        sums: Sums,
    ):
        """Slope of the energy of the elements of a chunk along the direction."""
        chunk = first + wp.tid()
        total = vec6()
        samples = vec8()
        collapsed = int(0)
        for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
            element = elements[e]
            g = gradient_of(element, x)
            d = gradient_of(element, direction)
            if wp.static(volume_of is not None):
                if volume_of(element, g) < COLLAPSED:
                    collapsed += 1
            if wp.static(slope_of is not None):
                total = slope_of(element, rest, g, d, total)
            if wp.static(sampled_of is not None):
                begin = wp.ddot(sampled_of(element, rest, g), d)
                total[0] += begin
                for n in range(1, SAMPLES + 1):
                    part = longest * float(n) / float(SAMPLES)
                    samples[n - 1] += wp.ddot(sampled_of(element, rest, g + part * d), d) - begin
        slot = chunks.offset + chunk
        sums.slope[slot] = total
        sums.samples[slot] = samples
        if wp.static(volume_of is not None):
            sums.collapsed[slot] = collapsed
            sums.count[slot] = chunks.start[chunk + 1] - chunks.start[chunk]

    return add_slopes
