# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of St. Venant-Kirchhoff material, woven or isotropic, per rest area:

    ψ = ½ (K₁ G₁₁² + K₂ G₂₂² + 2 K₁₂ G₁₁ G₂₂) + 2 G_s G₁₂²,   G = ½ (FᵀF − I) − Ḡ,   F = (f₁, f₂)

with axis 1 along the warp; K₁ = K₂ = 2μ + λ, K₁₂ = λ, G_s = μ is the isotropic μ |G|² + λ/2 tr(G)².
Ḡ is zero but for damping and dents. With S = ∂ψ/∂G, g = ∇N_i and q = g₁ f₂ + g₂ f₁ the block is

    H_i = (gᵀSg) I + K₁ g₁² f₁f₁ᵀ + K₂ g₂² f₂f₂ᵀ + K₁₂ g₁g₂ (f₁f₂ᵀ + f₂f₁ᵀ) + G_s q qᵀ.

Only gᵀSg can be negative, under compression. Its magnitude takes its place: the block is positive
semi-definite, and unlike with zero a step out of the plane is bounded, also when over-relaxed. Of
the whole triangle P = (f₁, f₂) S, and in its Hessian S counts as far as it is tension.
"""

import warp as wp

from ..options import QUICK
from .linear_algebra import exact, mat32, vec6

wp.set_module_options(QUICK)


@wp.struct
class TriangleRecord:
    """One triangle seen from one of its vertices; a and b follow it round the triangle."""

    a: int
    b: int
    gradient_a: wp.vec2  # ∇N_a [1/m] in the plane of the rest triangle
    gradient_b: wp.vec2
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]


@wp.struct
class Triangle:
    """One triangle."""

    corners: wp.vec3i
    gradient_b: wp.vec2  # ∇N [1/m] of corners 1, 2
    gradient_c: wp.vec2
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]
    record: int  # one of its records


@wp.struct
class ExactTriangle:
    """One triangle in float64."""

    corners: wp.vec3i
    inverse: wp.mat22d  # of the rest edges in the plane [1/m]
    stiffness: wp.vec4d  # (K₁, K₂, K₁₂, G_s) times the rest area [J]
    rest: wp.vec3d  # Ḡ


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
def triangle_force_hessian(
    triangle: TriangleRecord,
    q: int,
    rest: wp.array[wp.vec3],
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], the latter made positive semi-definite; `rest` holds Ḡ."""
    d_a = x[triangle.a] - x_i
    d_b = x[triangle.b] - x_i
    f_1, f_2 = deformation_columns(triangle.gradient_a, triangle.gradient_b, d_a, d_b)
    strain = green_strain(f_1, f_2) - rest[q]
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
    across = g[0] * f_2 + g[1] * f_1
    sideways = wp.abs(wp.dot(g, sg))
    hessian = (
        wp.outer(k_1 * a_1 + k_12 * a_2, a_1)
        + wp.outer(k_2 * a_2 + k_12 * a_1, a_2)
        + wp.outer(shear * across, across)
        + wp.mat33(sideways, 0.0, 0.0, 0.0, sideways, 0.0, 0.0, 0.0, sideways)
    )
    return force, hessian


@wp.func
def triangle_moved_rest(
    triangle: TriangleRecord,
    undamped: wp.vec3,
    blend: float,
    x_i: wp.vec3,
    x: wp.array[wp.vec3],
):
    """Ḡ: part of the strain of now."""
    d_a = x[triangle.a] - x_i
    d_b = x[triangle.b] - x_i
    f_1, f_2 = deformation_columns(triangle.gradient_a, triangle.gradient_b, d_a, d_b)
    return wp.lerp(undamped, green_strain(f_1, f_2), blend)


@wp.func
def triangle_gradient(t: Triangle, x: wp.array[wp.vec3]):
    """F [3, 2]."""
    base = x[t.corners[0]]
    f_1, f_2 = deformation_columns(
        t.gradient_b, t.gradient_c, x[t.corners[1]] - base, x[t.corners[2]] - base
    )
    return wp.matrix_from_cols(f_1, f_2)


@wp.func
def gradient_of_corner(g_b: wp.vec2, g_c: wp.vec2, c: int):
    """∇N [1/m] of a corner, from those of corners 1 and 2."""
    g = -(g_b + g_c)
    if c == 1:
        g = g_b
    if c == 2:
        g = g_c
    return g


@wp.func
def triangle_weight(t: Triangle, c: int):
    """∇N [1/m] of a corner."""
    return gradient_of_corner(t.gradient_b, t.gradient_c, c)


@wp.func
def first_column(f: mat32):
    return wp.vec3(f[0, 0], f[1, 0], f[2, 0])


@wp.func
def second_column(f: mat32):
    return wp.vec3(f[0, 1], f[1, 1], f[2, 1])


@wp.func
def strain_of(t: Triangle, rest: wp.array[wp.vec3], f: mat32):
    return green_strain(first_column(f), second_column(f)) - rest[t.record]


@wp.func
def triangle_stress(t: Triangle, rest: wp.array[wp.vec3], f: mat32):
    """P [3, 2] times the rest area [N m]."""
    s = membrane_stress(t.stiffness, strain_of(t, rest, f))
    f_1 = first_column(f)
    f_2 = second_column(f)
    return wp.matrix_from_cols(s[0] * f_1 + s[2] * f_2, s[2] * f_1 + s[1] * f_2)


@wp.func
def membrane_square(k: wp.vec4, f: mat32, m: int):
    """Three squares [N m] that stretch and shear make: K₁ (f₁ + K₁₂/K₁ f₂)², what K₂ has besides,
    and G_s (f₂, f₁)².
    """
    f_1 = first_column(f)
    f_2 = second_column(f)
    # Of slack cloth, too.
    ratio = k[2] / wp.max(k[0], 1.0e-30)
    scale = k[0]
    change = wp.matrix_from_cols(f_1, ratio * f_2)
    if m == 1:
        scale = k[1] - ratio * k[2]
        change = wp.matrix_from_cols(wp.vec3(0.0), f_2)
    if m == 2:
        scale = k[3]
        change = wp.matrix_from_cols(f_2, f_1)
    return scale, change


@wp.func
def positive_part(s: wp.vec3):
    """The symmetric 2 × 2 matrix of (S₁₁, S₂₂, S₁₂) without its negative eigenvalues."""
    mean = 0.5 * (s[0] + s[1])
    half = 0.5 * (s[0] - s[1])
    size = wp.sqrt(half * half + s[2] * s[2])
    high = wp.max(mean + size, 0.0)
    low = wp.max(mean - size, 0.0)
    cosine = float(1.0)
    sine = float(0.0)
    if size > 0.0:
        cosine = half / size
        sine = s[2] / size
    middle = 0.5 * (high + low)
    spread = 0.5 * (high - low)
    return wp.mat22(
        middle + spread * cosine, spread * sine, spread * sine, middle - spread * cosine
    )


@wp.func
def triangle_square(t: Triangle, rest: wp.array[wp.vec3], f: mat32, m: int):
    return membrane_square(t.stiffness, f, m)


@wp.func
def triangle_spread(t: Triangle, rest: wp.array[wp.vec3], f: mat32):
    """The tension [N m]."""
    return positive_part(membrane_stress(t.stiffness, strain_of(t, rest, f)))


@wp.func
def stressed(k: wp.vec4, strain: wp.vec3):
    """∂ψ/∂(G₁₁, G₂₂, G₁₂)."""
    s = membrane_stress(k, strain)
    return wp.vec3(s[0], s[1], 2.0 * s[2])


@wp.func
def triangle_slope(t: Triangle, rest: wp.array[wp.vec3], f: mat32, d: mat32, total: vec6):
    """`total` and coefficients 1, a … a⁵ of ∂E/∂a [N m] at F + a D, of strain G + a G' + a² G''."""
    f_1 = first_column(f)
    f_2 = second_column(f)
    e_1 = first_column(d)
    e_2 = second_column(d)
    s_0 = strain_of(t, rest, f)
    s_1 = wp.vec3(wp.dot(f_1, e_1), wp.dot(f_2, e_2), 0.5 * (wp.dot(f_1, e_2) + wp.dot(f_2, e_1)))
    s_2 = 0.5 * wp.vec3(wp.dot(e_1, e_1), wp.dot(e_2, e_2), wp.dot(e_1, e_2))
    k_1 = stressed(t.stiffness, s_1)
    k_2 = stressed(t.stiffness, s_2)
    return total + vec6(
        wp.dot(s_0, k_1),
        wp.dot(s_1, k_1) + 2.0 * wp.dot(s_0, k_2),
        3.0 * wp.dot(s_1, k_2),
        2.0 * wp.dot(s_2, k_2),
        0.0,
        0.0,
    )


@wp.func
def exact_columns(corners: wp.vec3i, inverse: wp.mat22d, x: wp.array[wp.vec3]):
    """The columns of F in float64."""
    x_0 = exact(x[corners[0]])
    e_1 = exact(x[corners[1]]) - x_0
    e_2 = exact(x[corners[2]]) - x_0
    f_1 = inverse[0, 0] * e_1 + inverse[1, 0] * e_2
    f_2 = inverse[0, 1] * e_1 + inverse[1, 1] * e_2
    return f_1, f_2


@wp.func
def triangle_energy(t: ExactTriangle, x: wp.array[wp.vec3]):
    """ψ times the rest area [J]; a triangle is never inside out."""
    f_1, f_2 = exact_columns(t.corners, t.inverse, x)
    half = wp.float64(0.5)
    two = wp.float64(2.0)
    one = wp.float64(1.0)
    g_11 = half * (wp.dot(f_1, f_1) - one) - t.rest[0]
    g_22 = half * (wp.dot(f_2, f_2) - one) - t.rest[1]
    g_12 = half * wp.dot(f_1, f_2) - t.rest[2]
    k = t.stiffness
    stretch = k[0] * g_11 * g_11 + k[1] * g_22 * g_22 + two * k[2] * g_11 * g_22
    return half * stretch + two * k[3] * g_12 * g_12, one
