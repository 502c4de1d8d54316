# SPDX-License-Identifier: GPL-3.0-or-later
"""Tets with a moving rest shape (plastic_solids.py)."""

import warp as wp

from ..device.options import OPTIONS
from .continua import Continuum, ContinuumRecord, continuum_gradient, deformation_gradient
from .linear_algebra import cofactor, column, stretch_bound, symmetric, vec6, vec6d, vec7
from .plastic_solids import (
    plastic_energy,
    plastic_force_hessian,
    plastic_spread,
    plastic_stress,
    relaxed_at,
    softest,
    solid_flowed,
)
from .tets import exact_gradient, volume_slope

wp.set_module_options(OPTIONS)


@wp.struct
class ExactPlasticTet:
    """One tet in float64."""

    corners: wp.vec4i
    gradients: wp.mat33d
    mu: wp.float64  # times the rest volume [J]
    lam: wp.float64
    rest: vec6d


@wp.func
def plastic_tet_force_hessian(
    tet: ContinuumRecord, q: int, rest: wp.array[vec7], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite; `rest` holds A and α."""
    d_a = x[tet.a] - x_i
    d_b = x[tet.b] - x_i
    d_c = x[tet.c] - x_i
    f = deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
    g = -(tet.gradient_a + tet.gradient_b + tet.gradient_c)
    at_rest = rest[q]
    force, hessian = plastic_force_hessian(tet.mu, tet.lam, f, symmetric(at_rest), at_rest[6], g)
    return force, hessian


@wp.func
def rest_of_tet(
    tet: ContinuumRecord, undamped: vec7, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """A and α of viscosity in a step that begins at x."""
    d_a = x[tet.a] - x_i
    d_b = x[tet.b] - x_i
    d_c = x[tet.c] - x_i
    f = deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
    a_xx, a_yy, a_zz, a_yz, a_xz, a_xy, alpha = relaxed_at(
        column(f, 0), column(f, 1), column(f, 2), tet.mu / tet.lam
    )
    return vec7(a_xx, a_yy, a_zz, a_yz, a_xz, a_xy, alpha)


@wp.func
def plastic_tet_stress(tet: Continuum, rest: wp.array[vec7], f: wp.mat33):
    """V₀ P [J]."""
    at_rest = rest[tet.record]
    return plastic_stress(tet.mu, tet.lam, f, symmetric(at_rest), at_rest[6])


@wp.func
def plastic_tet_square(tet: Continuum, rest: wp.array[vec7], f: wp.mat33, m: int):
    """λ V₀ [J] and cof F."""
    return tet.lam, cofactor(f)


@wp.func
def plastic_tet_spread(tet: Continuum, rest: wp.array[vec7], f: wp.mat33):
    """The term of the Hessian that differs between columns of F."""
    return plastic_spread(tet.mu, symmetric(rest[tet.record]))


@wp.func
def plastic_tet_turning(tet: Continuum, rest: wp.array[vec7], f: wp.mat33):
    """t s V₀ F [J], as for neo-Hookean tets (tets.py), with the softest direction of A."""
    at_rest = rest[tet.record]
    s = tet.lam * (wp.determinant(f) - at_rest[6])
    shear = tet.mu * softest(symmetric(at_rest))
    limit = shear / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@wp.func
def plastic_tet_slope(tet: Continuum, rest: wp.array[vec7], f: wp.mat33, d: wp.mat33, total: vec6):
    """`total` and coefficients 1, a … a⁵ of V₀ ∂ψ/∂a [J] at F + a D."""
    at_rest = rest[tet.record]
    stretched = d * symmetric(at_rest)
    coefficients = total + volume_slope(f, d, at_rest[6], tet.lam)
    coefficients[0] += tet.mu * wp.ddot(f, stretched)
    coefficients[1] += tet.mu * wp.ddot(d, stretched)
    return coefficients


@wp.func
def plastic_tet_energy(tet: ExactPlasticTet, x: wp.array[wp.vec3]):
    """V₀ ψ [J], zero at rest, and J."""
    f = exact_gradient(tet.corners, tet.gradients, x)
    jacobian = wp.determinant(f)
    return plastic_energy(tet.mu, tet.lam, f, tet.rest, jacobian, wp.float64(1.0)), jacobian


@wp.func
def tet_flowed(tet: Continuum, rest: vec6, limit: float, share: float, x: wp.array[wp.vec3]):
    """A after flow."""
    return solid_flowed(continuum_gradient(tet, x), rest, limit, share)
