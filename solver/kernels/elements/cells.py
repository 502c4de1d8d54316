# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells: cubes with one integration point, stabilized by hourglass.py.

F at the middle of the material gives the energy of any solid. A cell looks alike from each of its
corners: neighbors along three axes that form a right-handed system, neighbors across the faces, and
the opposite corner. Isotropic materials do not distinguish the axes, so the records of all corners
of a full cell are alike.
"""

from functools import cache

import warp as wp

from ..device.options import OPTIONS
from .cell_state import (
    CellState,
    center_of,
    gradient_of,
    mat37,
    mat37d,
    mat77,
    state_at,
    vec7i,
    vec8i,
    weights_by_signs,
    weights_of,
    widened,
)
from .hourglass import (
    Bending,
    ExactBending,
    bending_energy,
    bending_force_hessian,
    bending_slope,
    bending_stress,
)
from .linear_algebra import cofactor, exact, stretch_bound, vec6
from .tets import volume_slope

wp.set_module_options(OPTIONS)


@wp.struct
class CellRecord:
    """One cell seen from one of its corners, in its frame; the others by the bits of their offsets,
    1 to 7.
    """

    others: vec7i
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3  # of the material, -1 to 1
    mu: float  # constants of the energy of F, times the volume [J]
    lam: float
    bending: Bending


@wp.struct
class Cell:
    """One cell."""

    corners: vec8i
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3  # of the material, -1 to 1
    mu: float  # constants of the energy of F, times the volume [J]
    lam: float
    bending: Bending
    near_rest: wp.vec3  # the neo-Hookean μ and λ times the volume [J], and α
    record: int


@wp.struct
class ExactCell:
    """One cell in float64."""

    corners: vec8i
    gradient: wp.float64
    middle: wp.vec3
    mu: wp.float64
    lam: wp.float64
    bending: ExactBending


@wp.func
def cell_weight(cell: Cell, c: int):
    return weights_of(cell.gradient, cell.middle, c)


@wp.func
def cell_gradient(cell: Cell, x: wp.array[wp.vec3]):
    """G."""
    return gradient_of(cell.corners, cell.gradient, cell.middle, x[cell.corners[0]], x)


@wp.func
def exact_gradient(corners: vec8i, a: wp.float64, c: wp.vec3, x: wp.array[wp.vec3]):
    """G in float64."""
    base = exact(x[corners[0]])
    g = mat37d()
    k = int(1)
    while k < 8:
        d = exact(x[corners[k]]) - base
        w = weights_of(1.0, c, k)
        for i in range(3):
            for m in range(7):
                g[i, m] += d[i] * a * wp.float64(w[m])
        k += 1
    return g


@wp.func
def exact_center(g: mat37d):
    """F, the first columns of G."""
    return wp.mat33d(
        g[0, 0], g[0, 1], g[0, 2], g[1, 0], g[1, 1], g[1, 2], g[2, 0], g[2, 1], g[2, 2]
    )


@wp.func
def cell_volume(cell: Cell, g: mat37):
    """J at the centre."""
    return wp.determinant(center_of(g))


@wp.func
def cell_square(cell: Cell, rest: wp.array[float], g: mat37, m: int):
    """λ V [J] near the rest shape, and cof F. Bending is in `cell_shear` and `cell_spread`."""
    return cell.near_rest[1], widened(cofactor(center_of(g)))


@wp.func
def spread_near_rest(cell: Cell):
    """The term of the Hessian near the rest shape that differs between columns of G, averaged over
    all axes.
    """
    cross = cell.bending.cross
    rates = cell.bending.rates
    twist = rates[0] / 3.0
    spread = mat77(0.0)
    spread[3, 3] = (2.0 * cross[2] + rates[1] + rates[2]) / 3.0 + twist
    spread[4, 4] = (2.0 * cross[0] + rates[2] + rates[3]) / 3.0 + twist
    spread[5, 5] = (2.0 * cross[1] + rates[1] + rates[3]) / 3.0 + twist
    for m in range(3, 7):
        spread[m, m] += cell.bending.floor - cell.near_rest[0]
    return spread


@wp.func
def cell_spread(cell: Cell, rest: wp.array[float], g: mat37):
    return spread_near_rest(cell)


@wp.func
def cell_shear(cell: Cell):
    """μ V [J]."""
    return cell.near_rest[0]


@wp.func
def cell_turning(cell: Cell, rest: wp.array[float], g: mat37):
    """t s V F [J], as for neo-Hookean tets (tets.py)."""
    f = center_of(g)
    s = cell.near_rest[1] * (wp.determinant(f) - cell.near_rest[2])
    limit = cell.near_rest[0] / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@cache
def cell_functions(material):
    """The functions of an `ElementKind`, by name, for cells of a `SolidMaterial`."""
    at_vertex, square_and_rest = material.force_hessian, material.square_and_rest
    other_stress, sampled_at, density = material.other_stress, material.sampled, material.density

    @wp.func
    def force_hessian(
        cell: CellRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
    ):
        """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite."""
        state = state_at(CellState(), cell.others, cell.gradient, cell.middle, x_i, x)
        w = weights_by_signs(cell.gradient, cell.middle, -1.0, -1.0, -1.0)
        f = wp.matrix_from_cols(state.f_x, state.f_y, state.f_z)
        force, hessian = at_vertex(cell.mu, cell.lam, f, wp.vec3(w[0], w[1], w[2]))
        bending, block = bending_force_hessian(state, w, cell.bending)
        return force - bending, hessian + block

    @wp.func
    def stress(cell: Cell, rest: wp.array[float], g: mat37):
        """∂E/∂G [J]."""
        f = center_of(g)
        square, alpha = square_and_rest(cell.mu, cell.lam)
        volume = wp.determinant(f) - alpha
        p = square * f + (cell.lam * volume) * cofactor(f)
        if wp.static(other_stress is not None):
            p += other_stress(cell.mu, cell.lam, f)
        return widened(p) + bending_stress(g, cell.bending)

    @wp.func
    def slope(cell: Cell, rest: wp.array[float], g: mat37, d: mat37, total: vec6):
        """`total` and coefficients 1, α … α⁵ of ∂E/∂α [J] at G + α D, without the sampled terms."""
        f = center_of(g)
        along = center_of(d)
        square, alpha = square_and_rest(cell.mu, cell.lam)
        coefficients = total + volume_slope(f, along, alpha, cell.lam)
        coefficients += bending_slope(g, d, cell.bending)
        coefficients[0] += square * wp.ddot(f, along)
        coefficients[1] += square * wp.ddot(along, along)
        return coefficients

    @wp.func
    def sampled_stress(cell: Cell, rest: wp.array[float], g: mat37):
        """∂/∂G [J] of the terms that are no polynomials."""
        return widened(other_stress(cell.mu, cell.lam, center_of(g)))

    @wp.func
    def sampled(g: mat37, d: mat37, longest: float):
        """Return whether these terms may differ from zero at G + α D, α ≤ longest."""
        return sampled_at(center_of(g), center_of(d), longest)

    @wp.func
    def energy(cell: ExactCell, x: wp.array[wp.vec3]):
        """E [J], zero at rest, and J at the centre."""
        g = exact_gradient(cell.corners, cell.gradient, cell.middle, x)
        f = exact_center(g)
        jacobian = wp.determinant(f)
        total = density(cell.mu, cell.lam, f, jacobian)
        return total + bending_energy(g, cell.bending), jacobian

    functions = {"force_hessian": force_hessian, "stress": stress, "slope": slope, "energy": energy}
    if other_stress is not None:
        functions["sampled_stress"] = sampled_stress
    if sampled_at is not None:
        functions["sampled"] = sampled
    return functions
