# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending and twisting of a cell, which its deformation gradient F at the centre does not see.

The state of a cell of side h is G = [F q_xy q_yz q_xz q_xyz] = Σ_a x_a w_aᵀ over its corners; with
their signs s ∈ {±1}³ along the axes

    w = (s_x, s_y, s_z, κ s_x s_y, κ s_y s_z, κ s_x s_z, κ s_x s_y s_z)/(4h),  κ = 1/√3

(Flanagan and Belytschko 1981). The q are zero for affine motions; κ makes V c |q|²/2 the energy
of a strain that is linear across the cell, at a modulus c. With the axes f = F e and n = cof(F) e
of the cell, the rates at which J changes along its axes, and its twist,

    J_x = n_y·q_xy + n_z·q_xz,  J_y = n_x·q_xy + n_z·q_yz,  J_z = n_x·q_xz + n_y·q_yz
    t   = n_z·q_xy + n_y·q_xz + n_x·q_yz

the energy per volume is

    ψ = μ/2 (Σ|q|² + |f_z × q_xy|² + |f_x × q_yz|² + |f_y × q_xz|² + t²) + λ'/2 (J_x² + J_y² + J_z²)

with Lamé's μ and λ' = 2 λ μ/(λ + 2μ), that of plane stress: bent, a cell is free to become thicker
and thinner across (assumed strain; Belytschko and Bindeman 1993), and does not resist by the shear
that trilinear cells show in bending. Where nothing is turned or stretched, q_xy along x or y
and the like are bending, with Young's modulus for a cell that stands alone; q_xy along z, q_yz
along x and q_xz along y are twist, a uniform sum of which costs four times its shear.

All is a sum of squares that vanish together with the q, invariant under rotation with no frame to
keep. Every vector and number squared is made of determinants of corner positions, so it is affine
along one vertex: the energy is exactly quadratic there, as that of the neo-Hookean solid is. That n
grows where the cell is pressed together across, and f where it is thick, is how bending of a
neo-Hookean bar stiffens and softens with its stretch.
"""

import warp as wp

from ..options import QUICK
from .linear_algebra import vec6

wp.set_module_options(QUICK)

mat37 = wp.types.matrix(shape=(3, 7), dtype=float)
mat37d = wp.types.matrix(shape=(3, 7), dtype=wp.float64)
vec4 = wp.types.vector(length=4, dtype=float)
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
def with_cofactor(state: CellState):
    """A state with F and q, its cofactor filled in."""
    state.n_x = wp.cross(state.f_y, state.f_z)
    state.n_y = wp.cross(state.f_z, state.f_x)
    state.n_z = wp.cross(state.f_x, state.f_y)
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
def rates(state: CellState):
    """(t, J_x, J_y, J_z)."""
    t = (
        wp.dot(state.n_z, state.q_xy)
        + wp.dot(state.n_x, state.q_yz)
        + wp.dot(state.n_y, state.q_xz)
    )
    j_x = wp.dot(state.n_y, state.q_xy) + wp.dot(state.n_z, state.q_xz)
    j_y = wp.dot(state.n_x, state.q_xy) + wp.dot(state.n_z, state.q_yz)
    j_z = wp.dot(state.n_x, state.q_xz) + wp.dot(state.n_y, state.q_yz)
    return vec4(t, j_x, j_y, j_z)


@wp.func
def hourglass_force_hessian(state: CellState, a: float, mu: float, plane: float):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m] of the corner with s = (-1, -1, -1).

    `a` is 1/(4h) [1/m]; `mu` and `plane`, λ', are times the volume [J].
    """
    f_xy = a * (state.f_y - state.f_x)
    f_xz = a * (state.f_z - state.f_x)
    f_yz = a * (state.f_z - state.f_y)
    kappa = KAPPA * a

    # The squares of numbers, c times the step u: ∂c/∂x_i.
    n_xy = kappa * (state.n_x + state.n_y)
    n_z = kappa * state.n_z
    u_t = n_xy + n_z - wp.cross(f_xy, state.q_xy) - wp.cross(f_yz, state.q_yz)
    u_t += wp.cross(f_xz, state.q_xz)
    u_x = kappa * state.n_y + n_z + wp.cross(f_xz, state.q_xy) - wp.cross(f_xy, state.q_xz)
    u_y = kappa * state.n_x + n_z - wp.cross(f_yz, state.q_xy) - wp.cross(f_xy, state.q_yz)
    u_z = n_xy - wp.cross(f_yz, state.q_xz) + wp.cross(f_xz, state.q_yz)
    c = rates(state)
    force = (mu * c[0]) * u_t + (plane * c[1]) * u_x + (plane * c[2]) * u_y + (plane * c[3]) * u_z
    hessian = wp.outer(mu * u_t, u_t) + wp.outer(plane * u_x, u_x)
    hessian += wp.outer(plane * u_y, u_y) + wp.outer(plane * u_z, u_z)

    # Those of vectors f × q, which change by v × δ.
    v_z = kappa * state.f_z + a * state.q_xy
    v_x = kappa * state.f_x + a * state.q_yz
    v_y = kappa * state.f_y + a * state.q_xz
    side = wp.cross(wp.cross(state.f_z, state.q_xy), v_z)
    side += wp.cross(wp.cross(state.f_x, state.q_yz), v_x)
    side += wp.cross(wp.cross(state.f_y, state.q_xz), v_y)
    side += kappa * (state.q_xy + state.q_yz + state.q_xz - state.q_xyz)
    force += mu * side
    hessian -= wp.outer(mu * v_x, v_x) + wp.outer(mu * v_y, v_y) + wp.outer(mu * v_z, v_z)
    along = wp.dot(v_x, v_x) + wp.dot(v_y, v_y) + wp.dot(v_z, v_z) + 4.0 * kappa * kappa
    d = mu * along
    return -force, hessian + wp.mat33(d, 0.0, 0.0, 0.0, d, 0.0, 0.0, 0.0, d)


@wp.func
def hourglass_stress(g: mat37, mu: float, plane: float):
    """∂E/∂G [J]."""
    state = state_of(g)
    c = rates(state)
    t = mu * c[0]
    j_x = plane * c[1]
    j_y = plane * c[2]
    j_z = plane * c[3]
    # Of n, then of f through n and by themselves.
    m_x = t * state.q_yz + j_y * state.q_xy + j_z * state.q_xz
    m_y = t * state.q_xz + j_x * state.q_xy + j_z * state.q_yz
    m_z = t * state.q_xy + j_x * state.q_xz + j_y * state.q_yz
    c_x = mu * wp.cross(state.f_x, state.q_yz)
    c_y = mu * wp.cross(state.f_y, state.q_xz)
    c_z = mu * wp.cross(state.f_z, state.q_xy)
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
        stress[i, 3] = p_xy[i] + mu * g[i, 3]
        stress[i, 4] = p_yz[i] + mu * g[i, 4]
        stress[i, 5] = p_xz[i] + mu * g[i, 5]
        stress[i, 6] = mu * g[i, 6]
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
    """The same of |f × q|² on the line f + α d_f, q + α d_q."""
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
def hourglass_slope(g: mat37, d: mat37, mu: float, plane: float):
    """Coefficients 1, α … α⁵ of ∂E/∂α [J] at G + α D."""
    s = state_of(g)
    r = state_of(d)
    total = slope_of_cross(s.f_z, s.q_xy, r.f_z, r.q_xy, mu)
    total += slope_of_cross(s.f_x, s.q_yz, r.f_x, r.q_yz, mu)
    total += slope_of_cross(s.f_y, s.q_xz, r.f_y, r.q_xz, mu)
    t = determinant_on_line(s.q_xy, s.f_x, s.f_y, r.q_xy, r.f_x, r.f_y)
    t += determinant_on_line(s.q_yz, s.f_y, s.f_z, r.q_yz, r.f_y, r.f_z)
    t += determinant_on_line(s.q_xz, s.f_z, s.f_x, r.q_xz, r.f_z, r.f_x)
    total += slope_of_square(t, mu)
    j = determinant_on_line(s.q_xy, s.f_z, s.f_x, r.q_xy, r.f_z, r.f_x)
    j += determinant_on_line(s.q_xz, s.f_x, s.f_y, r.q_xz, r.f_x, r.f_y)
    total += slope_of_square(j, plane)
    j = determinant_on_line(s.q_xy, s.f_y, s.f_z, r.q_xy, r.f_y, r.f_z)
    j += determinant_on_line(s.q_yz, s.f_x, s.f_y, r.q_yz, r.f_x, r.f_y)
    total += slope_of_square(j, plane)
    j = determinant_on_line(s.q_xz, s.f_y, s.f_z, r.q_xz, r.f_y, r.f_z)
    j += determinant_on_line(s.q_yz, s.f_z, s.f_x, r.q_yz, r.f_z, r.f_x)
    total += slope_of_square(j, plane)
    for m in range(3, 7):
        for i in range(3):
            total[0] += mu * g[i, m] * d[i, m]
            total[1] += mu * d[i, m] * d[i, m]
    return total


@wp.func
def hourglass_energy(g: mat37d, mu: wp.float64, plane: wp.float64):
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
    square = wp.length_sq(q_xy) + wp.length_sq(q_yz) + wp.length_sq(q_xz) + wp.length_sq(q_xyz)
    square += wp.length_sq(wp.cross(f_z, q_xy)) + wp.length_sq(wp.cross(f_x, q_yz))
    square += wp.length_sq(wp.cross(f_y, q_xz)) + t * t
    return wp.float64(0.5) * (mu * square + plane * (j_x * j_x + j_y * j_y + j_z * j_z))
