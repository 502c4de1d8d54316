# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of St. Venant-Kirchhoff material, woven or isotropic, per rest area:

    ψ = ½ (K₁ G₁₁² + K₂ G₂₂² + 2 K₁₂ G₁₁ G₂₂) + 2 G_s G₁₂²,   G = ½ (FᵀF − I) − Ḡ,   F = (f₁, f₂)

with axis 1 along the warp; K₁ = K₂ = 2μ + λ, K₁₂ = λ, G_s = μ is the isotropic μ |G|² + λ/2 tr(G)².
Ḡ is zero without damping. With S = ∂ψ/∂G, g = ∇N_i and q = g₁ f₂ + g₂ f₁ the exact block is

    H_i = (gᵀSg) I + K₁ g₁² f₁f₁ᵀ + K₂ g₂² f₂f₂ᵀ + K₁₂ g₁g₂ (f₁f₂ᵀ + f₂f₁ᵀ) + G_s q qᵀ.

Only gᵀSg can be negative, under compression. Its magnitude takes its place: the block is positive
semi-definite, and unlike with zero a step out of the plane is bounded, also when over-relaxed.
"""

import warp as wp

from ..options import QUICK
from .records import Elements, TriangleRecord

wp.set_module_options(QUICK)


@wp.func
def deformation_columns(g_a: wp.vec2, g_b: wp.vec2, d_a: wp.vec3, d_b: wp.vec3):
    """The two columns of F from ∇N [1/m] of two vertices, d [m] relative to the third."""
    f_1 = g_a[0] * d_a + g_b[0] * d_b
    f_2 = g_a[1] * d_a + g_b[1] * d_b
    return f_1, f_2


@wp.func
def green_strain(f_1: wp.vec3, f_2: wp.vec3):
    """(G₁₁, G₂₂, G₁₂) of the deformation gradient with columns f_1, f_2."""
    return wp.vec3(
        0.5 * (wp.dot(f_1, f_1) - 1.0), 0.5 * (wp.dot(f_2, f_2) - 1.0), 0.5 * wp.dot(f_1, f_2)
    )


@wp.func
def membrane_stress(stiffness: wp.vec4, strain: wp.vec3):
    """S = ∂ψ/∂G as (S₁₁, S₂₂, S₁₂) from (K₁, K₂, K₁₂, G_s) and (G₁₁, G₂₂, G₁₂)."""
    return wp.vec3(
        stiffness[0] * strain[0] + stiffness[2] * strain[1],
        stiffness[1] * strain[1] + stiffness[2] * strain[0],
        2.0 * stiffness[3] * strain[2],
    )


@wp.func
def triangle_force_hessian(triangle: TriangleRecord, rest: wp.vec3, d_a: wp.vec3, d_b: wp.vec3):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite."""
    f_1, f_2 = deformation_columns(triangle.gradient_a, triangle.gradient_b, d_a, d_b)
    strain = green_strain(f_1, f_2) - rest
    k_1 = triangle.stiffness[0]
    k_2 = triangle.stiffness[1]
    k_12 = triangle.stiffness[2]
    shear = triangle.stiffness[3]
    s = membrane_stress(triangle.stiffness, strain)

    g = -(triangle.gradient_a + triangle.gradient_b)
    sg = wp.vec2(s[0] * g[0] + s[2] * g[1], s[2] * g[0] + s[1] * g[1])
    force = -(sg[0] * f_1 + sg[1] * f_2)

    a_1 = g[0] * f_1
    a_2 = g[1] * f_2
    q = g[0] * f_2 + g[1] * f_1
    sideways = wp.abs(wp.dot(g, sg))
    hessian = (
        wp.outer(k_1 * a_1 + k_12 * a_2, a_1)
        + wp.outer(k_2 * a_2 + k_12 * a_1, a_2)
        + wp.outer(shear * q, q)
        + wp.mat33(sideways, 0.0, 0.0, 0.0, sideways, 0.0, 0.0, 0.0, sideways)
    )
    return force, hessian


@wp.func
def triangles_force_hessian(i: int, x: wp.array[wp.vec3], elements: Elements):
    """Force [N] and Hessian block [N/m] of all membrane triangles of vertex i."""
    x_i = x[i]
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for q in range(elements.triangle_start[i], elements.triangle_start[i + 1]):
        triangle = elements.triangles[q]
        f, h = triangle_force_hessian(
            triangle, elements.triangle_rest[q], x[triangle.a] - x_i, x[triangle.b] - x_i
        )
        force += f
        hessian += h
    return force, hessian
