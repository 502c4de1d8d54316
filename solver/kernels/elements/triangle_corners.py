# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of St. Venant-Kirchhoff material (triangles.py) at a vertex: of one triangle,
or of eight in lanes.

With S = ∂ψ/∂G, g = ∇N_i and q = g₁ f₂ + g₂ f₁ the block is

    H_i = (gᵀSg) I + K₁ g₁² f₁f₁ᵀ + K₂ g₂² f₂f₂ᵀ + K₁₂ g₁g₂ (f₁f₂ᵀ + f₂f₁ᵀ) + G_s q qᵀ.

Only gᵀSg can be negative, under compression. Its magnitude takes its place: the block is positive
semi-definite, and unlike with zero a step out of the plane is bounded, also when over-relaxed.
"""

from typing import Any

import warp as wp

from ..lanes import (  # noqa: F401 (operators)
    add,
    dot,
    gathered,
    in_all,
    magnitude,
    mul,
    scaled_identity,
    square,
    sub,
    total,
    vec3s,
    vector,
    wide,
)
from ..options import QUICK

wp.set_module_options(QUICK)


@wp.struct
class TriangleRecord:
    """One triangle seen from one of its vertices; a and b follow it round the triangle."""

    a: int
    b: int
    gradient_a: wp.vec2  # ∇N_a [1/m] in the plane of the rest triangle
    gradient_b: wp.vec2
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]


TriangleRecords = wide(TriangleRecord)


@wp.func
def deformation_columns(g_a: Any, g_b: Any, d_a: Any, d_b: Any):
    """The two columns of F from ∇N [1/m] of two vertices, d [m] relative to the third."""
    f_1 = g_a[0] * d_a + g_b[0] * d_b
    f_2 = g_a[1] * d_a + g_b[1] * d_b
    return f_1, f_2


@wp.func
def green_strain(f_1: Any, f_2: Any):
    """(G₁₁, G₂₂, G₁₂) of the deformation gradient with columns f_1, f_2."""
    return vector(0.5 * (dot(f_1, f_1) - 1.0), 0.5 * (dot(f_2, f_2) - 1.0), 0.5 * dot(f_1, f_2))


@wp.func
def membrane_stress(stiffness: Any, strain: Any):
    """S = ∂ψ/∂G as (S₁₁, S₂₂, S₁₂) from (K₁, K₂, K₁₂, G_s) and (G₁₁, G₂₂, G₁₂)."""
    return vector(
        stiffness[0] * strain[0] + stiffness[2] * strain[1],
        stiffness[1] * strain[1] + stiffness[2] * strain[0],
        2.0 * stiffness[3] * strain[2],
    )


@wp.func
def corner_force_hessian(triangle: Any, rest: Any, d_a: Any, d_b: Any):
    """∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite; `rest` is Ḡ, d [m]
    are the others relative to x_i.
    """
    g_a = triangle.gradient_a
    g_b = triangle.gradient_b
    k = triangle.stiffness
    f_1, f_2 = deformation_columns(g_a, g_b, d_a, d_b)
    s = membrane_stress(k, green_strain(f_1, f_2) - rest)
    g_1 = -1.0 * (g_a[0] + g_b[0])
    g_2 = -1.0 * (g_a[1] + g_b[1])
    sg_1 = s[0] * g_1 + s[2] * g_2
    sg_2 = s[2] * g_1 + s[1] * g_2
    a_1 = g_1 * f_1
    a_2 = g_2 * f_2
    hessian = square(k[0] - k[2], a_1) + square(k[1] - k[2], a_2) + square(k[2], a_1 + a_2)
    hessian += square(k[3], g_1 * f_2 + g_2 * f_1)
    sideways = magnitude(g_1 * sg_1 + g_2 * sg_2)
    return sg_1 * f_1 + sg_2 * f_2, hessian + scaled_identity(sideways)


@wp.func
def triangle_force_hessian(
    triangle: TriangleRecord,
    q: int,
    rest: wp.array[wp.vec3],
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite; `rest` holds Ḡ."""
    force, hessian = corner_force_hessian(
        triangle, rest[q], x[triangle.a] - x_i, x[triangle.b] - x_i
    )
    return -force, hessian


@wp.func
def triangles_force_hessian(
    triangle: TriangleRecords, q: int, rest: wp.array[vec3s], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    """The same of eight triangles of a vertex."""
    p = in_all(x_i)
    force, hessian = corner_force_hessian(
        triangle, rest[q], gathered(x, triangle.a) - p, gathered(x, triangle.b) - p
    )
    return -total(force), total(hessian)


@wp.func
def triangle_moved_rest(triangle: Any, undamped: Any, blend: Any, x_i: Any, x: wp.array[wp.vec3]):
    """Ḡ: part of the strain of now."""
    d_a = gathered(x, triangle.a) - x_i
    d_b = gathered(x, triangle.b) - x_i
    f_1, f_2 = deformation_columns(triangle.gradient_a, triangle.gradient_b, d_a, d_b)
    return undamped + blend * (green_strain(f_1, f_2) - undamped)
