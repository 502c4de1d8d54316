# SPDX-License-Identifier: GPL-3.0-or-later
"""Tets that keep a change of shape (plastic_solids.py)."""

import warp as wp

from ..options import QUICK
from .continua import Continuum, ContinuumRecord, continuum_gradient, deformation_gradient
from .linear_algebra import cofactor, stretch_bound, symmetric, vec6, vec6d
from .plastic_solids import (
    plastic_energy,
    plastic_force_hessian,
    plastic_spread,
    plastic_stress,
    softest,
    solid_flowed,
)
from .tets import exact_gradient, volume_slope

wp.set_module_options(QUICK)


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
    tet: ContinuumRecord, q: int, rest: wp.array[vec6], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite; `rest` holds A."""
    d_a = x[tet.a] - x_i
    d_b = x[tet.b] - x_i
    d_c = x[tet.c] - x_i
    f = deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
    g = -(tet.gradient_a + tet.gradient_b + tet.gradient_c)
    force, hessian = plastic_force_hessian(tet.mu, tet.lam, f, symmetric(rest[q]), g)
    return force, hessian


@wp.func
def plastic_tet_stress(tet: Continuum, rest: wp.array[vec6], f: wp.mat33):
    """V₀ P [J]."""
    return plastic_stress(tet.mu, tet.lam, f, symmetric(rest[tet.record]))


@wp.func
def plastic_tet_square(tet: Continuum, rest: wp.array[vec6], f: wp.mat33, m: int):
    """λ V₀ [J] and cof F."""
    return tet.lam, cofactor(f)


@wp.func
def plastic_tet_spread(tet: Continuum, rest: wp.array[vec6], f: wp.mat33):
    """What of the Hessian is not alike in all columns of F."""
    return plastic_spread(tet.mu, symmetric(rest[tet.record]))


@wp.func
def plastic_tet_turning(tet: Continuum, rest: wp.array[vec6], f: wp.mat33):
    """As of neo-Hookean tets (tets.py), where A has made them no softer."""
    s = tet.lam * (wp.determinant(f) - tet.near_rest[2])
    shear = tet.mu * softest(symmetric(rest[tet.record]))
    limit = shear / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@wp.func
def plastic_tet_slope(tet: Continuum, rest: wp.array[vec6], f: wp.mat33, d: wp.mat33, total: vec6):
    """`total` and coefficients 1, a … a⁵ of V₀ ∂ψ/∂a [J] at F + a D."""
    stretched = d * symmetric(rest[tet.record])
    coefficients = total + volume_slope(f, d, tet.near_rest[2], tet.lam)
    coefficients[0] += tet.mu * wp.ddot(f, stretched)
    coefficients[1] += tet.mu * wp.ddot(d, stretched)
    return coefficients


@wp.func
def plastic_tet_energy(tet: ExactPlasticTet, x: wp.array[wp.vec3]):
    """V₀ ψ [J], zero at rest, and J."""
    f = exact_gradient(tet.corners, tet.gradients, x)
    jacobian = wp.determinant(f)
    return plastic_energy(tet.mu, tet.lam, f, tet.rest, jacobian), jacobian


@wp.func
def tet_flowed(tet: Continuum, rest: vec6, limit: float, share: float, x: wp.array[wp.vec3]):
    """A after flow."""
    return solid_flowed(continuum_gradient(tet, x), rest, limit, share)
