# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a cell, linear in its corners: G = [F q_xy q_yz q_xz q_xyz] = Σ_a x_a w_aᵀ.

With the signs s ∈ {±1}³ of a corner along the axes, the side h, and the middle c of the material in
the cell, from -1 to 1 along each axis,

    F      s_x (1 + s_y c_y) (1 + s_z c_z)/(4h) and so on: the gradient of the trilinear field at c
    q_xy   κ s_x s_y (1 + s_z c_z)/(4h) and so on: its change from there
    q_xyz  κ s_x s_y s_z/(4h),  κ = 1/√3

(Flanagan and Belytschko 1981 for c = 0). The q are zero for affine motions; with κ, V c |q|²/2 is
the energy of a strain that is linear across a full cell, at a modulus c.
"""

from typing import Any

import warp as wp

from ..device.lane_functions import stacked
from ..device.lanes import add, cross, gathered, mul, sub, vec7  # noqa: F401 (operators)
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

vec4 = wp.types.vector(length=4, dtype=float)
vec7i = wp.types.vector(length=7, dtype=int)
vec8i = wp.types.vector(length=8, dtype=int)
mat37 = wp.types.matrix(shape=(3, 7), dtype=float)
mat37d = wp.types.matrix(shape=(3, 7), dtype=wp.float64)
mat77 = wp.types.matrix(shape=(7, 7), dtype=float)
KAPPA = wp.constant(1.0 / 3.0**0.5)


@wp.struct
class CellState:
    """G by columns, and the columns of cof F."""

    f_x: wp.vec3
    f_y: wp.vec3
    f_z: wp.vec3
    q_xy: wp.vec3
    q_yz: wp.vec3
    q_xz: wp.vec3
    q_xyz: wp.vec3
    n_x: wp.vec3
    n_y: wp.vec3
    n_z: wp.vec3


@wp.func
def with_cofactor(state: Any):
    """A state with F and q, its cofactor filled in."""
    state.n_x = cross(state.f_y, state.f_z)
    state.n_y = cross(state.f_z, state.f_x)
    state.n_z = cross(state.f_x, state.f_y)
    return state


@wp.func
def state_of(g: mat37):
    """The state of a cell from G."""
    state = CellState()
    state.f_x = wp.vec3(g[0, 0], g[1, 0], g[2, 0])
    state.f_y = wp.vec3(g[0, 1], g[1, 1], g[2, 1])
    state.f_z = wp.vec3(g[0, 2], g[1, 2], g[2, 2])
    state.q_xy = wp.vec3(g[0, 3], g[1, 3], g[2, 3])
    state.q_yz = wp.vec3(g[0, 4], g[1, 4], g[2, 4])
    state.q_xz = wp.vec3(g[0, 5], g[1, 5], g[2, 5])
    state.q_xyz = wp.vec3(g[0, 6], g[1, 6], g[2, 6])
    return with_cofactor(state)


@wp.func
def state_from(
    state: Any,
    d_0: Any,
    d_1: Any,
    d_2: Any,
    d_3: Any,
    d_4: Any,
    d_5: Any,
    d_6: Any,
    d_7: Any,
    a: Any,
    c: Any,
):
    """`state` filled in from the positions [m] of corners 0 to 7, relative to any point.

    a = 1/(4h) [1/m], `c` the middle of the material. Sums and differences bit by bit (Hadamard)
    give the state at the middle of the cell, which is then moved to c.
    """
    s_0 = d_0 + d_1
    s_2 = d_2 + d_3
    s_4 = d_4 + d_5
    s_6 = d_6 + d_7
    x_0 = d_1 - d_0
    x_2 = d_3 - d_2
    x_4 = d_5 - d_4
    x_6 = d_7 - d_6
    low = s_0 + s_2
    high = s_4 + s_6
    y_low = s_2 - s_0
    y_high = s_6 - s_4
    x_low = x_0 + x_2
    x_high = x_4 + x_6
    xy_low = x_2 - x_0
    xy_high = x_6 - x_4
    xy = xy_low + xy_high
    yz = y_high - y_low
    xz = x_high - x_low
    xyz = xy_high - xy_low
    kappa = KAPPA * a
    state.f_x = a * (x_low + x_high + c[1] * xy + c[2] * xz + (c[1] * c[2]) * xyz)
    state.f_y = a * (y_low + y_high + c[0] * xy + c[2] * yz + (c[0] * c[2]) * xyz)
    state.f_z = a * (high - low + c[0] * xz + c[1] * yz + (c[0] * c[1]) * xyz)
    state.q_xy = kappa * (xy + c[2] * xyz)
    state.q_yz = kappa * (yz + c[0] * xyz)
    state.q_xz = kappa * (xz + c[1] * xyz)
    state.q_xyz = kappa * xyz
    return with_cofactor(state)


@wp.func
def state_at(state: Any, others: Any, a: Any, c: Any, x_i: Any, x: wp.array[wp.vec3]):
    """The state of a cell in the frame of a corner at x_i, which has s = (-1, -1, -1) there;
    `others` are the other vertices by the bits of their offsets.
    """
    return state_from(
        state,
        x_i - x_i,
        gathered(x, others[0]) - x_i,
        gathered(x, others[1]) - x_i,
        gathered(x, others[2]) - x_i,
        gathered(x, others[3]) - x_i,
        gathered(x, others[4]) - x_i,
        gathered(x, others[5]) - x_i,
        gathered(x, others[6]) - x_i,
        a,
        c,
    )


@wp.func
def state_of_corners(state: Any, corners: Any, a: Any, c: Any, origin: Any, x: wp.array[wp.vec3]):
    """The state of a cell along its own axes; `origin` [m] is a point near it."""
    return state_from(
        state,
        gathered(x, corners[0]) - origin,
        gathered(x, corners[1]) - origin,
        gathered(x, corners[2]) - origin,
        gathered(x, corners[3]) - origin,
        gathered(x, corners[4]) - origin,
        gathered(x, corners[5]) - origin,
        gathered(x, corners[6]) - origin,
        gathered(x, corners[7]) - origin,
        a,
        c,
    )


@wp.func
def weights_by_signs(a: Any, c: Any, s_x: Any, s_y: Any, s_z: Any):
    """w [1/m] of the corner with signs s."""
    x = 1.0 + s_x * c[0]
    y = 1.0 + s_y * c[1]
    z = 1.0 + s_z * c[2]
    a_x = a * s_x
    a_xy = a_x * s_y
    k = KAPPA
    return stacked(
        a_x * (y * z),
        (a * s_y) * (x * z),
        (a * s_z) * (x * y),
        (k * a_xy) * z,
        (k * a * s_y * s_z) * x,
        (k * a_x * s_z) * y,
        k * a_xy * s_z,
    )


@wp.func
def sign(corner: int, bit: int):
    return float(2 * ((corner >> bit) & 1) - 1)


@wp.func
def weights_of(a: float, c: wp.vec3, corner: int):
    """w [1/m] of a corner by its number."""
    return weights_by_signs(a, c, sign(corner, 0), sign(corner, 1), sign(corner, 2))


@wp.func
def gradient_of(corners: vec8i, a: float, c: wp.vec3, base: wp.vec3, x: wp.array[wp.vec3]):
    """G from positions [m] relative to one of the corners, at `base`."""
    g = mat37()
    k = int(0)
    while k < 8:
        g += wp.outer(x[corners[k]] - base, weights_of(a, c, k))
        k += 1
    return g


@wp.func
def center_of(g: mat37):
    """F, the first columns of G."""
    return wp.mat33(g[0, 0], g[0, 1], g[0, 2], g[1, 0], g[1, 1], g[1, 2], g[2, 0], g[2, 1], g[2, 2])


@wp.func
def widened(f: wp.mat33):
    """G with F and zeros."""
    g = mat37(0.0)
    for i in range(3):
        for m in range(3):
            g[i, m] = f[i, m]
    return g
