# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells that keep a change of shape (plastic_solids.py); how they bend always springs back.

A lies along the axes of the cell. The axes of a corner (cells.py) point from it into the cell, and
y and z have changed places at corners with an odd number of bits.
"""

import warp as wp

from ..options import QUICK
from .cell_state import (
    CellState,
    center_of,
    mat37,
    state_at,
    vec7i,
    vec8i,
    weights_by_signs,
    widened,
)
from .cells import Cell, cell_gradient, exact_center, exact_gradient, spread_near_rest
from .hourglass import (
    Bending,
    ExactBending,
    bending_energy,
    bending_force_hessian,
    bending_slope,
    bending_stress,
)
from .linear_algebra import cofactor, stretch_bound, symmetric, vec6, vec6d
from .plastic_solids import (
    plastic_energy,
    plastic_force_hessian,
    plastic_spread,
    plastic_stress,
    softest,
    solid_flowed,
)
from .tets import volume_slope

wp.set_module_options(QUICK)


@wp.struct
class PlasticCellRecord:
    """One cell seen from one of its corners, whose number the last field is (cells.CellRecord)."""

    others: vec7i
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3
    mu: float  # [J]
    lam: float
    bending: Bending
    corner: int


@wp.struct
class ExactPlasticCell:
    """One cell in float64."""

    corners: vec8i
    gradient: wp.float64
    middle: wp.vec3
    mu: wp.float64
    lam: wp.float64
    bending: ExactBending
    rest: vec6d


@wp.func
def along_axes(a: vec6, corner: int):
    """A along the axes of a corner."""
    x = corner & 1
    y = (corner >> 1) & 1
    z = (corner >> 2) & 1
    # Off the diagonal signs stay where both axes turn round, or none.
    a_23 = wp.where(y == z, a[3], -a[3])
    a_13 = wp.where(x == z, a[4], -a[4])
    a_12 = wp.where(x == y, a[5], -a[5])
    turned = vec6(a[0], a[1], a[2], a_23, a_13, a_12)
    if ((x + y + z) & 1) == 1:
        turned = vec6(a[0], a[2], a[1], a_23, a_12, a_13)
    return symmetric(turned)


@wp.func
def plastic_cell_force_hessian(
    cell: PlasticCellRecord, q: int, rest: wp.array[vec6], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite; `rest` holds A."""
    state = state_at(CellState(), cell.others, cell.gradient, cell.middle, x_i, x)
    w = weights_by_signs(cell.gradient, cell.middle, -1.0, -1.0, -1.0)
    f = wp.matrix_from_cols(state.f_x, state.f_y, state.f_z)
    a = along_axes(rest[q], cell.corner)
    force, hessian = plastic_force_hessian(cell.mu, cell.lam, f, a, wp.vec3(w[0], w[1], w[2]))
    bending, block = bending_force_hessian(state, w, cell.bending)
    return force - bending, hessian + block


@wp.func
def plastic_cell_stress(cell: Cell, rest: wp.array[vec6], g: mat37):
    """∂E/∂G [J]."""
    a = symmetric(rest[cell.record])
    p = plastic_stress(cell.mu, cell.lam, center_of(g), a)
    return widened(p) + bending_stress(g, cell.bending)


@wp.func
def plastic_cell_square(cell: Cell, rest: wp.array[vec6], g: mat37, m: int):
    """λ V [J] and cof F."""
    return cell.lam, widened(cofactor(center_of(g)))


@wp.func
def plastic_cell_spread(cell: Cell, rest: wp.array[vec6], g: mat37):
    """What of the Hessian is not alike in all columns of G."""
    spread = spread_near_rest(cell)
    more = plastic_spread(cell.mu, symmetric(rest[cell.record]))
    for i in range(3):
        for m in range(3):
            spread[i, m] += more[i, m]
    return spread


@wp.func
def plastic_cell_turning(cell: Cell, rest: wp.array[vec6], g: mat37):
    """As of neo-Hookean tets (tets.py), where A has made them no softer."""
    f = center_of(g)
    s = cell.lam * (wp.determinant(f) - cell.near_rest[2])
    shear = cell.mu * softest(symmetric(rest[cell.record]))
    limit = shear / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@wp.func
def plastic_cell_slope(cell: Cell, rest: wp.array[vec6], g: mat37, d: mat37, total: vec6):
    """`total` and coefficients 1, α … α⁵ of ∂E/∂α [J] at G + α D."""
    f = center_of(g)
    along = center_of(d)
    stretched = along * symmetric(rest[cell.record])
    coefficients = total + volume_slope(f, along, cell.near_rest[2], cell.lam)
    coefficients += bending_slope(g, d, cell.bending)
    coefficients[0] += cell.mu * wp.ddot(f, stretched)
    coefficients[1] += cell.mu * wp.ddot(along, stretched)
    return coefficients


@wp.func
def plastic_cell_energy(cell: ExactPlasticCell, x: wp.array[wp.vec3]):
    """E [J], zero at rest, and J at the centre."""
    g = exact_gradient(cell.corners, cell.gradient, cell.middle, x)
    f = exact_center(g)
    jacobian = wp.determinant(f)
    total = plastic_energy(cell.mu, cell.lam, f, cell.rest, jacobian)
    return total + bending_energy(g, cell.bending), jacobian


@wp.func
def cell_flowed(cell: Cell, rest: vec6, limit: float, share: float, x: wp.array[wp.vec3]):
    """A after flow."""
    return solid_flowed(center_of(cell_gradient(cell, x)), rest, limit, share)
