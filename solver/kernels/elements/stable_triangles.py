# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of stable neo-Hookean material, per rest area:

    ψ₀ = μ/2 (|F|² − 2) + λ/2 (J − α)²,  α = 1 + μ/λ,  J = |f₁ × f₂|,  F = (f₁, f₂)

With C_k = 1 + 2 e_k along the principal directions that is μ/2 (C₁ + C₂ − 2) + λ/2 (√(C₁C₂) − α)²,
and S_k = 2 ∂ψ₀/∂C_k = μ + λ (J − α) J/C_k. It buckles at sub-mesh scale and hardens beyond a
maximum stretch as in buckling.py: stresses are those of the fabric; folds take up the rest of the
strain. With M = μ + N_c, where S₂ would be below −N_c, the fabric has

    √C₂ = λ α √C₁/(M + λ C₁),    and both C = 1 − N_c/λ  where C₁ is below that.
"""

import warp as wp

from ..device.options import OPTIONS
from .buckling import (
    EQUAL,
    Limits,
    pulling_stress,
    slack_shares,
    strain_frame,
    turning_stiffness,
    with_folds,
)
from .buckling_energy import ExactLimits, fold_energy
from .linear_algebra import mat32
from .triangle_corners import deformation_columns, force_and_block, green_strain
from .triangles import exact_columns, first_column, gradient_of_corner, positive_part, second_column

wp.set_module_options(OPTIONS)

# Lower bound of the square of a stretch.
LEAST = wp.constant(1.0e-12)


@wp.struct
class StableTriangleRecord:
    """One triangle seen from one of its vertices; a and b follow it around the triangle."""

    a: int
    b: int
    gradient_a: wp.vec2  # ∇N_a [1/m] in the plane of the rest triangle
    gradient_b: wp.vec2
    height: float  # [m] of the vertex above the edge from a to b at rest, 1/|∇N|
    constants: wp.vec2  # (μ, λ) times the rest area [N m]
    limits: Limits


@wp.struct
class StableTriangle:
    """One triangle."""

    corners: wp.vec3i
    gradient_b: wp.vec2  # ∇N [1/m] of corners 1, 2
    gradient_c: wp.vec2
    constants: wp.vec2  # (μ, λ) times the rest area [N m]
    limits: Limits
    record: int


@wp.struct
class ExactStableTriangle:
    """One triangle in float64."""

    corners: wp.vec3i
    inverse: wp.mat22d  # of the rest edges in the plane [1/m]
    constants: wp.vec2d  # (μ, λ) times the rest area [J]
    limits: ExactLimits


@wp.func
def fabric_stretches(constants: wp.vec2, plateau: float, e_1: float, e_2: float):
    """Squares of the principal stretches of the fabric, for strains e₁ ≥ e₂ of the triangle, and
    the number of them that folds have not changed.
    """
    mu = constants[0]
    lam = constants[1]
    c_1 = wp.max(1.0 + 2.0 * e_1, LEAST)
    c_2 = wp.max(1.0 + 2.0 * e_2, LEAST)
    # (M + λ C₁)/(λ α), relative to λ so that its powers stay in range.
    stretch = ((mu + plateau) / lam + c_1) / (1.0 + mu / lam)
    folded = c_1 / (stretch * stretch)
    free = float(2.0)
    if c_2 < folded:
        c_2 = folded
        free = 1.0
        slack = 1.0 - plateau / lam
        if c_1 < slack:
            c_1 = slack
            c_2 = slack
            free = 0.0
    return c_1, c_2, free


@wp.func
def flat_stresses(constants: wp.vec2, c_1: float, c_2: float):
    """(S₁, S₂) of ψ₀."""
    mu = constants[0]
    lam = constants[1]
    jacobian = wp.sqrt(c_1 * c_2)
    pressure = lam * (jacobian - 1.0 - mu / lam) * jacobian
    return mu + pressure / c_1, mu + pressure / c_2


@wp.func
def flat_stiffness(constants: wp.vec2, c_1: float, c_2: float):
    """(∂S₁/∂e₁, ∂S₂/∂e₂, ∂S₁/∂e₂) of ψ₀, and (S₁ − S₂)/(2 (e₁ − e₂))."""
    lam = constants[1]
    alpha = 1.0 + constants[0] / lam
    jacobian = wp.sqrt(c_1 * c_2)
    bulk = lam * alpha * jacobian
    coupling = lam * (2.0 * jacobian - alpha) / jacobian
    shear = lam * (alpha - jacobian) / jacobian
    return bulk / (c_1 * c_1), bulk / (c_2 * c_2), coupling, shear


@wp.func
def stable_stresses(constants: wp.vec2, limits: Limits, pull: float, e_1: float, e_2: float):
    """(S₁, S₂) for principal strains e₁ ≥ e₂, and (T₁, T₂, T₁₂, G) for a block, as in buckling.py:
    fractions of those of ψ₀ at the stretches of the fabric.
    """
    c_1, c_2, _free = fabric_stretches(constants, limits.load, e_1, e_2)
    flat_1, flat_2 = flat_stresses(constants, c_1, c_2)
    flat_t_1, flat_t_2, flat_t_12, flat_shear = flat_stiffness(constants, c_1, c_2)
    stiffness = 0.5 * (constants[0] + constants[1])
    share_1, share_2, both = slack_shares(
        pull, stiffness * (c_1 - 1.0 - 2.0 * e_1), stiffness * (c_2 - 1.0 - 2.0 * e_2)
    )
    s_1, s_2, t_1, t_2 = with_folds(
        limits, e_1, e_2, flat_1, flat_2, share_1 * flat_t_1, share_2 * flat_t_2
    )
    shear = both * flat_shear
    if e_1 - e_2 > 4.0 * EQUAL:
        shear = turning_stiffness(e_1, e_2, s_1, s_2)
    return s_1, s_2, t_1, t_2, both * flat_t_12, shear


@wp.func
def stable_frame(f_1: wp.vec3, f_2: wp.vec3):
    """Principal strains, cos 2φ and sin 2φ."""
    mean, half, cosine, sine = strain_frame(1.0, green_strain(f_1, f_2))
    return mean + half, mean - half, cosine, sine


@wp.func
def stable_force_hessian(
    triangle: StableTriangleRecord,
    q: int,
    rest: wp.array[float],
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
    pull: float,
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite."""
    d_a = x[triangle.a] - x_i
    d_b = x[triangle.b] - x_i
    f_1, f_2 = deformation_columns(triangle.gradient_a, triangle.gradient_b, d_a, d_b)
    e_1, e_2, cosine, sine = stable_frame(f_1, f_2)
    g = -(triangle.gradient_a + triangle.gradient_b)
    pulled = pulling_stress(triangle.limits, triangle.height, pull)
    s_1, s_2, t_1, t_2, t_12, shear = stable_stresses(
        triangle.constants, triangle.limits, pulled, e_1, e_2
    )
    force, hessian = force_and_block(
        g[0], g[1], f_1, f_2, cosine, sine, s_1, s_2, 0.0, t_1, t_2, t_12, shear
    )
    return -force, hessian


@wp.func
def stable_gradient(t: StableTriangle, x: wp.array[wp.vec3]):
    """F [3, 2]."""
    base = x[t.corners[0]]
    f_1, f_2 = deformation_columns(
        t.gradient_b, t.gradient_c, x[t.corners[1]] - base, x[t.corners[2]] - base
    )
    return wp.matrix_from_cols(f_1, f_2)


@wp.func
def stable_weight(t: StableTriangle, c: int):
    """∇N [1/m] of a corner."""
    return gradient_of_corner(t.gradient_b, t.gradient_c, c)


@wp.func
def stress_of(t: StableTriangle, f: mat32):
    """S [2, 2] times the rest area [N m] as (S₁₁, S₂₂, S₁₂)."""
    e_1, e_2, cosine, sine = stable_frame(first_column(f), second_column(f))
    c_1, c_2, _free = fabric_stretches(t.constants, t.limits.load, e_1, e_2)
    s_1, s_2 = flat_stresses(t.constants, c_1, c_2)
    s_1, s_2, _t_1, _t_2 = with_folds(t.limits, e_1, e_2, s_1, s_2, s_1, s_2)
    mean = 0.5 * (s_1 + s_2)
    half = 0.5 * (s_1 - s_2)
    return wp.vec3(mean + half * cosine, mean - half * cosine, half * sine)


@wp.func
def stable_stress(t: StableTriangle, rest: wp.array[float], f: mat32):
    """P [3, 2] times the rest area [N m]."""
    s = stress_of(t, f)
    return f * wp.mat22(s[0], s[2], s[2], s[1])


@wp.func
def stable_square(t: StableTriangle, rest: wp.array[float], f: mat32, m: int):
    """Squares as in `membrane_square` of triangles.py, none negative; a fold has no stiffness."""
    e_1, e_2, cosine, sine = stable_frame(first_column(f), second_column(f))
    c_1, c_2, free = fabric_stretches(t.constants, t.limits.load, e_1, e_2)
    t_1, t_2, t_12, shear = flat_stiffness(t.constants, c_1, c_2)
    s_1, s_2 = flat_stresses(t.constants, c_1, c_2)
    if free < 2.0:
        t_1 = free * (t_1 - t_12 * t_12 / t_2)
        t_2 = 0.0
        t_12 = 0.0
    s_1, s_2, t_1, t_2 = with_folds(t.limits, e_1, e_2, s_1, s_2, t_1, t_2)
    if e_1 - e_2 > 4.0 * EQUAL:
        shear = turning_stiffness(e_1, e_2, s_1, s_2)
    turned = f * wp.mat22(cosine, sine, sine, -cosine)
    ratio = t_12 / wp.max(t_1, 1.0e-30)
    scale = t_1
    change = 0.5 * ((1.0 + ratio) * f + (1.0 - ratio) * turned)
    if m == 1:
        scale = wp.max(t_2 - ratio * t_12, 0.0)
        change = 0.5 * (f - turned)
    if m == 2:
        scale = wp.max(shear, 0.0)
        change = f * wp.mat22(-sine, cosine, cosine, sine)
    return scale, change


@wp.func
def stable_spread(t: StableTriangle, rest: wp.array[float], f: mat32):
    """The tension [N m]."""
    return positive_part(stress_of(t, f))


@wp.func
def stable_energy(t: ExactStableTriangle, x: wp.array[wp.vec3]):
    """ψ times the rest area [J], zero at rest; a triangle is never inside out."""
    f_1, f_2 = exact_columns(t.corners, t.inverse, x)
    zero = wp.float64(0.0)
    half = wp.float64(0.5)
    one = wp.float64(1.0)
    mean = half * (wp.dot(f_1, f_1) + wp.dot(f_2, f_2))
    area = wp.length(wp.cross(f_1, f_2))
    half_gap = wp.sqrt(wp.max(mean * mean - area * area, zero))
    c_1 = mean + half_gap
    c_2 = mean - half_gap
    mu = t.constants[0]
    lam = t.constants[1]
    n = t.limits.load
    alpha = one + mu / lam
    # Squares of the stretches of the fabric; folds take up the rest.
    a_1 = c_1
    a_2 = wp.max(c_2, c_1 * (alpha / ((mu + n) / lam + c_1)) * (alpha / ((mu + n) / lam + c_1)))
    if c_1 < one - n / lam:
        a_1 = one - n / lam
        a_2 = a_1
    stretch = half * (a_1 + a_2) - one
    change = wp.sqrt(a_1 * a_2) - one
    energy = mu * (stretch - change) + half * lam * change * change
    energy += half * n * ((a_1 - c_1) + (a_2 - c_2))
    e_1 = half * (c_1 - one)
    e_2 = half * (c_2 - one)
    energy += fold_energy(t.limits, e_1) + fold_energy(t.limits, e_2)
    over_1 = wp.max(zero, e_1 - t.limits.most)
    over_2 = wp.max(zero, e_2 - t.limits.most)
    return energy + half * t.limits.hardening * (over_1 * over_1 + over_2 * over_2), one
