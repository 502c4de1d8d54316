# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells: cubes with one point of integration, and hourglass.py for what that does not see.

F at the centre takes the energy of any solid material. Seen from one corner, a cell looks like from
any other: its neighbors along three axes that form a right-handed system, those across the faces,
and the corner opposite. Isotropic materials do not tell the axes apart, so the records of all
corners are alike.
"""

from functools import cache

import warp as wp

from ..options import QUICK
from .hourglass import (
    KAPPA,
    CellState,
    hourglass_energy,
    hourglass_force_hessian,
    hourglass_slope,
    hourglass_stress,
    mat37,
    mat37d,
    with_cofactor,
)
from .linear_algebra import cofactor, exact, stretch_bound, vec6
from .tets import volume_slope

wp.set_module_options(QUICK)

vec7i = wp.types.vector(length=7, dtype=int)
vec8i = wp.types.vector(length=8, dtype=int)
mat77 = wp.types.matrix(shape=(7, 7), dtype=float)
vec7 = wp.types.vector(length=7, dtype=float)


@wp.struct
class CellRecord:
    """One cell seen from one of its corners; the others by the bits of their offsets, 1 to 7."""

    others: vec7i
    gradient: float  # 1/(4h) [1/m]
    mu: float  # constants of the energy of F, times the volume [J]
    lam: float
    shear: float  # Lamé's μ, times the volume [J]
    plane: float  # λ' of hourglass.py, times the volume [J]


@wp.struct
class Cell:
    """One cell."""

    corners: vec8i
    gradient: float  # 1/(4h) [1/m]
    mu: float  # constants of the energy of F, times the volume [J]
    lam: float
    shear: float  # Lamé's μ, times the volume [J]
    plane: float  # λ' of hourglass.py, times the volume [J]
    near_rest: wp.vec2  # λ of the neo-Hookean solid times the volume [J], and its α
    record: int


@wp.struct
class ExactCell:
    """One cell in float64."""

    corners: vec8i
    gradient: wp.float64
    mu: wp.float64
    lam: wp.float64
    shear: wp.float64
    plane: wp.float64


@wp.func
def state_at(others: vec7i, a: float, x_i: wp.vec3, x: wp.array[wp.vec3]):
    """The state of a cell, along the axes of one corner: sums of differences by bits (Hadamard)."""
    d_1 = x[others[0]] - x_i
    d_2 = x[others[1]] - x_i
    d_3 = x[others[2]] - x_i
    d_4 = x[others[3]] - x_i
    d_5 = x[others[4]] - x_i
    d_6 = x[others[5]] - x_i
    d_7 = x[others[6]] - x_i
    s_2 = d_2 + d_3
    s_4 = d_4 + d_5
    s_6 = d_6 + d_7
    x_2 = d_3 - d_2
    x_4 = d_5 - d_4
    x_6 = d_7 - d_6
    low = d_1 + s_2
    high = s_4 + s_6
    y_low = s_2 - d_1
    y_high = s_6 - s_4
    x_low = d_1 + x_2
    x_high = x_4 + x_6
    xy_low = x_2 - d_1
    xy_high = x_6 - x_4
    kappa = KAPPA * a
    state = CellState()
    state.f_x = a * (x_low + x_high)
    state.f_y = a * (y_low + y_high)
    state.f_z = a * (high - low)
    state.q_xy = kappa * (xy_low + xy_high)
    state.q_yz = kappa * (y_high - y_low)
    state.q_xz = kappa * (x_high - x_low)
    state.q_xyz = kappa * (xy_high - xy_low)
    return with_cofactor(state)


@wp.func
def sign(corner: int, bit: int):
    return float(2 * ((corner >> bit) & 1) - 1)


@wp.func
def weights_of(a: float, corner: int):
    """w of hourglass.py [1/m], of a corner."""
    s_x = sign(corner, 0)
    s_y = sign(corner, 1)
    s_z = sign(corner, 2)
    k = KAPPA
    return a * vec7(s_x, s_y, s_z, k * s_x * s_y, k * s_y * s_z, k * s_x * s_z, k * s_x * s_y * s_z)


@wp.func
def cell_weight(cell: Cell, c: int):
    return weights_of(cell.gradient, c)


@wp.func
def gradient_of(corners: vec8i, a: float, base: wp.vec3, x: wp.array[wp.vec3]):
    """G from positions [m] relative to one of the corners, at `base`."""
    g = mat37()
    c = int(0)
    while c < 8:
        g += wp.outer(x[corners[c]] - base, weights_of(a, c))
        c += 1
    return g


@wp.func
def cell_gradient(cell: Cell, x: wp.array[wp.vec3]):
    """G."""
    return gradient_of(cell.corners, cell.gradient, x[cell.corners[0]], x)


@wp.func
def center_of(g: mat37):
    """F of G."""
    return wp.mat33(g[0, 0], g[0, 1], g[0, 2], g[1, 0], g[1, 1], g[1, 2], g[2, 0], g[2, 1], g[2, 2])


@wp.func
def widened(f: wp.mat33):
    """A G with nothing but F."""
    g = mat37(0.0)
    for i in range(3):
        for m in range(3):
            g[i, m] = f[i, m]
    return g


@wp.func
def cell_volume(cell: Cell, g: mat37):
    """J at the centre."""
    return wp.determinant(center_of(g))


@wp.func
def cell_square(cell: Cell, rest: wp.array[float], g: mat37, m: int):
    """λ V [J] near the rest shape, and cof F. What bends is in `cell_shear` and `cell_spread`."""
    return cell.near_rest[0], widened(cofactor(center_of(g)))


@wp.func
def cell_shear(cell: Cell):
    """μ V [J]."""
    return cell.shear


@wp.func
def bending_spread(shear: float, plane: float):
    """M of q_xy, q_yz and q_xz."""
    spread = mat77(0.0)
    for m in range(3, 6):
        spread[m, m] = shear + (2.0 / 3.0) * plane
    return spread


@wp.func
def cell_spread(cell: Cell, rest: wp.array[float], g: mat37):
    """What bending and twisting add to that near the rest shape, the mean over all axes."""
    return bending_spread(cell.shear, cell.plane)


@wp.func
def cell_turning(cell: Cell, rest: wp.array[float], g: mat37):
    """As of neo-Hookean tets (tets.py)."""
    f = center_of(g)
    s = cell.near_rest[0] * (wp.determinant(f) - cell.near_rest[1])
    limit = cell.shear / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@cache
def cell_functions(material):
    """The functions of an `ElementKind`, by name, for cells of a `SolidMaterial`."""
    at_vertex, square_and_rest = material.force_hessian, material.square_and_rest
    other_stress, density = material.other_stress, material.density

    @wp.func
    def force_hessian(
        cell: CellRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
    ):
        """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite."""
        a = cell.gradient
        state = state_at(cell.others, a, x_i, x)
        f = wp.matrix_from_cols(state.f_x, state.f_y, state.f_z)
        force, hessian = at_vertex(cell.mu, cell.lam, f, wp.vec3(-a, -a, -a))
        bending, block = hourglass_force_hessian(state, a, cell.shear, cell.plane)
        return force + bending, hessian + block

    @wp.func
    def stress(cell: Cell, rest: wp.array[float], g: mat37):
        """∂E/∂G [J]."""
        f = center_of(g)
        square, alpha = square_and_rest(cell.mu, cell.lam)
        volume = wp.determinant(f) - alpha
        p = square * f + (cell.lam * volume) * cofactor(f)
        if wp.static(other_stress is not None):
            p += other_stress(cell.mu, f)
        return widened(p) + hourglass_stress(g, cell.shear, cell.plane)

    @wp.func
    def slope(cell: Cell, rest: wp.array[float], g: mat37, d: mat37, total: vec6):
        """`total` and coefficients 1, α … α⁵ of ∂E/∂α [J] at G + α D, but for what is sampled."""
        f = center_of(g)
        along = center_of(d)
        square, alpha = square_and_rest(cell.mu, cell.lam)
        coefficients = total + volume_slope(f, along, alpha, cell.lam)
        coefficients += hourglass_slope(g, d, cell.shear, cell.plane)
        coefficients[0] += square * wp.ddot(f, along)
        coefficients[1] += square * wp.ddot(along, along)
        return coefficients

    @wp.func
    def sampled_stress(cell: Cell, rest: wp.array[float], g: mat37):
        """∂/∂G [J] of what is no polynomial."""
        return widened(other_stress(cell.mu, center_of(g)))

    @wp.func
    def energy(cell: ExactCell, x: wp.array[wp.vec3]):
        """E [J], zero at rest, and J at the centre."""
        base = exact(x[cell.corners[0]])
        g = mat37d()
        c = int(1)
        while c < 8:
            d = exact(x[cell.corners[c]]) - base
            w = weights_of(1.0, c)
            for i in range(3):
                for m in range(7):
                    g[i, m] += d[i] * cell.gradient * wp.float64(w[m])
            c += 1
        f = wp.mat33d(
            g[0, 0], g[0, 1], g[0, 2], g[1, 0], g[1, 1], g[1, 2], g[2, 0], g[2, 1], g[2, 2]
        )
        jacobian = wp.determinant(f)
        total = density(cell.mu, cell.lam, f, jacobian)
        return total + hourglass_energy(g, cell.shear, cell.plane), jacobian

    functions = {"force_hessian": force_hessian, "stress": stress, "slope": slope, "energy": energy}
    if other_stress is not None:
        functions["sampled_stress"] = sampled_stress
    return functions
