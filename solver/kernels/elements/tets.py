# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean tets without logarithm, in reduced form at a vertex.

    ψ = μ/2 (|F|² − 3) + λ/2 (J − α)²,  α = 1 + μ/λ      (Smith et al. 2018; PBNG 2023, eq. 9)

Seen from vertex i with the opposite face (a, b, c) and d = x − x_i, six times the signed volume is
s = −n·d_a with n = (d_b − d_a) × (d_c − d_a). J is affine in x_i and |F|² quadratic, so that

    f_i = c₁ (r − s) n − Σ_j w_j d_j,   H_i = c₁ n nᵀ + Σ μ V₀ |g_i|² I,
    c₁ = λ/(36 V₀),  r = 6 α V₀,  w_j = μ V₀ g_i·g_j

is exact and positive definite for every F, inverted or not. Crushed tets (crushed.py) also need
μ V₀ |F|² = −Σ_jk w_jk |x_j − x_k|² over all edges; their records find the weights of those between
a, b and c in a list of their own. For the whole tet

    P = μ F + λ (J − α) cof F,   ∂²ψ/∂F² = μ I + λ vec(cof F) vec(cof F)ᵀ + s ∂cof F/∂F,

s = λ (J − α). The last term vanishes in the blocks of single vertices, but without it rotations
would cost energy. It is scaled by t = min(1, μ/(|s| σ)), which keeps the sum positive
semi-definite; σ is an upper bound of the singular values of F.
"""

import warp as wp

from ..device.options import OPTIONS
from .crushed import (
    CRUSHED_VOLUME,
    crushed_density,
    crushed_part,
    crushed_stress,
    may_be_crushed,
)
from .linear_algebra import cofactor, column, exact, stretch_bound, vec6

wp.set_module_options(OPTIONS)


@wp.struct
class TetRecord:
    """One tet seen from one of its vertices; (a, b, c) is the opposite face."""

    a: int
    b: int
    c: int
    rest: float  # 6 α V₀ [m³]
    volume_stiffness: float  # λ/(36 V₀) [Pa/m³]
    weight_a: float  # μ V₀ g_i·g_a [N/m], g = ∇N at rest
    weight_b: float
    weight_c: float


@wp.struct
class Tet:
    """One tet."""

    corners: wp.vec4i
    gradients: wp.mat33  # rows: ∇N [1/m] of corners 1, 2, 3
    shear: float  # μ V₀ [J]
    bulk: float  # λ V₀ [J]
    rest: float  # α
    record: int  # one of its records


@wp.struct
class ExactTet:
    """One tet in float64."""

    corners: wp.vec4i
    gradients: wp.mat33d
    mu: wp.float64  # times the rest volume [J]
    lam: wp.float64


@wp.func
def opposite_area(d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3):
    """n, twice the area vector [m²] of the face opposite to the vertex."""
    return wp.cross(d_b - d_a, d_c - d_a)


@wp.func
def crushed_corner(tet: TetRecord, weights: wp.vec4, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3):
    """Changes of force and block in a crushed tet; `weights` are μ V₀ g·g of the edges ab, bc and
    ca [N/m], and 1/(c μ V₀) [1/J].
    """
    shear = tet.weight_a * d_a + tet.weight_b * d_b + tet.weight_c * d_c  # μ V₀ F g_i
    own = tet.weight_a * wp.length_sq(d_a) + tet.weight_b * wp.length_sq(d_b)
    own += tet.weight_c * wp.length_sq(d_c)
    others = weights[0] * wp.length_sq(d_b - d_a) + weights[1] * wp.length_sq(d_c - d_b)
    others += weights[2] * wp.length_sq(d_a - d_c)
    part = crushed_part(-weights[3] * (own + others))
    stretch = wp.where(part > 0.0, 3.0 * weights[3], 0.0)
    # The constant part of the block has 1 in place of |s|.
    less = wp.min(part, 2.0 - part) * (tet.weight_a + tet.weight_b + tet.weight_c)
    block = wp.mat33(less, 0.0, 0.0, 0.0, less, 0.0, 0.0, 0.0, less)
    return part * shear, block + wp.outer(stretch * shear, shear)


@wp.func
def tet_force_hessian(
    tet: TetRecord, q: int, rest: wp.array[wp.vec4], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """-∂E/∂x_i [N] and the volume part of ∂²E/∂x_i² [N/m]; the shear part is constant."""
    d_a = x[tet.a] - x_i
    d_b = x[tet.b] - x_i
    d_c = x[tet.c] - x_i
    n = opposite_area(d_a, d_b, d_c)
    six_volumes = -wp.dot(n, d_a)
    pressure = tet.volume_stiffness * (tet.rest - six_volumes)
    force = pressure * n - tet.weight_a * d_a - tet.weight_b * d_b - tet.weight_c * d_c
    hessian = wp.outer(tet.volume_stiffness * n, n)
    if six_volumes < CRUSHED_VOLUME * tet.rest:
        more, block = crushed_corner(tet, rest[q], d_a, d_b, d_c)
        force += more
        hessian += block
    return force, hessian


@wp.func
def gradient_in_tet(corners: wp.vec4i, gradients: wp.mat33, x: wp.array[wp.vec3]):
    """∂x/∂X in a tet of a field x given at the vertices."""
    base = x[corners[0]]
    edges = wp.matrix_from_cols(x[corners[1]] - base, x[corners[2]] - base, x[corners[3]] - base)
    return edges * gradients


@wp.func
def corner_gradient(gradients: wp.mat33, c: int):
    """∇N [1/m] of a corner, from those of corners 1, 2, 3."""
    g = -(gradients[0] + gradients[1] + gradients[2])
    if c > 0:
        g = gradients[c - 1]
    return g


@wp.func
def tet_gradient(tet: Tet, x: wp.array[wp.vec3]):
    """F."""
    return gradient_in_tet(tet.corners, tet.gradients, x)


@wp.func
def tet_weight(tet: Tet, c: int):
    """∇N [1/m] of a corner."""
    return corner_gradient(tet.gradients, c)


@wp.func
def tet_volume(tet: Tet, f: wp.mat33):
    """J."""
    return wp.determinant(f)


@wp.func
def tet_stress(tet: Tet, rest: wp.array[wp.vec4], f: wp.mat33):
    """V₀ P [J]."""
    volume = wp.determinant(f) - tet.rest
    stress = tet.shear * f + (tet.bulk * volume) * cofactor(f)
    return stress + crushed_stress(tet.shear, tet.bulk, f)


@wp.func
def tet_square(tet: Tet, rest: wp.array[wp.vec4], f: wp.mat33, m: int):
    """λ V₀ [J] and cof F."""
    return tet.bulk, cofactor(f)


@wp.func
def tet_shear(tet: Tet):
    """μ V₀ [J]."""
    return tet.shear


@wp.func
def tet_turning(tet: Tet, rest: wp.array[wp.vec4], f: wp.mat33):
    """t s V₀ F [J], see above."""
    s = tet.bulk * (wp.determinant(f) - tet.rest)
    limit = tet.shear / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return (s * wp.min(1.0, limit)) * f


@wp.func
def volume_slope(f: wp.mat33, d: wp.mat33, rest: float, bulk: float):
    """Coefficients 1, a … a⁵ of the slope of λ/2 (J − α)² at F + a D; `rest` is α."""
    f_1 = column(f, 0)
    f_2 = column(f, 1)
    f_3 = column(f, 2)
    d_1 = column(d, 0)
    d_2 = column(d, 1)
    d_3 = column(d, 2)
    c_1 = wp.cross(f_2, f_3)
    j_0 = wp.dot(f_1, c_1) - rest
    j_1 = wp.dot(d_1, c_1) + wp.dot(d_2, wp.cross(f_3, f_1)) + wp.dot(d_3, wp.cross(f_1, f_2))
    e_1 = wp.cross(d_2, d_3)
    j_2 = wp.dot(f_1, e_1) + wp.dot(f_2, wp.cross(d_3, d_1)) + wp.dot(f_3, wp.cross(d_1, d_2))
    j_3 = wp.dot(d_1, e_1)
    b_1 = bulk * j_1
    b_2 = bulk * j_2
    b_3 = bulk * j_3
    return vec6(
        b_1 * j_0,
        b_1 * j_1 + 2.0 * b_2 * j_0,
        3.0 * (b_1 * j_2 + b_3 * j_0),
        2.0 * b_2 * j_2 + 4.0 * b_1 * j_3,
        5.0 * b_2 * j_3,
        3.0 * b_3 * j_3,
    )


@wp.func
def tet_slope(tet: Tet, rest: wp.array[wp.vec4], f: wp.mat33, d: wp.mat33, total: vec6):
    """`total` and coefficients 1, a … a⁵ of V₀ ∂ψ/∂a [J] at F + a D, without the sampled terms."""
    slope = total + volume_slope(f, d, tet.rest, tet.bulk)
    slope[0] += tet.shear * wp.ddot(f, d)
    slope[1] += tet.shear * wp.ddot(d, d)
    return slope


@wp.func
def tet_sampled_stress(tet: Tet, rest: wp.array[wp.vec4], f: wp.mat33):
    """V₀ ∂/∂F [J] of the terms that are no polynomials."""
    return crushed_stress(tet.shear, tet.bulk, f)


@wp.func
def tet_sampled(f: wp.mat33, d: wp.mat33, longest: float):
    """Return whether these terms may differ from zero at F + a D, a ≤ longest."""
    return may_be_crushed(f, d, longest)


@wp.func
def exact_gradient(corners: wp.vec4i, gradients: wp.mat33d, x: wp.array[wp.vec3]):
    """F in float64."""
    x_0 = exact(x[corners[0]])
    edges = wp.matrix_from_cols(
        exact(x[corners[1]]) - x_0, exact(x[corners[2]]) - x_0, exact(x[corners[3]]) - x_0
    )
    return edges * gradients


@wp.func
def tet_energy(tet: ExactTet, x: wp.array[wp.vec3]):
    """V₀ ψ [J], zero at rest, and J."""
    f = exact_gradient(tet.corners, tet.gradients, x)
    half = wp.float64(0.5)
    jacobian = wp.determinant(f)
    volume = jacobian - wp.float64(1.0)
    square = wp.ddot(f, f)
    shear = half * tet.mu * (square - wp.float64(3.0))
    shear += crushed_density(tet.mu, tet.lam, square)
    return half * tet.lam * volume * volume + shear - tet.mu * volume, jacobian
