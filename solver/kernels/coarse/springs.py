# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of rods in the coarse step; a multiplier shortens their rest length (augmentation.py)."""

import warp as wp

from ..elements.records import Elements, vec6
from ..options import QUICK
from .line import Sums
from .matrix import Chunks, Patches, add_isotropic, mat43, mat1212, through
from .restriction import Pulls, corner_place, pull_at, sum_place
from .step import SAMPLES, vec8

# Loops over modes stay loops: unrolled, they take long to compile.
wp.set_module_options(QUICK | {"max_unroll": 2})


@wp.struct
class CoarseSpring:
    """One spring."""

    corners: wp.vec2i
    stiffness: float  # [N/m]
    record: int


@wp.func
def mode_difference(k: int, v: wp.vec2i, patches: Patches):
    """p of the second end less that of the first, as far as they are in aggregate k."""
    p = wp.vec4(0.0)
    if patches.of[v[0]] == k:
        p -= patches.modes[v[0]]
    if patches.of[v[1]] == k:
        p += patches.modes[v[1]]
    return p


@wp.kernel
def add_springs(
    first: int,
    chunks: Chunks,
    springs: wp.array[CoarseSpring],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    partial: wp.array[mat1212],
):
    """A block of springs; across a spring its tension counts, and pressure does not."""
    entry = first + wp.tid()
    chunk = chunks.chunk[entry]
    k = chunks.row[entry]
    other = chunks.column[entry]
    block = mat1212()
    scalar = wp.mat44(0.0)
    for s in range(chunks.start[chunk], chunks.start[chunk + 1]):
        spring = springs[s]
        v = spring.corners
        d = x[v[1]] - x[v[0]]
        length = wp.length(d)
        if length > 0.0:
            n = d / length
            tension = wp.max(1.0 - elements.spring_rest[spring.record] / length, 0.0)
            q_k = through(k, v[1], n, patches) - through(k, v[0], n, patches)
            q_l = through(other, v[1], n, patches) - through(other, v[0], n, patches)
            block += wp.outer((spring.stiffness * (1.0 - tension)) * q_k, q_l)
            p_k = mode_difference(k, v, patches)
            p_l = mode_difference(other, v, patches)
            scalar += wp.outer((spring.stiffness * tension) * p_k, p_l)
    partial[entry] = add_isotropic(block, scalar)


@wp.kernel
def spring_forces(
    first: int,
    chunks: Chunks,
    springs: wp.array[CoarseSpring],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    pulls: Pulls,
):
    """Forces of the springs of a chunk."""
    chunk = first + wp.tid()
    total = mat43()
    for s in range(chunks.start[chunk], chunks.start[chunk + 1]):
        spring = springs[s]
        v = spring.corners
        d = x[v[1]] - x[v[0]]
        length = wp.length(d)
        force = wp.vec3(0.0)
        if length > 0.0:
            force = (spring.stiffness * (1.0 - elements.spring_rest[spring.record] / length)) * d
        place = corner_place(chunk, s, 2, chunks)
        if place >= 0:
            pulls.force[place] = force
            pulls.force[place + 1] = -force
        total += pull_at(v[0], force, patches) - pull_at(v[1], force, patches)
    pulls.sums[sum_place(chunk, chunks, pulls)] = total


@wp.func
def spring_slope(d: wp.vec3, change: wp.vec3, rest: float):
    """(l − l̄) l' of a spring d that changes by `change` per α."""
    length = wp.length(d)
    slope = float(0.0)
    if length > 0.0:
        slope = (1.0 - rest / length) * wp.dot(d, change)
    return slope


@wp.kernel
def spring_slopes(
    first: int,
    chunks: Chunks,
    springs: wp.array[CoarseSpring],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    elements: Elements,
    longest: float,
    # out
    sums: Sums,
):
    """Slope of the energy of the springs of a chunk, sampled."""
    chunk = first + wp.tid()
    total = vec6()
    samples = vec8()
    for s in range(chunks.start[chunk], chunks.start[chunk + 1]):
        spring = springs[s]
        v = spring.corners
        rest = elements.spring_rest[spring.record]
        d = x[v[1]] - x[v[0]]
        change = direction[v[1]] - direction[v[0]]
        begin = spring_slope(d, change, rest)
        total[0] += spring.stiffness * begin
        for n in range(1, SAMPLES + 1):
            part = longest * float(n) / float(SAMPLES)
            there = spring_slope(d + part * change, change, rest)
            samples[n - 1] += spring.stiffness * (there - begin)
    sums.slope[chunks.offset + chunk] = total
    sums.samples[chunks.offset + chunk] = samples
