# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean tets that see displacements u [m] in the place of positions (small_strain.py).

F = R + H, H = Σ_j u_j g_jᵀ, with the gradients g at rest. At a vertex they have the reduced form of
tets.py, less what adds up to zero at rest: with d = D + e, the way D to another vertex as the body
was put down and e = u − u_i, and n = N + δ,

    f_i = c₁ (n·e_a + δ·D_a) n + c₁ (r − s₀) δ − Σ_j w_j e_j,
    δ = (e_b − e_a) × (D_c − D_a + e_c − e_a) + (D_b − D_a) × (e_c − e_a),  r − s₀ = 6 (α − 1) V₀.
"""

import warp as wp

from ..options import QUICK
from .linear_algebra import cofactor, vec6
from .small_strain import stress_from_displacements
from .tets import (
    ExactTet,
    corner_gradient,
    exact_gradient,
    gradient_in_tet,
    stretch_bound,
    volume_slope,
)

wp.set_module_options(QUICK)


@wp.struct
class StiffTetRecord:
    """One tet seen from one of its vertices i, as a `TetRecord`, and the way to the others as the
    body was put down.
    """

    a: int
    b: int
    c: int
    volume_stiffness: float  # λ/(36 V₀) [Pa/m³]
    pressure: float  # that times 6 (α − 1) V₀ [N/m²]
    weight_a: float  # μ V₀ g_i·g_a [N/m], g = ∇N at rest
    weight_b: float
    weight_c: float
    rest_a: wp.vec3  # X_a − X_i [m]
    rest_b: wp.vec3
    rest_c: wp.vec3


@wp.struct
class StiffTet:
    """One tet."""

    corners: wp.vec4i
    gradients: wp.mat33  # rows: ∇N [1/m] of corners 1, 2, 3
    turn: wp.mat33  # R
    mu: float  # times the rest volume [J]
    lam: float
    record: int


@wp.func
def force_hessian(
    tet: StiffTetRecord, q: int, rest: wp.array[float], u_i: wp.vec3, u: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and the volume part of ∂²E/∂x_i² [N/m]; the shear part is constant."""
    e_a = u[tet.a] - u_i
    e_b = u[tet.b] - u_i
    e_c = u[tet.c] - u_i
    ab = tet.rest_b - tet.rest_a
    ac = tet.rest_c - tet.rest_a
    area = wp.cross(ab, ac)
    d_b = e_b - e_a
    d_c = e_c - e_a
    turned = wp.cross(d_b, ac + d_c) + wp.cross(ab, d_c)
    n = area + turned
    grown = tet.volume_stiffness * (wp.dot(n, e_a) + wp.dot(turned, tet.rest_a))
    force = grown * n + tet.pressure * turned
    force -= tet.weight_a * e_a + tet.weight_b * e_b + tet.weight_c * e_c
    return force, wp.outer(tet.volume_stiffness * n, n)


@wp.func
def gradient(tet: StiffTet, u: wp.array[wp.vec3]):
    """H."""
    return gradient_in_tet(tet.corners, tet.gradients, u)


@wp.func
def weight(tet: StiffTet, c: int):
    """∇N [1/m] of a corner."""
    return corner_gradient(tet.gradients, c)


@wp.func
def volume(tet: StiffTet, h: wp.mat33):
    """J."""
    return wp.determinant(tet.turn + h)


@wp.func
def stress(tet: StiffTet, rest: wp.array[float], h: wp.mat33):
    """V₀ P [J]."""
    p, _f = stress_from_displacements(tet.mu, tet.lam, tet.turn, h)
    return p


@wp.func
def square(tet: StiffTet, rest: wp.array[float], h: wp.mat33, m: int):
    """λ V₀ [J] and cof F."""
    return tet.lam, cofactor(tet.turn + h)


@wp.func
def shear(tet: StiffTet):
    """μ V₀ [J]."""
    return tet.mu


@wp.func
def turning(tet: StiffTet, rest: wp.array[float], h: wp.mat33):
    """As of tets in reduced form (tets.py)."""
    f = tet.turn + h
    s = tet.lam * (wp.determinant(f) - 1.0) - tet.mu
    limit = tet.mu / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@wp.func
def slope(tet: StiffTet, rest: wp.array[float], h: wp.mat33, d: wp.mat33, total: vec6):
    """`total` and coefficients 1, a … a⁵ of V₀ ∂ψ/∂a [J] at F + a D."""
    p, f = stress_from_displacements(tet.mu, tet.lam, tet.turn, h)
    found = volume_slope(f, d, 1.0 + tet.mu / tet.lam, tet.lam)
    found[0] = wp.ddot(p, d)
    found[1] += tet.mu * wp.ddot(d, d)
    return total + found


@wp.func
def energy(tet: ExactTet, u: wp.array[wp.vec3]):
    """V₀ ψ [J], zero at rest, and J."""
    f = wp.identity(n=3, dtype=wp.float64) + exact_gradient(tet.corners, tet.gradients, u)
    half = wp.float64(0.5)
    jacobian = wp.determinant(f)
    change = jacobian - wp.float64(1.0)
    change_of_square = wp.ddot(f, f) - wp.float64(3.0)
    total = half * tet.lam * change * change + half * tet.mu * change_of_square
    return total - tet.mu * change, jacobian
