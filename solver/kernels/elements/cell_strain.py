# SPDX-License-Identifier: GPL-3.0-or-later
"""What rotation does not change of a cell, or of eight in lanes, and how its bending resists."""

from typing import Any

import warp as wp

from ..lanes import (  # noqa: F401 (operators)
    add,
    dot,
    mul,
    vector,
)
from ..options import QUICK
from .cell_state import CellState
from .linear_algebra import vec6

wp.set_module_options(QUICK)


@wp.struct
class Strain:
    """C = FᵀF, J, and D = FᵀQ by columns."""

    c: vec6  # (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂)
    j: float
    d_xy: wp.vec3
    d_yz: wp.vec3
    d_xz: wp.vec3
    d_xyz: wp.vec3


@wp.func
def along_axes(state: Any, a: Any):
    """Fᵀ a."""
    return vector(dot(state.f_x, a), dot(state.f_y, a), dot(state.f_z, a))


@wp.func
def axes_times(state: Any, a: Any):
    """F a."""
    return a[0] * state.f_x + a[1] * state.f_y + a[2] * state.f_z


@wp.func
def bending_stress_of(d_xy: Any, d_yz: Any, d_xz: Any, d_xyz: Any, k: Any):
    """The columns of K D."""
    twist = k.rates[0] * (d_xy[2] + d_yz[0] + d_xz[1])
    j_x = k.rates[1] * (d_xy[1] + d_xz[2])
    j_y = k.rates[2] * (d_xy[0] + d_yz[2])
    j_z = k.rates[3] * (d_yz[1] + d_xz[0])
    floor = k.floor
    of_z = floor + k.cross[2]
    of_x = floor + k.cross[0]
    of_y = floor + k.cross[1]
    s_xy = vector(of_z * d_xy[0] + j_y, of_z * d_xy[1] + j_x, floor * d_xy[2] + twist)
    s_yz = vector(floor * d_yz[0] + twist, of_x * d_yz[1] + j_z, of_x * d_yz[2] + j_y)
    s_xz = vector(of_y * d_xz[0] + j_z, floor * d_xz[1] + twist, of_y * d_xz[2] + j_x)
    return s_xy, s_yz, s_xz, floor * d_xyz


@wp.func
def symmetric_times(c: Any, a: Any):
    """C a of (C₁₁, C₂₂, C₃₃, C₂₃, C₁₃, C₁₂)."""
    return vector(
        c[0] * a[0] + c[5] * a[1] + c[4] * a[2],
        c[5] * a[0] + c[1] * a[1] + c[3] * a[2],
        c[4] * a[0] + c[3] * a[1] + c[2] * a[2],
    )


@wp.func
def strain_of(state: CellState):
    """The `Strain` of a cell."""
    of_x = along_axes(state, state.f_x)
    of_y = along_axes(state, state.f_y)
    strain = Strain()
    strain.c = vec6(of_x[0], of_y[1], wp.length_sq(state.f_z), of_y[2], of_x[2], of_x[1])
    strain.j = dot(state.f_x, state.n_x)
    strain.d_xy = along_axes(state, state.q_xy)
    strain.d_yz = along_axes(state, state.q_yz)
    strain.d_xz = along_axes(state, state.q_xz)
    strain.d_xyz = along_axes(state, state.q_xyz)
    return strain
