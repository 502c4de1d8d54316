# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean tets that see displacements u [m] in the place of positions (small_strain.py).

F = R + H, H = Σ_j u_j g_jᵀ, with the gradients g at rest. Records of vertices have them turned to
where the body was put down, so that there F = 1 + H.
"""

import warp as wp

from ..options import QUICK
from .continua import ContinuumRecord, deformation_gradient
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

UNIT = wp.constant(wp.mat33(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))


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
    tet: ContinuumRecord, q: int, rest: wp.array[float], u_i: wp.vec3, u: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite."""
    h = deformation_gradient(
        tet.gradient_a,
        tet.gradient_b,
        tet.gradient_c,
        u[tet.a] - u_i,
        u[tet.b] - u_i,
        u[tet.c] - u_i,
    )
    g = -(tet.gradient_a + tet.gradient_b + tet.gradient_c)
    stress, f = stress_from_displacements(tet.mu, tet.lam, UNIT, h)
    w = cofactor(f) * g
    d = tet.mu * wp.dot(g, g)
    hessian = wp.mat33(d, 0.0, 0.0, 0.0, d, 0.0, 0.0, 0.0, d)
    return -(stress * g), hessian + wp.outer(tet.lam * w, w)


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
