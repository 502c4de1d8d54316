# SPDX-License-Identifier: GPL-3.0-or-later
"""Viscosity of cells (cell_viscosity.py) at a vertex: of one cell, or of eight in lanes."""

from typing import Any

import warp as wp

from ..lane_functions import total
from ..lanes import (  # noqa: F401 (operators)
    add,
    div,
    dot,
    in_all,
    largest,
    magnitude,
    mul,
    scaled_identity,
    square,
    sub,
    vector,
    wide,
)
from ..options import QUICK
from .cell_state import CellState, state_of_corners, vec8i, weights_by_signs
from .cell_strain import (
    Strain,
    along_axes,
    axes_times,
    bending_stress_of,
    strain_of,
    symmetric_times,
)
from .hourglass import Bending
from .viscosity import LARGE

wp.set_module_options(QUICK)


@wp.struct
class ViscousCellRecord:
    """The viscosity of one cell, seen from one of its corners."""

    corners: vec8i
    signs: wp.vec3  # s of the own corner
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3  # of the material, -1 to 1
    shear: float  # κ μ V [J]
    bulk: float  # κ λ V [J]
    bending: Bending  # times κ


ViscousCellRecords, CellStates, Strains = wide(ViscousCellRecord), wide(CellState), wide(Strain)


@wp.func
def viscous_force_hessian(cell: Any, state: Any, before: Any):
    """∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], made positive semi-definite, since C, J, D = `before`."""
    w = weights_by_signs(cell.gradient, cell.middle, cell.signs[0], cell.signs[1], cell.signs[2])
    g = vector(w[0], w[1], w[2])
    fg = axes_times(state, g)
    n = w[0] * state.n_x + w[1] * state.n_y + w[2] * state.n_z
    soft = 1.0 / largest(1.0, (1.0 / (LARGE * LARGE)) * dot(before.c, before.c))
    shear = soft * cell.shear
    change = shear * (along_axes(state, fg) - symmetric_times(before.c, g))
    s_xy, s_yz, s_xz, s_xyz = bending_stress_of(
        along_axes(state, state.q_xy) - before.d_xy,
        along_axes(state, state.q_yz) - before.d_yz,
        along_axes(state, state.q_xz) - before.d_xz,
        along_axes(state, state.q_xyz) - before.d_xyz,
        cell.bending,
    )
    bent = soft * (w[3] * s_xy + w[4] * s_yz + w[5] * s_xz + w[6] * s_xyz)
    force = axes_times(state, change + bent)
    force += (cell.bulk * (dot(state.f_x, state.n_x) - before.j)) * n
    force += (soft * dot(s_xy, g)) * state.q_xy + (soft * dot(s_yz, g)) * state.q_yz
    force += (soft * dot(s_xz, g)) * state.q_xz + (soft * dot(s_xyz, g)) * state.q_xyz

    # Of K what is there at rest; of what D adds by being quadratic, no more than keeps it positive.
    k = cell.bending
    cross = largest(k.cross[0], largest(k.cross[1], k.cross[2]))
    rates = largest(largest(k.rates[0], k.rates[1]), largest(k.rates[2], k.rates[3]))
    most = soft * (k.floor + cross + rates)
    reach = dot(g, g)
    along = shear * reach + most * (w[3] * w[3] + w[4] * w[4] + w[5] * w[5] + w[6] * w[6])
    hessian = square(along, state.f_x) + square(along, state.f_y) + square(along, state.f_z)
    hessian += square(shear, fg) + square(cell.bulk, n)
    across = most * reach
    hessian += square(across, state.q_xy) + square(across, state.q_yz)
    hessian += square(across, state.q_xz) + square(across, state.q_xyz)
    sideways = magnitude(dot(g, change)) + 2.0 * magnitude(dot(g, bent))
    return force, hessian + scaled_identity(sideways)


@wp.func
def viscous_cell_force_hessian(
    cell: ViscousCellRecord, q: int, rest: wp.array[Strain], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], made positive semi-definite; `rest` holds Cᵗ, Jᵗ, Dᵗ."""
    state = state_of_corners(CellState(), cell.corners, cell.gradient, cell.middle, x_i, x)
    force, hessian = viscous_force_hessian(cell, state, rest[q])
    return -force, hessian


@wp.func
def viscous_cell_moved_rest(
    cell: ViscousCellRecord, undamped: Strain, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """C, J and D at x."""
    state = state_of_corners(CellState(), cell.corners, cell.gradient, cell.middle, x_i, x)
    return strain_of(state)


@wp.func
def viscous_cells(
    cell: ViscousCellRecords, q: int, rest: wp.array[Strains], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """The same of eight cells of a vertex."""
    state = state_of_corners(CellStates(), cell.corners, cell.gradient, cell.middle, in_all(x_i), x)
    force, hessian = viscous_force_hessian(cell, state, rest[q])
    return -total(force), total(hessian)
