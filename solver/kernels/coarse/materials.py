# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials other than the default ones in the coarse step, and the viscosity of shear.

Their forces and their slopes along the direction are exact; what is no polynomial in α is sampled.
In the matrix the elastic ones stand with their constants at small strain (coarse.py). Viscosity is
a polynomial: C = FᵀF along the direction is C + α C' + α² C''.
"""

import warp as wp

from ..elements.continua import cofactor, nearest_rotation
from ..elements.records import NEO_HOOKEAN_LOG, ContinuumRecord, Elements, vec6
from ..elements.triangles import deformation_columns
from ..elements.viscosity import LARGE, right_cauchy_green
from ..options import QUICK
from .line import COLLAPSED, Sums, volume_slope
from .matrix import (
    Chunks,
    CoarseTet,
    CoarseTriangle,
    Patches,
    applied,
    gradient_of,
    mat43,
    mat1212,
    seen_through,
    tet_gradient,
)
from .restriction import (
    Pulls,
    corner_place,
    pull_of_stress,
    pull_triangle,
    put_tet_forces,
    sum_place,
    triangle_forces_from,
)
from .step import SAMPLES, vec8

# Loops over modes stay loops: unrolled, they take long to compile.
wp.set_module_options(QUICK | {"max_unroll": 2})


@wp.struct
class CoarseViscosity:
    """The viscosity of shear of one tet."""

    corners: wp.vec4i
    gradients: wp.mat33  # rows: ∇N [1/m] of corners 1, 2, 3
    viscosity: float  # (k_d/h) μ_L V₀ [J]
    record: int


@wp.func
def continuum_parts(body: ContinuumRecord):
    """(twice the factor [J] of |F|², α) of the energy; the rest of it has `shear_stress`."""
    square = 2.0 * body.mu
    rest = float(1.0)
    if body.model == NEO_HOOKEAN_LOG:
        square = body.mu
        rest += 0.75 * body.mu / body.lam
    return square, rest


@wp.func
def shear_stress(body: ContinuumRecord, f: wp.mat33):
    """∂/∂F [J] of the part of the energy that is neither |F|² nor in J."""
    stress = wp.mat33(0.0)
    if body.model == NEO_HOOKEAN_LOG:
        stress = (-body.mu / (wp.ddot(f, f) + 1.0)) * f
    else:
        stress = (-2.0 * body.mu) * nearest_rotation(f)
    return stress


@wp.kernel
def continuum_forces(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseTet],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    pulls: Pulls,
):
    """Forces of the tets of a chunk; `record` is that of a continuum."""
    chunk = first + wp.tid()
    begin = chunks.start[chunk]
    total = wp.mat33(0.0)
    for e in range(begin, chunks.start[chunk + 1]):
        tet = tets[e]
        body = elements.continua[tet.record]
        f = tet_gradient(tet, x)
        square, rest = continuum_parts(body)
        volume = wp.determinant(f) - rest
        stress = square * f + (body.lam * volume) * cofactor(f) + shear_stress(body, f)
        put_tet_forces(stress, tet.gradients, corner_place(chunk, e, 4, chunks), pulls)
        total += stress
    pull = pull_of_stress(tets[begin].corners[0], total, patches)
    pulls.sums[sum_place(chunk, chunks, pulls)] = pull


@wp.kernel
def continuum_slopes(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseTet],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    elements: Elements,
    longest: float,
    # out
    sums: Sums,
):
    """Slope of the energy of the tets of a chunk; `record` is that of a continuum."""
    chunk = first + wp.tid()
    total = vec6()
    samples = vec8()
    collapsed = int(0)
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        tet = tets[e]
        body = elements.continua[tet.record]
        f = tet_gradient(tet, x)
        d = tet_gradient(tet, direction)
        if wp.determinant(f) < COLLAPSED:
            collapsed += 1
        square, rest = continuum_parts(body)
        total += volume_slope(f, d, rest, body.lam)
        begin = wp.ddot(shear_stress(body, f), d)
        total[0] += square * wp.ddot(f, d) + begin
        total[1] += square * wp.ddot(d, d)
        for n in range(1, SAMPLES + 1):
            part = longest * float(n) / float(SAMPLES)
            samples[n - 1] += wp.ddot(shear_stress(body, f + part * d), d) - begin
    place = chunks.offset + chunk
    sums.slope[place] = total
    sums.samples[place] = samples
    sums.collapsed[place] = collapsed
    sums.count[place] = chunks.start[chunk + 1] - chunks.start[chunk]


@wp.func
def area_slope(lam: float, alpha: float, f_1: wp.vec3, f_2: wp.vec3, e_1: wp.vec3, e_2: wp.vec3):
    """Slope of λ/2 (J − α)² of a triangle whose F changes by (e₁, e₂)."""
    n = wp.cross(f_1, f_2)
    size = wp.length(n)
    slope = float(0.0)
    if size > 0.0:
        change = wp.dot(n / size, wp.cross(e_1, f_2) + wp.cross(f_1, e_2))
        slope = lam * (size - alpha) * change
    return slope


@wp.kernel
def stable_triangle_forces(
    first: int,
    chunks: Chunks,
    triangles: wp.array[CoarseTriangle],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    pulls: Pulls,
):
    """The same of neo-Hookean triangles; `record` is one of those."""
    chunk = first + wp.tid()
    total = mat43()
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        t = triangles[e]
        body = elements.stable_triangles[t.record]
        v = t.corners
        base = x[v[0]]
        f_1, f_2 = deformation_columns(t.gradient_b, t.gradient_c, x[v[1]] - base, x[v[2]] - base)
        n = wp.cross(f_1, f_2)
        size = wp.length(n)
        pressure = float(0.0)
        if size > 0.0:
            pressure = (body.lam * (size - 1.0) - body.mu) / size
        f_b, f_c = triangle_forces_from(
            t.gradient_b,
            t.gradient_c,
            body.mu * f_1 + pressure * wp.cross(f_2, n),
            body.mu * f_2 + pressure * wp.cross(n, f_1),
        )
        total += pull_triangle(v, f_b, f_c, corner_place(chunk, e, 3, chunks), patches, pulls)
    pulls.sums[sum_place(chunk, chunks, pulls)] = total


@wp.kernel
def stable_triangle_slopes(
    first: int,
    chunks: Chunks,
    triangles: wp.array[CoarseTriangle],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    elements: Elements,
    longest: float,
    # out
    sums: Sums,
):
    """Slope of the energy of neo-Hookean triangles."""
    chunk = first + wp.tid()
    total = vec6()
    samples = vec8()
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        t = triangles[e]
        body = elements.stable_triangles[t.record]
        d_b = x[t.corners[1]] - x[t.corners[0]]
        d_c = x[t.corners[2]] - x[t.corners[0]]
        e_b = direction[t.corners[1]] - direction[t.corners[0]]
        e_c = direction[t.corners[2]] - direction[t.corners[0]]
        f_1, f_2 = deformation_columns(t.gradient_b, t.gradient_c, d_b, d_c)
        e_1, e_2 = deformation_columns(t.gradient_b, t.gradient_c, e_b, e_c)
        alpha = 1.0 + body.mu / body.lam
        begin = area_slope(body.lam, alpha, f_1, f_2, e_1, e_2)
        total[0] += body.mu * (wp.dot(f_1, e_1) + wp.dot(f_2, e_2)) + begin
        total[1] += body.mu * (wp.dot(e_1, e_1) + wp.dot(e_2, e_2))
        for n in range(1, SAMPLES + 1):
            part = longest * float(n) / float(SAMPLES)
            there = area_slope(body.lam, alpha, f_1 + part * e_1, f_2 + part * e_2, e_1, e_2)
            samples[n - 1] += there - begin
    place = chunks.offset + chunk
    sums.slope[place] = total
    sums.samples[place] = samples


@wp.func
def softened(viscosity: float, before: vec6):
    """The viscosity [J] of a tet that began the step with C = `before` (viscosity.py)."""
    large = wp.max(1.0, wp.length(before) / LARGE)
    return viscosity / (large * large)


@wp.func
def entry_of(m: int):
    """Entry of (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂) as its row and column."""
    row = m
    column = m
    if m == 3:
        row = 1
        column = 2
    if m == 4:
        row = 0
        column = 2
    if m == 5:
        row = 0
        column = 1
    return row, column


@wp.kernel
def add_viscosity(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseViscosity],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    partial: wp.array[mat1212],
):
    """A block of the viscosity of shear, without the part that the stress adds."""
    entry = first + wp.tid()
    chunk = chunks.chunk[entry]
    k = chunks.row[entry]
    other = chunks.column[entry]
    block = mat1212()
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        tet = tets[e]
        f = gradient_of(tet.corners, tet.gradients, x)
        viscosity = softened(tet.viscosity, elements.viscous_rest[tet.record])
        g_0 = -(tet.gradients[0] + tet.gradients[1] + tet.gradients[2])
        b_k = seen_through(k, tet.corners, g_0, tet.gradients, patches)
        b_l = seen_through(other, tet.corners, g_0, tet.gradients, patches)
        for m in range(6):
            row, column = entry_of(m)
            change = wp.mat33(0.0)  # ∂C/∂F, halved on the diagonal
            for i in range(3):
                change[i, row] = f[i, column]
                if row != column:
                    change[i, column] = f[i, row]
            scale = wp.where(m < 3, 2.0 * viscosity, viscosity)
            block += wp.outer(scale * applied(b_k, change), applied(b_l, change))
    partial[entry] = block


@wp.func
def times(a: vec6, b: vec6):
    """A : B of symmetric matrices."""
    total = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return total + 2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@wp.func
def twice_symmetric_part(a: wp.mat33):
    """A + Aᵀ, its entries in the order of C."""
    return vec6(
        2.0 * a[0, 0],
        2.0 * a[1, 1],
        2.0 * a[2, 2],
        a[1, 2] + a[2, 1],
        a[0, 2] + a[2, 0],
        a[0, 1] + a[1, 0],
    )


@wp.kernel
def viscous_forces(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseViscosity],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    pulls: Pulls,
):
    """Forces of the viscosity of shear of the tets of a chunk, P = κ μ_L V₀ F (C − Cᵗ)."""
    chunk = first + wp.tid()
    begin = chunks.start[chunk]
    total = wp.mat33(0.0)
    for e in range(begin, chunks.start[chunk + 1]):
        tet = tets[e]
        f = gradient_of(tet.corners, tet.gradients, x)
        before = elements.viscous_rest[tet.record]
        c = right_cauchy_green(f) - before
        change = wp.mat33(c[0], c[5], c[4], c[5], c[1], c[3], c[4], c[3], c[2])
        stress = softened(tet.viscosity, before) * (f * change)
        put_tet_forces(stress, tet.gradients, corner_place(chunk, e, 4, chunks), pulls)
        total += stress
    pull = pull_of_stress(tets[begin].corners[0], total, patches)
    pulls.sums[sum_place(chunk, chunks, pulls)] = pull


@wp.kernel
def viscous_slopes(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseViscosity],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    elements: Elements,
    longest: float,
    # out
    sums: Sums,
):
    """Slope of the viscous potential κ μ_L V₀/4 |C − Cᵗ|² of the tets of a chunk."""
    chunk = first + wp.tid()
    total = vec6()
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        tet = tets[e]
        f = gradient_of(tet.corners, tet.gradients, x)
        d = gradient_of(tet.corners, tet.gradients, direction)
        before = elements.viscous_rest[tet.record]
        half = 0.5 * softened(tet.viscosity, before)
        c_0 = right_cauchy_green(f) - before
        c_1 = twice_symmetric_part(wp.transpose(f) * d)
        c_2 = right_cauchy_green(d)
        total[0] += half * times(c_0, c_1)
        total[1] += half * (times(c_1, c_1) + 2.0 * times(c_0, c_2))
        total[2] += half * 3.0 * times(c_1, c_2)
        total[3] += half * 2.0 * times(c_2, c_2)
    sums.slope[chunks.offset + chunk] = total
