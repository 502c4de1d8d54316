# SPDX-License-Identifier: GPL-3.0-or-later
"""Element kernels of the coarse correction, built from the functions of an element kind.

The state of an element is its gradient G = Σ_a x_a w_aᵀ over its corners a. Its energy E(G) gives

    forces      f_a = −P w_a,  P = ∂E/∂G
    slopes      ∂E/∂α at G + α D:  a polynomial, and P : D at samples of other terms
    blocks      of ∂²E/∂G², in blocks.py

all summed over the chunks of `matrix.py`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import warp as wp

from ..device.lane_functions import sums_of, total
from ..device.lanes import WIDTH, add, mul, vec3s, vec6s, wide  # noqa: F401 (operators)
from ..elements.corner_vectors import CornersInLanes, write_lanes
from ..elements.linear_algebra import vec6
from ..elements.table import module_of
from .blocks import between_kernel, deformation_columns, inside_kernel
from .line_sums import COLLAPSED, SAMPLES, LineSums, vec6d, vec8
from .matrix import ElementChunks, Patches, mat43
from .restriction import Pulls, corner_slot, pull_at, pull_of_stress, sum_slot


@wp.func
def sleeps(chunk: int, chunks: ElementChunks):
    """Return whether the body of a chunk sleeps."""
    return chunks.asleep[chunks.vertex[chunk]] != 0


@cache
def kernels_in_lanes(kind):
    """`add_forces` and `add_slopes` of a kind, for eight elements in lanes (device/lanes.py)."""
    return forces_in_lanes_kernel(kind), slopes_in_lanes_kernel(kind)


@wp.func
def always(g: Any, d: Any, longest: float):
    """`ElementKind.sampled` of a kind without."""
    return True


@dataclass(frozen=True)
class CoarseKernels:
    """The kernels of an element kind; `add_inside` if one aggregate has all corners."""

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


def forces_kernel(kind):
    """The kernel for the forces of elements and their sums over chunks."""
    Element, Rest, corners, affine = kind.element, kind.rest, kind.corners, kind.affine
    balanced = 1 if kind.balanced and not kind.to_space else 0
    gradient_of, stress_of, weight_of = kind.gradient, kind.stress, kind.weight
    of_f = deformation_columns(3, kind.columns)
    mat3k = wp.types.matrix(shape=(3, kind.columns), dtype=float)

    @wp.kernel(module=module_of(kind, "coarse"))
    def add_forces(
        first: int,
        chunks: ElementChunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[Rest],
        patches: Patches,
        # out
        pulls: Pulls,
    ):
        """Add the forces of the elements of a chunk."""
        chunk = first + wp.tid()
        if sleeps(chunk, chunks):
            return
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
            pull = pull_of_stress(elements[begin].corners[0], of_f(total), patches)
        pulls.sums[sum_slot(chunk, chunks, pulls)] = pull

    return add_forces


def slopes_kernel(kind):
    """The kernel for the slope of the energy of elements along a direction."""
    Element, Rest = kind.element, kind.rest
    gradient_of, slope_of, volume_of = kind.gradient, kind.slope, kind.volume
    sampled_of, both_of = kind.sampled_stress, kind.line
    is_sampled = kind.sampled or always

    @wp.kernel(module=module_of(kind, "coarse"))
    def add_slopes(
        first: int,
        chunks: ElementChunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        direction: wp.array[wp.vec3],
        rest: wp.array[Rest],
        longest: float,
        # out
        sums: LineSums,
    ):
        """Add the slope of the energy of a chunk along the direction."""
        chunk = first + wp.tid()
        total = vec6()
        samples = vec8()
        collapsed = int(0)
        end = wp.where(sleeps(chunk, chunks), chunks.start[chunk], chunks.start[chunk + 1])
        for e in range(chunks.start[chunk], end):
            element = elements[e]
            g = gradient_of(element, x)
            d = gradient_of(element, direction)
            if wp.static(volume_of is not None):
                if volume_of(element, g) < COLLAPSED:
                    collapsed += 1
            if wp.static(slope_of is not None):
                total = slope_of(element, rest, g, d, total)
            if wp.static(both_of is not None):
                total, samples = both_of(element, rest, x, direction, longest, total, samples)
            if wp.static(sampled_of is not None):
                if is_sampled(g, d, longest):
                    begin = wp.ddot(sampled_of(element, rest, g), d)
                    total[0] += begin
                    for n in range(1, SAMPLES + 1):
                        alpha = longest * float(n) / float(SAMPLES)
                        there = wp.ddot(sampled_of(element, rest, g + alpha * d), d)
                        samples[n - 1] += there - begin
        slot = chunks.offset + chunk
        sums.slope[slot] = vec6d(total)
        sums.samples[slot] = samples
        if wp.static(volume_of is not None):
            sums.collapsed[slot] = collapsed
            sums.count[slot] = chunks.start[chunk + 1] - chunks.start[chunk]

    return add_slopes


def forces_in_lanes_kernel(kind):
    """The kernel for the forces of elements in lanes.

    An element with all corners in one aggregate pulls on it with Σ (X̂ − X̂₀) fᵀ over all corners
    except the first, since the forces of an element add up to zero.
    """
    Element, Rest, corners = wide(kind.element), kind.rest, kind.corners
    forces_of, has_third = kind.forces_in_lanes, kind.corners == 4

    @wp.kernel(module=module_of(kind, "coarse_in_lanes"))
    def add_forces(
        first: int,
        chunks: ElementChunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        rest: wp.array[Rest],
        arms: wp.array[CornersInLanes],
        # out
        pulls: Pulls,
    ):
        """Add the forces of the elements of a chunk."""
        chunk = first + wp.tid()
        if sleeps(chunk, chunks):
            return
        slot = chunks.corner[chunk]
        left = chunks.start[chunk + 1] - chunks.start[chunk]
        pull_x = vec3s(0.0)
        pull_y = vec3s(0.0)
        pull_z = vec3s(0.0)
        for e in range(chunks.wide_start[chunk], chunks.wide_start[chunk + 1]):
            force = forces_of(elements[e], rest, x)
            if slot >= 0:
                count = wp.min(left, wp.static(WIDTH))
                others = force.first + force.second
                write_lanes(force.first, slot + 1, corners, count, pulls.force)
                write_lanes(force.second, slot + 2, corners, count, pulls.force)
                if wp.static(has_third):
                    others += force.third
                    write_lanes(force.third, slot + 3, corners, count, pulls.force)
                write_lanes(-1.0 * others, slot, corners, count, pulls.force)
                slot += corners * count
                left -= count
            else:
                arm = arms[e]
                pull_x += arm.first[0] * force.first + arm.second[0] * force.second
                pull_y += arm.first[1] * force.first + arm.second[1] * force.second
                pull_z += arm.first[2] * force.first + arm.second[2] * force.second
                if wp.static(has_third):
                    pull_x += arm.third[0] * force.third
                    pull_y += arm.third[1] * force.third
                    pull_z += arm.third[2] * force.third
        pulls.sums[sum_slot(chunk, chunks, pulls)] = wp.matrix_from_rows(
            wp.vec3(0.0), total(pull_x), total(pull_y), total(pull_z)
        )

    return add_forces


def slopes_in_lanes_kernel(kind):
    """The kernel for the slope of the energy of elements in lanes."""
    Element, Rest = wide(kind.element), kind.rest
    slope_of, both_of = kind.slope_in_lanes, kind.line_in_lanes

    @wp.kernel(module=module_of(kind, "coarse_in_lanes"))
    def add_slopes(
        first: int,
        chunks: ElementChunks,
        elements: wp.array[Element],
        x: wp.array[wp.vec3],
        direction: wp.array[wp.vec3],
        rest: wp.array[Rest],
        longest: float,
        # out
        sums: LineSums,
    ):
        """Add the slope of the energy of a chunk along the direction."""
        chunk = first + wp.tid()
        slopes = vec6s(0.0)
        polynomial = vec6()
        samples = vec8()
        begin = chunks.wide_start[chunk]
        end = wp.where(sleeps(chunk, chunks), begin, chunks.wide_start[chunk + 1])
        for e in range(begin, end):
            if wp.static(slope_of is not None):
                slopes = slope_of(elements[e], rest, x, direction, slopes)
            if wp.static(both_of is not None):
                polynomial, samples = both_of(
                    elements[e], rest, x, direction, longest, polynomial, samples
                )
        sums.slope[chunks.offset + chunk] = vec6d(sums_of(slopes) + polynomial)
        sums.samples[chunks.offset + chunk] = samples

    return add_slopes
