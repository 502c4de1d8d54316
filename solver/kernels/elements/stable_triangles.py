# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of stable neo-Hookean material, per rest area:

    ψ = μ/2 (|F|² − 2) + λ/2 (J − α)²,  α = 1 + μ/λ,  J = |n|,  n = f₁ × f₂,  F = (f₁, f₂)

With g = ∇N_i, p = g₁ f₂ − g₂ f₁ and n̂ = n/J, moving vertex i changes n by u × p, so that

    f_i = −μ Fg − λ (J − α) w,  w = p × n̂
    H_i = μ |g|² I + λ w wᵀ + λ (J − α) |p|²/J n̂ n̂ᵀ.

Only the stiffness along n̂, μ |g|² + λ (J − α) |p|²/J, can be negative; its magnitude stands in.
"""

import warp as wp

from ..options import QUICK
from .records import Elements, StableTriangleRecord
from .triangles import deformation_columns

wp.set_module_options(QUICK)


@wp.func
def stable_triangle_force_hessian(triangle: StableTriangleRecord, d_a: wp.vec3, d_b: wp.vec3):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite."""
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
def stable_triangles_force_hessian(i: int, x: wp.array[wp.vec3], elements: Elements):
    """Force [N] and Hessian block [N/m] of all such triangles of vertex i."""
    x_i = x[i]
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for q in range(elements.stable_triangle_start[i], elements.stable_triangle_start[i + 1]):
        triangle = elements.stable_triangles[q]
        f, h = stable_triangle_force_hessian(triangle, x[triangle.a] - x_i, x[triangle.b] - x_i)
        force += f
        hessian += h
    return force, hessian
