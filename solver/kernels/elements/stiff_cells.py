# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean cells that see displacements u [m] in the place of positions (small_strain.py).

G = [H q_xy q_yz q_xz q_xyz] is made of displacements like that of cells.py of positions: the q are
those of the cell, since they are zero at rest, and F = R + H. The columns of R are the axes of the
cell, as the body was put down.
"""

from typing import Any

import warp as wp

from ..lane_functions import total
from ..lanes import (  # noqa: F401 (operators)
    add,
    cross,
    dot,
    floats,
    in_all,
    mul,
    scaled_identity,
    square,
    sub,
    vector,
    wide,
)
from ..options import QUICK
from .cell_state import (
    CellState,
    center_of,
    gradient_of,
    mat37,
    state_at,
    vec7i,
    vec8i,
    weights_by_signs,
    weights_of,
    widened,
    with_cofactor,
)
from .cells import bending_spread, exact_center, exact_gradient
from .hourglass import (
    Bending,
    ExactBending,
    bending_energy,
    bending_force_hessian,
    bending_slope,
    bending_stress,
)
from .linear_algebra import cofactor, stretch_bound, vec6
from .neo_hookean import density
from .small_strain import stress_from_displacements
from .tets import volume_slope

wp.set_module_options(QUICK)


@wp.struct
class StiffCellRecord:
    """One cell seen from one of its corners, as a `CellRecord`."""

    others: vec7i
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3  # of the material, -1 to 1
    axis_x: wp.vec3  # R
    axis_y: wp.vec3
    axis_z: wp.vec3
    mu: float  # times the volume [J]
    lam: float
    bending: Bending


@wp.struct
class StiffCell:
    """One cell."""

    corners: vec8i
    gradient: float
    middle: wp.vec3
    turn: wp.mat33  # R
    mu: float
    lam: float
    bending: Bending
    record: int


@wp.struct
class ExactStiffCell:
    """One cell in float64."""

    corners: vec8i
    gradient: wp.float64
    middle: wp.vec3
    turn: wp.mat33d
    mu: wp.float64
    lam: wp.float64
    bending: ExactBending


StiffCellRecords, CellStates = wide(StiffCellRecord), wide(CellState)


@wp.func
def along(cell: Any, h: Any):
    """Rᵀ h."""
    return vector(dot(cell.axis_x, h), dot(cell.axis_y, h), dot(cell.axis_z, h))


@wp.func
def at_corner(state: Any, w: Any, cell: Any):
    """∂E/∂x_i [N] and ∂²E/∂x_i² [N/m] of the corner with the weights w; the state is [H q]."""
    k_x = along(cell, state.f_x)
    k_y = along(cell, state.f_y)
    k_z = along(cell, state.f_z)
    # Of C w: cof K w, the diagonal and the rest of tr(K) w − Kᵀ w.
    m_x = cross(k_y, k_z)
    m_y = cross(k_z, k_x)
    m_z = cross(k_x, k_y)
    g = vector(w[0], w[1], w[2])
    trace = k_x[0] + k_y[1] + k_z[2]
    c = w[0] * m_x + w[1] * m_y + w[2] * m_z
    c += vector(trace * w[0], trace * w[1], trace * w[2])
    c -= vector(dot(k_x, g), dot(k_y, g), dot(k_z, g))
    change = trace + m_x[0] + m_y[1] + m_z[2] + dot(k_x, m_x)
    stretched = w[0] * state.f_x + w[1] * state.f_y + w[2] * state.f_z
    stretched -= c[0] * cell.axis_x + c[1] * cell.axis_y + c[2] * cell.axis_z
    state.f_x = state.f_x + cell.axis_x
    state.f_y = state.f_y + cell.axis_y
    state.f_z = state.f_z + cell.axis_z
    state = with_cofactor(state)
    n = w[0] * state.n_x + w[1] * state.n_y + w[2] * state.n_z
    diagonal = cell.mu * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    bending, block = bending_force_hessian(state, w, cell.bending)
    force = cell.mu * stretched + (cell.lam * change) * n + bending
    return force, square(cell.lam, n) + scaled_identity(diagonal) + block


@wp.func
def force_hessian(
    cell: StiffCellRecord, q: int, rest: wp.array[float], u_i: wp.vec3, u: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite."""
    state = state_at(CellState(), cell.others, cell.gradient, cell.middle, u_i, u)
    w = weights_by_signs(cell.gradient, cell.middle, -1.0, -1.0, -1.0)
    force, hessian = at_corner(state, w, cell)
    return -force, hessian


@wp.func
def cells_in_lanes(
    cell: StiffCellRecords, q: int, rest: wp.array[floats], u_i: wp.vec3, u: wp.array[wp.vec3]
):
    """The same of eight cells of a vertex."""
    state = state_at(CellStates(), cell.others, cell.gradient, cell.middle, in_all(u_i), u)
    w = weights_by_signs(cell.gradient, cell.middle, -1.0, -1.0, -1.0)
    force, hessian = at_corner(state, w, cell)
    return -total(force), total(hessian)


@wp.func
def cell_gradient(cell: StiffCell, u: wp.array[wp.vec3]):
    """[H q_xy q_yz q_xz q_xyz]."""
    return gradient_of(cell.corners, cell.gradient, cell.middle, u[cell.corners[0]], u)


@wp.func
def cell_weight(cell: StiffCell, c: int):
    return weights_of(cell.gradient, cell.middle, c)


@wp.func
def deformation(cell: StiffCell, g: mat37):
    """F."""
    return cell.turn + center_of(g)


@wp.func
def cell_volume(cell: StiffCell, g: mat37):
    """J at the centre."""
    return wp.determinant(deformation(cell, g))


@wp.func
def cell_stress(cell: StiffCell, rest: wp.array[float], g: mat37):
    """∂E/∂G [J]."""
    p, _f = stress_from_displacements(cell.mu, cell.lam, cell.turn, center_of(g))
    return widened(p) + bending_stress(g + widened(cell.turn), cell.bending)


@wp.func
def cell_slope(cell: StiffCell, rest: wp.array[float], g: mat37, d: mat37, total: vec6):
    """`total` and coefficients 1, α … α⁵ of ∂E/∂α [J] at G + α D."""
    p, f = stress_from_displacements(cell.mu, cell.lam, cell.turn, center_of(g))
    ahead = center_of(d)
    found = volume_slope(f, ahead, 1.0 + cell.mu / cell.lam, cell.lam)
    found[0] = wp.ddot(p, ahead)
    found[1] += cell.mu * wp.ddot(ahead, ahead)
    return total + found + bending_slope(g + widened(cell.turn), d, cell.bending)


@wp.func
def cell_square(cell: StiffCell, rest: wp.array[float], g: mat37, m: int):
    """λ V [J] and cof F."""
    return cell.lam, widened(cofactor(deformation(cell, g)))


@wp.func
def cell_shear(cell: StiffCell):
    """μ V [J]."""
    return cell.mu


@wp.func
def cell_spread(cell: StiffCell, rest: wp.array[float], g: mat37):
    """What of the Hessian near the rest shape is not alike in all columns of G."""
    spread = bending_spread(cell.bending)
    for m in range(3, 7):
        spread[m, m] += cell.bending.floor - cell.mu
    return spread


@wp.func
def cell_turning(cell: StiffCell, rest: wp.array[float], g: mat37):
    """As of neo-Hookean tets (tets.py)."""
    f = deformation(cell, g)
    s = cell.lam * (wp.determinant(f) - 1.0) - cell.mu
    limit = cell.mu / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@wp.func
def cell_energy(cell: ExactStiffCell, u: wp.array[wp.vec3]):
    """E [J], zero at rest, and J at the centre."""
    g = exact_gradient(cell.corners, cell.gradient, cell.middle, u)
    for i in range(3):
        for m in range(3):
            g[i, m] += cell.turn[i, m]
    f = exact_center(g)
    jacobian = wp.determinant(f)
    total = density(cell.mu, cell.lam, f, jacobian)
    return total + bending_energy(g, cell.bending), jacobian
