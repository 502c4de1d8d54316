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
from .cell_state import center_of, gradient_of, mat37, vec8i, weights_of, widened
from .cell_strain import Strain, bending_stress_of
from .cells import bending_spread
from .hourglass import Bending
from .linear_algebra import cofactor, vec6
from .tets import volume_slope
from .viscosity import entry_of, right_cauchy_green, softened, times, twice_symmetric_part

wp.set_module_options(QUICK)

mat34 = wp.types.matrix(shape=(3, 4), dtype=float)


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
def bending_strain(strain: Strain):
    """D."""
    return wp.matrix_from_cols(strain.d_xy, strain.d_yz, strain.d_xz, strain.d_xyz)


@wp.func
def stress_of_bending(d: mat34, k: Bending):
    """K D."""
    s_xy, s_yz, s_xz, s_xyz = bending_stress_of(
        wp.vec3(d[0, 0], d[1, 0], d[2, 0]),
        wp.vec3(d[0, 1], d[1, 1], d[2, 1]),
        wp.vec3(d[0, 2], d[1, 2], d[2, 2]),
        wp.vec3(d[0, 3], d[1, 3], d[2, 3]),
        k,
    )
    return wp.matrix_from_cols(s_xy, s_yz, s_xz, s_xyz)


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
    f = center_of(g)
    shear = softened(cell.shear, before.c)
    q = bending_of(g)
    d = wp.transpose(f) * q - bending_strain(before)
    s = stress_of_bending(d, softer(cell.bending, before.c))
    p = shear * (f * symmetric(right_cauchy_green(f) - before.c))
    p += (cell.bulk * (wp.determinant(f) - before.j)) * cofactor(f) + q * wp.transpose(s)
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
    d_0 = wp.transpose(f) * bend - bending_strain(before)
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
