# SPDX-License-Identifier: GPL-3.0-or-later
"""Viscosity of cells: a potential of the change since the start of the step of what rotation does
not change, C = FᵀF, J, and D = FᵀQ with the bending and twisting Q = (q_xy, q_yz, q_xz, q_xyz) of
hourglass.py.

    E = κ V [μ/4 |C − Cᵗ|² + λ/2 (J − Jᵗ)² + ½ (D − Dᵗ) : K (D − Dᵗ)],  κ = k_d/h

μ and λ are Lamé's, and K is the stiffness of bending and twisting at rest (hourglass.py). Like tets
(viscosity.py) cells damp small motions by k_d times the stiffness that these meet, whether they are
stretched or bent, and rigid motions not at all; where C is large all but the part of J falls as it
does there.
"""

import warp as wp

from ..options import QUICK
from .cell_state import center_of, gradient_of, mat37, vec4, vec8i, weights_of, widened
from .cells import bending_spread
from .hourglass import Bending
from .linear_algebra import cofactor, vec6
from .tets import volume_slope
from .viscosity import entry_of, right_cauchy_green, softened, times, twice_symmetric_part

wp.set_module_options(QUICK)

mat34 = wp.types.matrix(shape=(3, 4), dtype=float)


@wp.struct
class Strain:
    """What rotation does not change."""

    c: vec6  # (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂)
    j: float
    d: mat34


@wp.struct
class ViscousCellRecord:
    """The viscosity of one cell, seen from one of its corners."""

    corners: vec8i
    corner: int  # which of them
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3  # of the material, -1 to 1
    shear: float  # κ μ V [J]
    bulk: float  # κ λ V [J]
    bending: Bending  # times κ


@wp.struct
class ViscousCell:
    """The viscosity of one cell."""

    corners: vec8i
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3  # of the material, -1 to 1
    shear: float  # κ μ V [J]
    bulk: float  # κ λ V [J]
    bending: Bending  # times κ
    record: int


@wp.func
def bending_of(g: mat37):
    """Q."""
    q = mat34()
    for i in range(3):
        for m in range(4):
            q[i, m] = g[i, 3 + m]
    return q


@wp.func
def joined(f: wp.mat33, q: mat34):
    """The matrix of the columns of both."""
    g = mat37()
    for i in range(3):
        for m in range(3):
            g[i, m] = f[i, m]
        for m in range(4):
            g[i, 3 + m] = q[i, m]
    return g


@wp.func
def strain_of(g: mat37):
    f = center_of(g)
    strain = Strain()
    strain.c = right_cauchy_green(f)
    strain.j = wp.determinant(f)
    strain.d = wp.transpose(f) * bending_of(g)
    return strain


@wp.func
def stress_of_bending(d: mat34, k: Bending):
    """K D."""
    twist = k.rates[0] * (d[2, 0] + d[0, 1] + d[1, 2])
    j_x = k.rates[1] * (d[1, 0] + d[2, 2])
    j_y = k.rates[2] * (d[0, 0] + d[2, 1])
    j_z = k.rates[3] * (d[0, 2] + d[1, 1])
    s = k.floor * d
    s[0, 0] += k.cross[2] * d[0, 0] + j_y
    s[1, 0] += k.cross[2] * d[1, 0] + j_x
    s[2, 0] += twist
    s[0, 1] += twist
    s[1, 1] += k.cross[0] * d[1, 1] + j_z
    s[2, 1] += k.cross[0] * d[2, 1] + j_y
    s[0, 2] += k.cross[1] * d[0, 2] + j_z
    s[1, 2] += twist
    s[2, 2] += k.cross[1] * d[2, 2] + j_x
    return s


@wp.func
def softer(bending: Bending, before: vec6):
    """K of a cell that began the step with C = `before`."""
    factor = softened(1.0, before)
    softer_one = Bending()
    softer_one.floor = factor * bending.floor
    softer_one.cross = factor * bending.cross
    softer_one.rates = factor * bending.rates
    return softer_one


@wp.func
def symmetric(c: vec6):
    return wp.mat33(c[0], c[5], c[4], c[5], c[1], c[3], c[4], c[3], c[2])


@wp.func
def viscous_cell_force_hessian(
    cell: ViscousCellRecord, q: int, rest: wp.array[Strain], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], made positive semi-definite; `rest` holds Cᵗ, Jᵗ, Dᵗ."""
    before = rest[q]
    gradient = gradient_of(cell.corners, cell.gradient, cell.middle, x_i, x)
    now = strain_of(gradient)
    f = center_of(gradient)
    bend = bending_of(gradient)
    w = weights_of(cell.gradient, cell.middle, cell.corner)
    g = wp.vec3(w[0], w[1], w[2])
    k = vec4(w[3], w[4], w[5], w[6])
    fg = f * g
    n = cofactor(f) * g
    shear = softened(cell.shear, before.c)
    stiffness = softer(cell.bending, before.c)
    change = symmetric(now.c - before.c) * g
    s = stress_of_bending(now.d - before.d, stiffness)
    force = (-shear) * (f * change) - (cell.bulk * (now.j - before.j)) * n
    force -= f * (s * k) + bend * (wp.transpose(s) * g)

    # Of K what is there at rest; of what D adds by being quadratic, no more than keeps it positive.
    most = stiffness.floor + wp.max(stiffness.cross) + wp.max(stiffness.rates)
    along = shear * wp.dot(g, g) + most * wp.dot(k, k)
    sideways = shear * wp.abs(wp.dot(g, change)) + 2.0 * wp.abs(wp.dot(g, s * k))
    hessian = along * (f * wp.transpose(f)) + wp.outer(shear * fg, fg)
    hessian += (most * wp.dot(g, g)) * (bend * wp.transpose(bend))
    hessian += wp.outer(cell.bulk * n, n)
    hessian += wp.mat33(sideways, 0.0, 0.0, 0.0, sideways, 0.0, 0.0, 0.0, sideways)
    return force, hessian


@wp.func
def viscous_cell_moved_rest(
    cell: ViscousCellRecord, undamped: Strain, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """C, J and D at x."""
    return strain_of(gradient_of(cell.corners, cell.gradient, cell.middle, x_i, x))


@wp.func
def viscous_cell_gradient(cell: ViscousCell, x: wp.array[wp.vec3]):
    """G."""
    return gradient_of(cell.corners, cell.gradient, cell.middle, x[cell.corners[0]], x)


@wp.func
def viscous_cell_weight(cell: ViscousCell, c: int):
    return weights_of(cell.gradient, cell.middle, c)


@wp.func
def viscous_cell_stress(cell: ViscousCell, rest: wp.array[Strain], g: mat37):
    """∂E/∂G [J]."""
    before = rest[cell.record]
    now = strain_of(g)
    f = center_of(g)
    shear = softened(cell.shear, before.c)
    s = stress_of_bending(now.d - before.d, softer(cell.bending, before.c))
    p = shear * (f * symmetric(now.c - before.c))
    p += (cell.bulk * (now.j - before.j)) * cofactor(f) + bending_of(g) * wp.transpose(s)
    return joined(p, f * s)


@wp.func
def viscous_cell_square(cell: ViscousCell, rest: wp.array[Strain], g: mat37, m: int):
    """Of the entry m of C: the stiffness [J], and ∂C/∂F, halved on the diagonal; the last is J.
    What the stress adds to the Hessian is left out.
    """
    f = center_of(g)
    change = cofactor(f)
    scale = cell.bulk
    if m < 6:
        shear = softened(cell.shear, rest[cell.record].c)
        row, column = entry_of(m)
        scale = wp.where(m < 3, 2.0 * shear, shear)
        change = wp.mat33(0.0)
        for i in range(3):
            change[i, row] = f[i, column]
            if row != column:
                change[i, column] = f[i, row]
    return scale, widened(change)


@wp.func
def viscous_cell_spread(cell: ViscousCell, rest: wp.array[Strain], g: mat37):
    """The part of D near the rest shape, the mean over all axes."""
    bending = softer(cell.bending, rest[cell.record].c)
    spread = bending_spread(bending)
    for m in range(3, 7):
        spread[m, m] += bending.floor
    return spread


@wp.func
def viscous_cell_slope(
    cell: ViscousCell, rest: wp.array[Strain], g: mat37, along: mat37, total: vec6
):
    """`total` and coefficients 1, α … α⁵ of ∂E/∂α [J] on a line."""
    before = rest[cell.record]
    f = center_of(g)
    d = center_of(along)
    shear = softened(cell.shear, before.c)
    bending = softer(cell.bending, before.c)
    c_0 = right_cauchy_green(f) - before.c
    c_1 = twice_symmetric_part(wp.transpose(f) * d)
    c_2 = right_cauchy_green(d)
    bend = bending_of(g)
    turn = bending_of(along)
    d_0 = wp.transpose(f) * bend - before.d
    d_1 = wp.transpose(d) * bend + wp.transpose(f) * turn
    d_2 = wp.transpose(d) * turn
    s_1 = stress_of_bending(d_1, bending)
    s_2 = stress_of_bending(d_2, bending)
    half = 0.5 * shear
    slope = vec6(
        half * times(c_0, c_1) + wp.ddot(d_0, s_1),
        half * (times(c_1, c_1) + 2.0 * times(c_0, c_2))
        + wp.ddot(d_1, s_1)
        + 2.0 * wp.ddot(d_0, s_2),
        3.0 * (half * times(c_1, c_2) + wp.ddot(d_1, s_2)),
        2.0 * (half * times(c_2, c_2) + wp.ddot(d_2, s_2)),
        0.0,
        0.0,
    )
    return total + slope + volume_slope(f, d, before.j, cell.bulk)
