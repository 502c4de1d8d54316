# SPDX-License-Identifier: GPL-3.0-or-later
"""Tets of materials that need the deformation gradient F = Σ_j x_j g_jᵀ, g = ∇N at rest.

    ψ = a/2 |F|² + λ/2 (J − α)² + ψ_s(F)

A material gives a, α and the rest ψ_s, which is no polynomial in F: its stress, its density and the
blocks of its vertices. The matrix of the coarse correction replaces it by the neo-Hookean solid
with the same Lamé constants.
"""

from functools import cache

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import cofactor, vec6
from .tets import corner_gradient, exact_gradient, gradient_in_tet, stretch_bound, volume_slope

wp.set_module_options(OPTIONS)


@wp.struct
class ContinuumRecord:
    """One tet seen from one of its vertices."""

    a: int
    b: int
    c: int
    gradient_a: wp.vec3  # ∇N_a [1/m]
    gradient_b: wp.vec3
    gradient_c: wp.vec3
    mu: float  # μ V₀ [J]
    lam: float  # λ V₀ [J]


@wp.struct
class Continuum:
    """One tet. The constants `near_rest` are the neo-Hookean μ V₀ and λ V₀ [J], and α."""

    corners: wp.vec4i
    gradients: wp.mat33  # rows: ∇N [1/m] of corners 1, 2, 3
    mu: float  # μ V₀ [J]
    lam: float  # λ V₀ [J]
    near_rest: wp.vec3
    record: int


@wp.struct
class ExactContinuum:
    """One tet in float64."""

    corners: wp.vec4i
    gradients: wp.mat33d
    mu: wp.float64  # times the rest volume [J]
    lam: wp.float64


@wp.func
def deformation_gradient(
    g_a: wp.vec3, g_b: wp.vec3, g_c: wp.vec3, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3
):
    """F from ∇N [1/m] of three vertices and their positions [m] relative to the fourth."""
    return wp.outer(d_a, g_a) + wp.outer(d_b, g_b) + wp.outer(d_c, g_c)


@wp.func
def continuum_gradient(tet: Continuum, x: wp.array[wp.vec3]):
    """F."""
    return gradient_in_tet(tet.corners, tet.gradients, x)


@wp.func
def continuum_weight(tet: Continuum, c: int):
    """∇N [1/m] of a corner."""
    return corner_gradient(tet.gradients, c)


@wp.func
def continuum_volume(tet: Continuum, f: wp.mat33):
    """J."""
    return wp.determinant(f)


@wp.func
def continuum_square(tet: Continuum, rest: wp.array[float], f: wp.mat33, m: int):
    """λ V₀ [J] near the rest shape, and cof F."""
    return tet.near_rest[1], cofactor(f)


@wp.func
def continuum_shear(tet: Continuum):
    """μ V₀ [J] near the rest shape."""
    return tet.near_rest[0]


@wp.func
def continuum_turning(tet: Continuum, rest: wp.array[float], f: wp.mat33):
    """t s V₀ F [J], as for neo-Hookean tets (tets.py)."""
    s = tet.near_rest[1] * (wp.determinant(f) - tet.near_rest[2])
    limit = tet.near_rest[0] / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@cache
def continuum_functions(material):
    """The functions of an `ElementKind`, by name, for tets of a `SolidMaterial`."""
    at_vertex, square_and_rest = material.force_hessian, material.square_and_rest
    other_stress, other_density = material.other_stress, material.density

    @wp.func
    def force_hessian(
        tet: ContinuumRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
    ):
        """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite."""
        d_a = x[tet.a] - x_i
        d_b = x[tet.b] - x_i
        d_c = x[tet.c] - x_i
        f = deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
        g = -(tet.gradient_a + tet.gradient_b + tet.gradient_c)
        force, hessian = at_vertex(tet.mu, tet.lam, f, g)
        return force, hessian

    @wp.func
    def stress(tet: Continuum, rest: wp.array[float], f: wp.mat33):
        """V₀ P [J]."""
        square, alpha = square_and_rest(tet.mu, tet.lam)
        volume = wp.determinant(f) - alpha
        return square * f + (tet.lam * volume) * cofactor(f) + other_stress(tet.mu, tet.lam, f)

    @wp.func
    def slope(tet: Continuum, rest: wp.array[float], f: wp.mat33, d: wp.mat33, total: vec6):
        """`total` and coefficients 1, a … a⁵ of V₀ ∂(ψ − ψ_s)/∂a [J] at F + a D."""
        square, alpha = square_and_rest(tet.mu, tet.lam)
        coefficients = total + volume_slope(f, d, alpha, tet.lam)
        coefficients[0] += square * wp.ddot(f, d)
        coefficients[1] += square * wp.ddot(d, d)
        return coefficients

    @wp.func
    def sampled_stress(tet: Continuum, rest: wp.array[float], f: wp.mat33):
        """V₀ ∂ψ_s/∂F [J]."""
        return other_stress(tet.mu, tet.lam, f)

    @wp.func
    def energy(tet: ExactContinuum, x: wp.array[wp.vec3]):
        """V₀ ψ [J], zero at rest, and J."""
        f = exact_gradient(tet.corners, tet.gradients, x)
        jacobian = wp.determinant(f)
        return other_density(tet.mu, tet.lam, f, jacobian), jacobian

    return {
        "force_hessian": force_hessian,
        "stress": stress,
        "slope": slope,
        "sampled_stress": sampled_stress,
        "energy": energy,
    }
