# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of stable neo-Hookean material, per rest area:

    ψ = μ/2 (|F|² − 2) + λ/2 (J − α)²,  α = 1 + μ/λ,  J = |n|,  n = f₁ × f₂,  F = (f₁, f₂)

With g = ∇N_i, p = g₁ f₂ − g₂ f₁ and n̂ = n/J, moving vertex i changes n by u × p, so that

    f_i = −μ Fg − λ (J − α) w,  w = p × n̂
    H_i = μ |g|² I + λ w wᵀ + λ (J − α) |p|²/J n̂ n̂ᵀ.

Only the stiffness along n̂, μ |g|² + λ (J − α) |p|²/J, can be negative; its magnitude stands in. In
the matrix of the coarse correction the StVK material of the same Lamé constants does.
"""

import warp as wp

from ..options import QUICK
from .linear_algebra import mat32, vec6
from .triangle_corners import deformation_columns, green_strain, membrane_stress
from .triangles import (
    exact_columns,
    first_column,
    gradient_of_corner,
    membrane_square,
    positive_part,
    second_column,
)

wp.set_module_options(QUICK)


@wp.struct
class StableTriangleRecord:
    """One triangle seen from one of its vertices; a and b follow it round the triangle."""

    a: int
    b: int
    gradient_a: wp.vec2  # ∇N_a [1/m] in the plane of the rest triangle
    gradient_b: wp.vec2
    mu: float  # μ times the rest area [N m]
    lam: float  # λ times the rest area [N m]


@wp.struct
class StableTriangle:
    """One triangle."""

    corners: wp.vec3i
    gradient_b: wp.vec2  # ∇N [1/m] of corners 1, 2
    gradient_c: wp.vec2
    mu: float  # μ times the rest area [N m]
    lam: float
    near_rest: wp.vec4  # (K₁, K₂, K₁₂, G_s) of StVK times the rest area [N m]
    record: int


@wp.struct
class ExactStableTriangle:
    """One triangle in float64."""

    corners: wp.vec3i
    inverse: wp.mat22d  # of the rest edges in the plane [1/m]
    mu: wp.float64  # times the rest area [J]
    lam: wp.float64


@wp.func
def stable_force_hessian(
    triangle: StableTriangleRecord,
    q: int,
    rest: wp.array[float],
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite."""
    d_a = x[triangle.a] - x_i
    d_b = x[triangle.b] - x_i
    f_1, f_2 = deformation_columns(triangle.gradient_a, triangle.gradient_b, d_a, d_b)
    g = -(triangle.gradient_a + triangle.gradient_b)
    area = wp.cross(f_1, f_2)
    jacobian = wp.length(area)
    normal = wp.vec3(0.0)
    if jacobian > 0.0:
        normal = area / jacobian
    p = g[0] * f_2 - g[1] * f_1
    w = wp.cross(p, normal)
    pressure = triangle.lam * (jacobian - 1.0) - triangle.mu
    force = -triangle.mu * (g[0] * f_1 + g[1] * f_2) - pressure * w

    plane = triangle.mu * wp.dot(g, g)
    # Across a collapsed triangle the stiffness is that of a slack one: none.
    across = float(0.0)
    if jacobian > 0.0:
        across = wp.abs(plane + pressure * wp.dot(p, p) / jacobian)
    hessian = (
        wp.mat33(plane, 0.0, 0.0, 0.0, plane, 0.0, 0.0, 0.0, plane)
        + wp.outer((across - plane) * normal, normal)
        + wp.outer(triangle.lam * w, w)
    )
    return force, hessian


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
def area_stress(t: StableTriangle, rest: wp.array[float], f: mat32):
    """∂/∂F [N m] of λ/2 (J − α)² times the rest area."""
    f_1 = first_column(f)
    f_2 = second_column(f)
    n = wp.cross(f_1, f_2)
    size = wp.length(n)
    pressure = float(0.0)
    if size > 0.0:
        pressure = (t.lam * (size - 1.0) - t.mu) / size
    return wp.matrix_from_cols(pressure * wp.cross(f_2, n), pressure * wp.cross(n, f_1))


@wp.func
def stable_stress(t: StableTriangle, rest: wp.array[float], f: mat32):
    """P [3, 2] times the rest area [N m]."""
    return t.mu * f + area_stress(t, rest, f)


@wp.func
def stable_square(t: StableTriangle, rest: wp.array[float], f: mat32, m: int):
    return membrane_square(t.near_rest, f, m)


@wp.func
def stable_spread(t: StableTriangle, rest: wp.array[float], f: mat32):
    """The tension [N m]."""
    strain = green_strain(first_column(f), second_column(f))
    return positive_part(membrane_stress(t.near_rest, strain))


@wp.func
def stable_slope(t: StableTriangle, rest: wp.array[float], f: mat32, d: mat32, total: vec6):
    """`total` and coefficients 1, a … a⁵ of ∂/∂a μ/2 |F|² times the rest area [N m] at F + a D."""
    return total + vec6(t.mu * wp.ddot(f, d), t.mu * wp.ddot(d, d), 0.0, 0.0, 0.0, 0.0)


@wp.func
def stable_energy(t: ExactStableTriangle, x: wp.array[wp.vec3]):
    """ψ times the rest area [J], zero at rest; a triangle is never inside out."""
    f_1, f_2 = exact_columns(t.corners, t.inverse, x)
    half = wp.float64(0.5)
    one = wp.float64(1.0)
    stretch = half * (wp.dot(f_1, f_1) - one) + half * (wp.dot(f_2, f_2) - one)
    area = wp.length(wp.cross(f_1, f_2)) - one
    return t.mu * (stretch - area) + half * t.lam * area * area, one
