# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of St. Venant-Kirchhoff material (triangles.py) at a vertex: one triangle, or
eight in lanes.

With g = ∇N_i, the axes n₁, n₂ of the frame (buckling.py), its axial stresses S₁, S₂ and shear S₁₂,
p_k = F n_k (n_k·g) and q = F (n₂ n₁ᵀ + n₁ n₂ᵀ) g the force is −S₁ p₁ − S₂ p₂ − S₁₂ q and the block

    H_i = |gᵀSg| I + T₁ p₁p₁ᵀ + T₂ p₂p₂ᵀ + K₁₂ (p₁p₂ᵀ + p₂p₁ᵀ) + G q qᵀ

with the stiffness T₁, T₂, G of the material, flat and hardened, compressed or not. gᵀSg is negative
under compression. With its magnitude the block is positive semi-definite and, unlike with zero, a
step out of the plane is bounded, even when over-relaxed.
"""

from typing import Any

import warp as wp

from ..device.lane_functions import total
from ..device.lanes import (  # noqa: F401 (operators)
    add,
    dot,
    gathered,
    in_all_lanes,
    magnitude,
    mul,
    scaled_identity,
    square,
    sub,
    vec3s,
    vector,
    wide,
)
from ..device.options import OPTIONS
from .buckling import Limits, axial_stresses, frame_shear, pulling_stress, strain_frame

wp.set_module_options(OPTIONS)


@wp.struct
class TriangleRecord:
    """One triangle seen from one of its vertices; a and b follow it around the triangle."""

    a: int
    b: int
    gradient_a: wp.vec2  # ∇N_a [1/m] in the plane of the rest triangle
    gradient_b: wp.vec2
    height: float  # [m] of the vertex above the edge from a to b at rest, 1/|∇N|
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]
    limits: Limits


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
def force_and_block(
    g_1: Any,
    g_2: Any,
    f_1: Any,
    f_2: Any,
    cosine: Any,
    sine: Any,
    s_1: Any,
    s_2: Any,
    s_12: Any,
    t_1: Any,
    t_2: Any,
    t_12: Any,
    shear: Any,
):
    """F S g [N] and the block H_i [N/m] for stresses and slopes times the rest area, in a frame at
    the angle φ given by cos 2φ and sin 2φ.
    """
    # (n₁n₁ᵀ − n₂n₂ᵀ) g.
    q_1 = cosine * g_1 + sine * g_2
    q_2 = sine * g_1 - cosine * g_2
    both = g_1 * f_1 + g_2 * f_2
    difference = q_1 * f_1 + q_2 * f_2
    across = q_1 * f_2 - q_2 * f_1
    p_1 = 0.5 * (both + difference)
    p_2 = 0.5 * (both - difference)
    hessian = square(t_1 - t_12, p_1) + square(t_2 - t_12, p_2) + square(t_12, both)
    hessian += square(shear, across)
    sideways = 0.5 * ((s_1 + s_2) * (g_1 * g_1 + g_2 * g_2) + (s_1 - s_2) * (g_1 * q_1 + g_2 * q_2))
    sideways += s_12 * (q_1 * g_2 - q_2 * g_1)
    force = s_1 * p_1 + s_2 * p_2 + s_12 * across
    return force, hessian + scaled_identity(magnitude(sideways))


@wp.func
def corner_force_hessian(triangle: Any, rest: Any, d_a: Any, d_b: Any, pull: float):
    """∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite; `rest` is Ḡ, d [m]
    are the others relative to x_i, `pull` [N] is the size of the other forces there.
    """
    g_a = triangle.gradient_a
    g_b = triangle.gradient_b
    k = triangle.stiffness
    limits = triangle.limits
    f_1, f_2 = deformation_columns(g_a, g_b, d_a, d_b)
    strain = limits.rate * (green_strain(f_1, f_2) - rest)
    mean, half, cosine, sine = strain_frame(limits.isotropy, strain)
    e_1 = mean + half
    e_2 = mean - half
    g_1 = -1.0 * (g_a[0] + g_b[0])
    g_2 = -1.0 * (g_a[1] + g_b[1])
    pulled = pulling_stress(limits, triangle.height, pull)
    s_1, s_2, t_1, t_2, t_12, shear = axial_stresses(k, limits, pulled, e_1, e_2)
    s_12 = frame_shear(k, limits, strain)
    rate = limits.rate
    force, hessian = force_and_block(
        g_1,
        g_2,
        f_1,
        f_2,
        cosine,
        sine,
        s_1,
        s_2,
        s_12,
        rate * t_1,
        rate * t_2,
        rate * t_12,
        rate * shear,
    )
    return force, hessian


@wp.func
def triangle_force_hessian(
    triangle: TriangleRecord,
    q: int,
    rest: wp.array[wp.vec3],
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
    pull: float,
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite; `rest` holds Ḡ."""
    force, hessian = corner_force_hessian(
        triangle, rest[q], x[triangle.a] - x_i, x[triangle.b] - x_i, pull
    )
    return -force, hessian


@wp.func
def triangles_force_hessian(
    triangle: TriangleRecords,
    q: int,
    rest: wp.array[vec3s],
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
    pull: float,
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m] ≥ 0 for eight triangles of a vertex, in lanes."""
    p = in_all_lanes(x_i)
    force, hessian = corner_force_hessian(
        triangle, rest[q], gathered(x, triangle.a) - p, gathered(x, triangle.b) - p, pull
    )
    return -total(force), total(hessian)


@wp.func
def triangle_moved_rest(triangle: Any, undamped: Any, blend: Any, x_i: Any, x: wp.array[wp.vec3]):
    """Ḡ moved by the blend towards the current strain."""
    d_a = gathered(x, triangle.a) - x_i
    d_b = gathered(x, triangle.b) - x_i
    f_1, f_2 = deformation_columns(triangle.gradient_a, triangle.gradient_b, d_a, d_b)
    return undamped + blend * (green_strain(f_1, f_2) - undamped)
