# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells with a moving rest shape: in the middle (plastic_solids.py), and in bending.

The q of cell_state.py are relative to F b, with one b for each: with G' = [F q − F b] = G T, which
is linear in G, weights are T w, and the energy is that of cells.py. The bending strain at F is
F⁻¹(q − F b), which flows as a whole (flow.py). Its measure is √3 times its norm: its value at the
outer fibers, as it is linear across the cell. Viscosity has b = F⁻¹q at the start of the step; its
bending stiffness is scaled by p, which is 1 unless F is too flat.

The rest value is A, the four b, α and p: 20 numbers along the axes of the cell.
"""

from typing import Any

import warp as wp

from ..device.options import OPTIONS
from .cell_state import center_of, mat37, vec8i, widened
from .cells import Cell, cell_gradient, exact_center, exact_gradient, spread_near_rest
from .hourglass import ExactBending, bending_energy, bending_slope, bending_stress
from .linear_algebra import cofactor, stretch_bound, symmetric, vec6, vec6d, vec18, vec18d, vec20
from .plastic_solids import (
    is_certain,
    plastic_energy,
    plastic_spread,
    plastic_stress,
    softest,
    solid_flowed,
)
from .tets import volume_slope

wp.set_module_options(OPTIONS)


@wp.struct
class ExactPlasticCell:
    """One cell in float64."""

    corners: vec8i
    gradient: wp.float64
    middle: wp.vec3
    mu: wp.float64
    lam: wp.float64
    bending: ExactBending
    rest: vec18d
    swelling: wp.float64


# Upper bound of |b| of all four: no fiber of a cell has a rest length below a seventh.
MOST_BENT = wp.constant(0.5)


@wp.func
def bend_of(rest: vec20, m: int):
    """The b with number m, for q_xy, q_yz, q_xz, q_xyz."""
    k = 6 + 3 * m
    return wp.vec3(rest[k], rest[k + 1], rest[k + 2])


@wp.func
def unbent(g: Any, rest: Any):
    """G' of G."""
    for m in range(4):
        for i in range(3):
            for k in range(3):
                g[i, 3 + m] -= g[i, k] * rest[6 + 3 * m + k]
    return g


@wp.func
def plastic_cell_stress(cell: Cell, rest: wp.array[vec20], g: mat37):
    """∂E/∂G [J]."""
    at_rest = rest[cell.record]
    p = widened(plastic_stress(cell.mu, cell.lam, center_of(g), symmetric(at_rest), at_rest[18]))
    p += at_rest[19] * bending_stress(unbent(g, at_rest), cell.bending)
    for m in range(4):
        for i in range(3):
            for k in range(3):
                p[i, k] -= p[i, 3 + m] * at_rest[6 + 3 * m + k]
    return p


@wp.func
def plastic_cell_square(cell: Cell, rest: wp.array[vec20], g: mat37, m: int):
    """λ V [J] and cof F."""
    return cell.lam, widened(cofactor(center_of(g)))


@wp.func
def plastic_cell_spread(cell: Cell, rest: wp.array[vec20], g: mat37):
    """The term of the Hessian that differs between columns of G."""
    at_rest = rest[cell.record]
    spread = spread_near_rest(cell)
    more = plastic_spread(cell.mu, symmetric(at_rest))
    for m in range(4):
        b = bend_of(at_rest, m)
        n = at_rest[19] * (spread[3 + m, 3 + m] + cell.near_rest[0])
        spread[3 + m, 3 + m] = n - cell.near_rest[0]
        more += n * wp.outer(b, b)
        for i in range(3):
            spread[i, 3 + m] -= n * b[i]
            spread[3 + m, i] -= n * b[i]
    for i in range(3):
        for k in range(3):
            spread[i, k] += more[i, k]
    return spread


@wp.func
def plastic_cell_turning(cell: Cell, rest: wp.array[vec20], g: mat37):
    """t s V F [J], as for neo-Hookean tets (tets.py), with the softest direction of A."""
    f = center_of(g)
    at_rest = rest[cell.record]
    s = cell.lam * (wp.determinant(f) - at_rest[18])
    shear = cell.mu * softest(symmetric(at_rest))
    limit = shear / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@wp.func
def plastic_cell_slope(cell: Cell, rest: wp.array[vec20], g: mat37, d: mat37, total: vec6):
    """`total` and coefficients 1, α … α⁵ of ∂E/∂α [J] at G + α D."""
    f = center_of(g)
    along = center_of(d)
    at_rest = rest[cell.record]
    stretched = along * symmetric(at_rest)
    coefficients = total + volume_slope(f, along, at_rest[18], cell.lam)
    bent = bending_slope(unbent(g, at_rest), unbent(d, at_rest), cell.bending)
    coefficients += at_rest[19] * bent
    coefficients[0] += cell.mu * wp.ddot(f, stretched)
    coefficients[1] += cell.mu * wp.ddot(along, stretched)
    return coefficients


@wp.func
def plastic_cell_energy(cell: ExactPlasticCell, x: wp.array[wp.vec3]):
    """E [J], zero at rest, and J at the centre."""
    g = exact_gradient(cell.corners, cell.gradient, cell.middle, x)
    f = exact_center(g)
    jacobian = wp.determinant(f)
    r = cell.rest
    a = vec6d(r[0], r[1], r[2], r[3], r[4], r[5])
    s = cell.swelling
    total = plastic_energy(cell.mu, cell.lam, f, a, jacobian, s)
    return total + bending_energy(unbent(g, r), cell.bending), jacobian / (s * s * s)


@wp.func
def bend_flowed(f: wp.mat33, g: mat37, rest: vec18, limit: float, share: float):
    """The rest value with the b after flow."""
    inverse = wp.inverse(f)
    # F⁻¹(q − F b)
    bent = unbent(inverse * g, rest)
    size = float(0.0)
    for m in range(3, 7):
        for i in range(3):
            size += bent[i, m] * bent[i, m]
    strain = wp.sqrt(3.0 * size)
    if strain > limit:
        fraction = share * (1.0 - limit / strain)
        norm_sq = float(0.0)
        for m in range(4):
            for i in range(3):
                rest[6 + 3 * m + i] += fraction * bent[i, 3 + m]
                norm_sq += rest[6 + 3 * m + i] * rest[6 + 3 * m + i]
        fitting = MOST_BENT / wp.max(wp.sqrt(norm_sq), MOST_BENT)
        for k in range(6, 18):
            rest[k] *= fitting
    return rest


@wp.func
def cell_flowed(cell: Cell, rest: vec18, limit: float, share: float, x: wp.array[wp.vec3]):
    """A and the b after flow."""
    g = cell_gradient(cell, x)
    f = center_of(g)
    moved = rest
    if is_certain(f):
        moved = bend_flowed(f, g, rest, limit, share)
        a = vec6(rest[0], rest[1], rest[2], rest[3], rest[4], rest[5])
        a = solid_flowed(f, a, limit, share)
        for k in range(6):
            moved[k] = a[k]
    return moved
