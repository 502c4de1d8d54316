# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean cells of a vertex, eight in lanes (kernels/device/lanes.py)."""

from typing import Any

import warp as wp

from ..device.lane_functions import either, least, total
from ..device.lanes import (  # noqa: F401 (operators)
    add,
    div,
    dot,
    floats,
    in_all_lanes,
    largest,
    magnitude,
    mul,
    scaled_identity,
    square,
    sub,
    wide,
)
from ..device.options import OPTIONS
from .cell_state import CellState, state_at, weights_by_signs
from .cells import CellRecord
from .crushed import CRUSHED_VOLUME, ONSET
from .hourglass import bending_force_hessian

wp.set_module_options(OPTIONS)

# Stands for the μ [J] of unused lanes, by which nothing is divided.
LEAST_SHEAR = wp.constant(1.0e-30)

CellRecords, CellStates = wide(CellRecord), wide(CellState)


@wp.func
def neo_hookean_force_hessian(state: Any, w: Any, mu: Any, lam: Any):
    """∂E/∂x_i [N] and ∂²E/∂x_i² [N/m] of neo_hookean.py at the corner with the weights w."""
    fg = w[0] * state.f_x + w[1] * state.f_y + w[2] * state.f_z
    n = w[0] * state.n_x + w[1] * state.n_y + w[2] * state.n_z
    jacobian = dot(state.f_x, state.n_x)
    force = mu * fg + (lam * (jacobian - 1.0) - mu) * n
    diagonal = mu * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    hessian = square(lam, n)
    # Unused lanes have no μ.
    if least(mu * (jacobian - CRUSHED_VOLUME)) < 0.0:
        stretch = dot(state.f_x, state.f_x) + dot(state.f_y, state.f_y) + dot(state.f_z, state.f_z)
        ratio = (lam + mu) / (wp.static(ONSET) * largest(LEAST_SHEAR, mu))
        over_c = largest(1.0, ratio * ratio)  # 1/c of crushed.py
        part = 1.5 * largest(0.0, 1.0 - over_c * stretch)
        force += ((-1.0 * mu) * part) * fg
        diagonal = magnitude(1.0 - part) * diagonal
        hessian += square(either(part, 3.0, 0.0) * (over_c * mu), fg)
    return force, hessian + scaled_identity(diagonal)


@wp.func
def neo_hookean_cells(
    cell: CellRecords, q: int, rest: wp.array[floats], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m] of eight neo-Hookean cells of a vertex."""
    state = state_at(CellStates(), cell.others, cell.gradient, cell.middle, in_all_lanes(x_i), x)
    w = weights_by_signs(cell.gradient, cell.middle, -1.0, -1.0, -1.0)
    force, hessian = neo_hookean_force_hessian(state, w, cell.mu, cell.lam)
    bending, block = bending_force_hessian(state, w, cell.bending)
    return -total(force + bending), total(hessian + block)
