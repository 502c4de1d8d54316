# SPDX-License-Identifier: GPL-3.0-or-later
"""Hourglass modes of a cell: bending and twisting, to which F at one point is blind.

With F and the q of cell_state.py, the axes f = F e and n = cof(F) e of the cell, the rates at which
J changes along its axes, and its twist,

    J_x = n_y·q_xy + n_z·q_xz,  J_y = n_x·q_xy + n_z·q_yz,  J_z = n_x·q_xz + n_y·q_yz
    t   = n_z·q_xy + n_y·q_xz + n_x·q_yz

the energy per volume is, with Lamé's μ and λ' = 2 λ μ/(λ + 2μ), that of plane stress,

    ψ = ½ μ (s Σ|q|² + s_z |f_z × q_xy|² + s_x |f_x × q_yz|² + s_y |f_y × q_xz|² + s t²)
      + ½ λ' (r_x J_x² + r_y J_y² + r_z J_z²)

In a full cell s and r are 1. In bending a cell can then change its thickness across (assumed
strain; Belytschko and Bindeman 1993), without the parasitic shear of trilinear cells. Without
rotation and stretch, q_xy along x or y and the like are bending, with Young's modulus for a single
cell; q_xy along z, q_yz along x and q_xz along y are twist, a uniform sum of which costs four times
its shear.

In a partly filled cell, r is the mean square distance of its material from c along each axis, over
that of a full cell; s is the least r, and s_z = 2 min(r_x, r_y) − s. So bars and plates that fill a
fraction of their cells bend and twist by their actual thickness, and motions of the empty parts of
cells cost little.

The energy is a sum of squares that vanish together with the q, and is invariant under rotation
without a corotated frame. Every squared vector and number consists of determinants of corner
positions, so it is affine in one vertex: the energy is exactly quadratic there, like that of the
neo-Hookean solid. n grows when the cell is compressed across, and f when it is thick: so bending of
a neo-Hookean bar stiffens and softens with its stretch.
"""

from typing import Any

import warp as wp

from ..device.lanes import add, cross, dot, mul, scaled_identity, square, sub  # noqa: F401 (operators)
from ..device.options import OPTIONS
from .cell_state import mat37, mat37d, state_of, vec4
from .linear_algebra import vec6

wp.set_module_options(OPTIONS)


@wp.struct
class Bending:
    """Stiffness of bending and twist, times the volume [J]."""

    floor: float  # μ s
    cross: wp.vec3  # μ (s_x, s_y, s_z)
    rates: vec4  # μ s, λ' (r_x, r_y, r_z)


@wp.struct
class ExactBending:
    """`Bending` in float64."""

    floor: wp.float64
    cross: wp.vec3d
    rates: wp.vec4d


@wp.func
def rates_of(state: Any):
    """(t, J_x, J_y, J_z)."""
    xy = state.q_xy
    yz = state.q_yz
    xz = state.q_xz
    t = dot(state.n_z, xy) + dot(state.n_x, yz) + dot(state.n_y, xz)
    j_x = dot(state.n_y, xy) + dot(state.n_z, xz)
    j_y = dot(state.n_x, xy) + dot(state.n_z, yz)
    j_z = dot(state.n_x, xz) + dot(state.n_y, yz)
    return t, j_x, j_y, j_z


@wp.func
def bending_force_hessian(state: Any, w: Any, bending: Any):
    """∂E/∂x_i [N] and ∂²E/∂x_i² [N/m] of the corner with the weights w."""
    f_xy = w[0] * state.f_y - w[1] * state.f_x
    f_xz = w[0] * state.f_z - w[2] * state.f_x
    f_yz = w[1] * state.f_z - w[2] * state.f_y

    # Squares of numbers c: c times u = ∂c/∂x_i.
    u_t = w[3] * state.n_z + w[4] * state.n_x + w[5] * state.n_y
    u_t += cross(f_xy, state.q_xy) + cross(f_yz, state.q_yz) - cross(f_xz, state.q_xz)
    u_x = w[3] * state.n_y + w[5] * state.n_z
    u_x += cross(f_xy, state.q_xz) - cross(f_xz, state.q_xy)
    u_y = w[3] * state.n_x + w[4] * state.n_z
    u_y += cross(f_yz, state.q_xy) + cross(f_xy, state.q_yz)
    u_z = w[5] * state.n_x + w[4] * state.n_y
    u_z += cross(f_yz, state.q_xz) - cross(f_xz, state.q_yz)
    t, j_x, j_y, j_z = rates_of(state)
    k = bending.rates
    force = (k[0] * t) * u_t + (k[1] * j_x) * u_x + (k[2] * j_y) * u_y + (k[3] * j_z) * u_z
    hessian = square(k[0], u_t) + square(k[1], u_x) + square(k[2], u_y) + square(k[3], u_z)

    # Squares of vectors f × q, which change by v × δ.
    v_x = w[4] * state.f_x - w[0] * state.q_yz
    v_y = w[5] * state.f_y - w[1] * state.q_xz
    v_z = w[3] * state.f_z - w[2] * state.q_xy
    k_x = bending.cross[0]
    k_y = bending.cross[1]
    k_z = bending.cross[2]
    force += k_x * cross(cross(state.f_x, state.q_yz), v_x)
    force += k_y * cross(cross(state.f_y, state.q_xz), v_y)
    force += k_z * cross(cross(state.f_z, state.q_xy), v_z)
    hessian -= square(k_x, v_x) + square(k_y, v_y) + square(k_z, v_z)
    q = w[3] * state.q_xy + w[4] * state.q_yz + w[5] * state.q_xz + w[6] * state.q_xyz
    force += bending.floor * q
    d = bending.floor * (w[3] * w[3] + w[4] * w[4] + w[5] * w[5] + w[6] * w[6])
    d += k_x * dot(v_x, v_x) + k_y * dot(v_y, v_y) + k_z * dot(v_z, v_z)
    return force, hessian + scaled_identity(d)


@wp.func
def bending_stress(g: mat37, bending: Bending):
    """∂E/∂G [J]."""
    state = state_of(g)
    twist, change_x, change_y, change_z = rates_of(state)
    t = bending.rates[0] * twist
    j_x = bending.rates[1] * change_x
    j_y = bending.rates[2] * change_y
    j_z = bending.rates[3] * change_z
    # Derivatives by n, then by f, through n and directly.
    m_x = t * state.q_yz + j_y * state.q_xy + j_z * state.q_xz
    m_y = t * state.q_xz + j_x * state.q_xy + j_z * state.q_yz
    m_z = t * state.q_xy + j_x * state.q_xz + j_y * state.q_yz
    c_x = bending.cross[0] * wp.cross(state.f_x, state.q_yz)
    c_y = bending.cross[1] * wp.cross(state.f_y, state.q_xz)
    c_z = bending.cross[2] * wp.cross(state.f_z, state.q_xy)
    p_x = wp.cross(m_y, state.f_z) + wp.cross(state.f_y, m_z) + wp.cross(state.q_yz, c_x)
    p_y = wp.cross(m_z, state.f_x) + wp.cross(state.f_z, m_x) + wp.cross(state.q_xz, c_y)
    p_z = wp.cross(m_x, state.f_y) + wp.cross(state.f_x, m_y) + wp.cross(state.q_xy, c_z)
    p_xy = t * state.n_z + j_x * state.n_y + j_y * state.n_x + wp.cross(c_z, state.f_z)
    p_yz = t * state.n_x + j_y * state.n_z + j_z * state.n_y + wp.cross(c_x, state.f_x)
    p_xz = t * state.n_y + j_x * state.n_z + j_z * state.n_x + wp.cross(c_y, state.f_y)
    stress = mat37(0.0)
    for i in range(3):
        stress[i, 0] = p_x[i]
        stress[i, 1] = p_y[i]
        stress[i, 2] = p_z[i]
        stress[i, 3] = p_xy[i] + bending.floor * g[i, 3]
        stress[i, 4] = p_yz[i] + bending.floor * g[i, 4]
        stress[i, 5] = p_xz[i] + bending.floor * g[i, 5]
        stress[i, 6] = bending.floor * g[i, 6]
    return stress


@wp.func
def determinant_on_line(
    a: wp.vec3, b: wp.vec3, c: wp.vec3, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3
):
    """Coefficients 1, α, α², α³ of det(a + α d_a, b + α d_b, c + α d_c)."""
    n_0 = wp.cross(b, c)
    n_1 = wp.cross(d_b, c) + wp.cross(b, d_c)
    n_2 = wp.cross(d_b, d_c)
    return vec4(
        wp.dot(a, n_0),
        wp.dot(d_a, n_0) + wp.dot(a, n_1),
        wp.dot(d_a, n_1) + wp.dot(a, n_2),
        wp.dot(d_a, n_2),
    )


@wp.func
def slope_of_square(c: vec4, scale: float):
    """Coefficients 1, α … α⁵ of the slope of `scale`/2 times the square of a cubic polynomial."""
    return scale * vec6(
        c[0] * c[1],
        c[1] * c[1] + 2.0 * c[0] * c[2],
        3.0 * (c[1] * c[2] + c[0] * c[3]),
        2.0 * c[2] * c[2] + 4.0 * c[1] * c[3],
        5.0 * c[2] * c[3],
        3.0 * c[3] * c[3],
    )


@wp.func
def slope_of_cross(f: wp.vec3, q: wp.vec3, d_f: wp.vec3, d_q: wp.vec3, scale: float):
    """Coefficients of the slope of `scale`/2 |f × q|² on the line f + α d_f, q + α d_q."""
    c_0 = wp.cross(f, q)
    c_1 = wp.cross(d_f, q) + wp.cross(f, d_q)
    c_2 = wp.cross(d_f, d_q)
    return scale * vec6(
        wp.dot(c_0, c_1),
        wp.dot(c_1, c_1) + 2.0 * wp.dot(c_0, c_2),
        3.0 * wp.dot(c_1, c_2),
        2.0 * wp.dot(c_2, c_2),
        0.0,
        0.0,
    )


@wp.func
def bending_slope(g: mat37, d: mat37, bending: Bending):
    """Coefficients 1, α … α⁵ of ∂E/∂α [J] at G + α D."""
    s = state_of(g)
    r = state_of(d)
    total = slope_of_cross(s.f_z, s.q_xy, r.f_z, r.q_xy, bending.cross[2])
    total += slope_of_cross(s.f_x, s.q_yz, r.f_x, r.q_yz, bending.cross[0])
    total += slope_of_cross(s.f_y, s.q_xz, r.f_y, r.q_xz, bending.cross[1])
    t = determinant_on_line(s.q_xy, s.f_x, s.f_y, r.q_xy, r.f_x, r.f_y)
    t += determinant_on_line(s.q_yz, s.f_y, s.f_z, r.q_yz, r.f_y, r.f_z)
    t += determinant_on_line(s.q_xz, s.f_z, s.f_x, r.q_xz, r.f_z, r.f_x)
    total += slope_of_square(t, bending.rates[0])
    j = determinant_on_line(s.q_xy, s.f_z, s.f_x, r.q_xy, r.f_z, r.f_x)
    j += determinant_on_line(s.q_xz, s.f_x, s.f_y, r.q_xz, r.f_x, r.f_y)
    total += slope_of_square(j, bending.rates[1])
    j = determinant_on_line(s.q_xy, s.f_y, s.f_z, r.q_xy, r.f_y, r.f_z)
    j += determinant_on_line(s.q_yz, s.f_x, s.f_y, r.q_yz, r.f_x, r.f_y)
    total += slope_of_square(j, bending.rates[2])
    j = determinant_on_line(s.q_xz, s.f_y, s.f_z, r.q_xz, r.f_y, r.f_z)
    j += determinant_on_line(s.q_yz, s.f_z, s.f_x, r.q_yz, r.f_z, r.f_x)
    total += slope_of_square(j, bending.rates[3])
    for m in range(3, 7):
        for i in range(3):
            total[0] += bending.floor * g[i, m] * d[i, m]
            total[1] += bending.floor * d[i, m] * d[i, m]
    return total


@wp.func
def bending_energy(g: mat37d, bending: ExactBending):
    """E [J] in float64."""
    f_x = wp.vec3d(g[0, 0], g[1, 0], g[2, 0])
    f_y = wp.vec3d(g[0, 1], g[1, 1], g[2, 1])
    f_z = wp.vec3d(g[0, 2], g[1, 2], g[2, 2])
    q_xy = wp.vec3d(g[0, 3], g[1, 3], g[2, 3])
    q_yz = wp.vec3d(g[0, 4], g[1, 4], g[2, 4])
    q_xz = wp.vec3d(g[0, 5], g[1, 5], g[2, 5])
    q_xyz = wp.vec3d(g[0, 6], g[1, 6], g[2, 6])
    n_x = wp.cross(f_y, f_z)
    n_y = wp.cross(f_z, f_x)
    n_z = wp.cross(f_x, f_y)
    t = wp.dot(n_z, q_xy) + wp.dot(n_x, q_yz) + wp.dot(n_y, q_xz)
    j_x = wp.dot(n_y, q_xy) + wp.dot(n_z, q_xz)
    j_y = wp.dot(n_x, q_xy) + wp.dot(n_z, q_yz)
    j_z = wp.dot(n_x, q_xz) + wp.dot(n_y, q_yz)
    floor = wp.length_sq(q_xy) + wp.length_sq(q_yz) + wp.length_sq(q_xz) + wp.length_sq(q_xyz)
    twice = bending.floor * floor
    twice += bending.cross[0] * wp.length_sq(wp.cross(f_x, q_yz))
    twice += bending.cross[1] * wp.length_sq(wp.cross(f_y, q_xz))
    twice += bending.cross[2] * wp.length_sq(wp.cross(f_z, q_xy))
    twice += bending.rates[0] * t * t + bending.rates[1] * j_x * j_x
    twice += bending.rates[2] * j_y * j_y + bending.rates[3] * j_z * j_z
    return wp.float64(0.5) * twice
