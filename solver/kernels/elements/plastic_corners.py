# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells with a moving rest shape (plastic_cells.py) at a vertex: one cell, or eight in lanes."""

from typing import Any

import warp as wp

from ..device.lane_functions import rest_value, six, stacked, total
from ..device.lanes import (  # noqa: F401 (operators)
    add,
    div,
    dot,
    floats,
    in_all_lanes,
    largest,
    mul,
    scaled_identity,
    square,
    sub,
    vec3s,
    vector,
    wide,
)
from ..device.options import OPTIONS
from .cell_state import CellState, state_of_corners, vec8i, weights_by_signs
from .hourglass import Bending, bending_force_hessian
from .linear_algebra import vec20
from .plastic_solids import relaxed_at

wp.set_module_options(OPTIONS)

# Up to this |b|² of all four, the viscosity of bending has its full stiffness.
MOST_BENT = wp.constant(1.0)


@wp.struct
class PlasticCellRecord:
    """One cell seen from one of its corners."""

    corners: vec8i
    signs: wp.vec3  # s of the own corner
    gradient: float  # 1/(4h) [1/m]
    middle: wp.vec3  # of the material, -1 to 1
    mu: float  # [J]
    lam: float
    bending: Bending


PlasticCellRecords, CellStates, Rests = wide(PlasticCellRecord), wide(CellState), wide(vec20)


@wp.func
def axes_times(state: Any, a: Any):
    """F a."""
    return a[0] * state.f_x + a[1] * state.f_y + a[2] * state.f_z


@wp.func
def along_normals(state: Any, a: Any):
    """J F⁻¹ a."""
    return vector(dot(state.n_x, a), dot(state.n_y, a), dot(state.n_z, a))


@wp.func
def symmetric_times(c: Any, a: Any):
    """C a of (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂, …)."""
    return vector(
        c[0] * a[0] + c[5] * a[1] + c[4] * a[2],
        c[5] * a[0] + c[1] * a[1] + c[3] * a[2],
        c[4] * a[0] + c[3] * a[1] + c[2] * a[2],
    )


@wp.func
def force_hessian_of(cell: Any, state: Any, rest: Any):
    """∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite, of a cell with this state."""
    w = weights_by_signs(cell.gradient, cell.middle, cell.signs[0], cell.signs[1], cell.signs[2])
    g = vector(w[0], w[1], w[2])
    along = symmetric_times(rest, g)
    n = w[0] * state.n_x + w[1] * state.n_y + w[2] * state.n_z
    force = axes_times(state, cell.mu * along)
    force += (cell.lam * (dot(state.f_x, state.n_x) - rest[18])) * n
    hessian = square(cell.lam, n) + scaled_identity(cell.mu * dot(g, along))
    xy = vector(rest[6], rest[7], rest[8])
    yz = vector(rest[9], rest[10], rest[11])
    xz = vector(rest[12], rest[13], rest[14])
    xyz = vector(rest[15], rest[16], rest[17])
    state.q_xy = state.q_xy - axes_times(state, xy)
    state.q_yz = state.q_yz - axes_times(state, yz)
    state.q_xz = state.q_xz - axes_times(state, xz)
    state.q_xyz = state.q_xyz - axes_times(state, xyz)
    w_xy = w[3] - dot(xy, g)
    w_yz = w[4] - dot(yz, g)
    w_xz = w[5] - dot(xz, g)
    w_xyz = w[6] - dot(xyz, g)
    v = stacked(w[0], w[1], w[2], w_xy, w_yz, w_xz, w_xyz)
    bending, block = bending_force_hessian(state, v, cell.bending)
    return force + rest[19] * bending, hessian + rest[19] * block


@wp.func
def plastic_cell_force_hessian(
    cell: PlasticCellRecord, q: int, rest: wp.array[vec20], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m]."""
    state = state_of_corners(CellState(), cell.corners, cell.gradient, cell.middle, x_i, x)
    force, hessian = force_hessian_of(cell, state, rest[q])
    return -force, hessian


@wp.func
def plastic_cells(
    cell: PlasticCellRecords, q: int, rest: wp.array[Rests], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """Force [N] and block [N/m] of eight cells of a vertex, in lanes."""
    state = state_of_corners(
        CellStates(), cell.corners, cell.gradient, cell.middle, in_all_lanes(x_i), x
    )
    force, hessian = force_hessian_of(cell, state, rest[q])
    return -total(force), total(hessian)


@wp.func
def rest_of(cell: Any, state: Any):
    """The rest value of viscosity in a step that begins in this state."""
    # Unused lanes have no λ.
    ratio = cell.mu / largest(1.0e-30, cell.lam)
    a_xx, a_yy, a_zz, a_yz, a_xz, a_xy, alpha = relaxed_at(state.f_x, state.f_y, state.f_z, ratio)
    # J F⁻¹q
    xy = along_normals(state, state.q_xy)
    yz = along_normals(state, state.q_yz)
    xz = along_normals(state, state.q_xz)
    xyz = along_normals(state, state.q_xyz)
    volume = dot(state.f_x, state.n_x)
    certain = (MOST_BENT * volume) * volume
    size = dot(xy, xy) + dot(yz, yz) + dot(xz, xz) + dot(xyz, xyz)
    inverse = volume / largest(1.0e-20, volume * volume)
    shape = six(a_xx, a_yy, a_zz, a_yz, a_xz, a_xy)
    counts = certain / largest(1.0e-20, largest(certain, size))
    return rest_value(shape, inverse * xy, inverse * yz, inverse * xz, inverse * xyz, alpha, counts)


@wp.func
def rest_of_cell(
    cell: PlasticCellRecord, undamped: vec20, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """The rest value of one cell."""
    state = state_of_corners(CellState(), cell.corners, cell.gradient, cell.middle, x_i, x)
    return rest_of(cell, state)


@wp.func
def rest_of_cells(
    cell: PlasticCellRecords, undamped: Rests, blend: floats, x_i: vec3s, x: wp.array[wp.vec3]
):
    """The rest values of eight cells of a vertex, in lanes."""
    state = state_of_corners(CellStates(), cell.corners, cell.gradient, cell.middle, x_i, x)
    return rest_of(cell, state)
