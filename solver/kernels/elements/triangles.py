# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of St. Venant-Kirchhoff material, woven or isotropic, per rest area:

    ψ = ½ (K₁ G₁₁² + K₂ G₂₂² + 2 K₁₂ G₁₁ G₂₂) + 2 G_s G₁₂²,   G = ½ (FᵀF − I) − Ḡ,   F = (f₁, f₂)

with axis 1 along the warp; K₁ = K₂ = 2μ + λ, K₁₂ = λ, G_s = μ is the isotropic μ |G|² + λ/2 tr(G)².
Ḡ is zero but for damping and dents. P = (f₁, f₂) S with S = ∂ψ/∂G, and in the Hessian S counts as
far as it is tension. What a vertex sees is in triangle_corners.py.
"""

from typing import Any

import warp as wp

from ..corners import CornersInLanes
from ..lane_functions import six
from ..lanes import (  # noqa: F401 (operators)
    add,
    dot,
    gathered,
    mul,
    sub,
    vec6s,
    vector,
    wide,
)
from ..options import QUICK
from .linear_algebra import exact, mat32, vec6
from .triangle_corners import deformation_columns, green_strain, membrane_stress

wp.set_module_options(QUICK)


@wp.struct
class Triangle:
    """One triangle."""

    corners: wp.vec3i
    gradient_b: wp.vec2  # ∇N [1/m] of corners 1, 2
    gradient_c: wp.vec2
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]
    record: int  # one of its records


Triangles = wide(Triangle)


@wp.struct
class ExactTriangle:
    """One triangle in float64."""

    corners: wp.vec3i
    inverse: wp.mat22d  # of the rest edges in the plane [1/m]
    stiffness: wp.vec4d  # (K₁, K₂, K₁₂, G_s) times the rest area [J]
    rest: wp.vec3d  # Ḡ


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
def stressed(k: Any, strain: Any):
    """∂ψ/∂(G₁₁, G₂₂, G₁₂)."""
    s = membrane_stress(k, strain)
    return vector(s[0], s[1], 2.0 * s[2])


@wp.func
def slope_on_line(k: Any, rest: Any, f_1: Any, f_2: Any, e_1: Any, e_2: Any):
    """Coefficients 1, a, a², a³ of ∂E/∂a [N m] at F + a D, of strain G + a G' + a² G''; columns f
    of F and e of D.
    """
    s_0 = green_strain(f_1, f_2) - rest
    s_1 = vector(dot(f_1, e_1), dot(f_2, e_2), 0.5 * (dot(f_1, e_2) + dot(f_2, e_1)))
    s_2 = 0.5 * vector(dot(e_1, e_1), dot(e_2, e_2), dot(e_1, e_2))
    k_1 = stressed(k, s_1)
    k_2 = stressed(k, s_2)
    return (
        dot(s_0, k_1),
        dot(s_1, k_1) + 2.0 * dot(s_0, k_2),
        3.0 * dot(s_1, k_2),
        2.0 * dot(s_2, k_2),
    )


@wp.func
def triangle_slope(t: Triangle, rest: wp.array[wp.vec3], f: mat32, d: mat32, total: vec6):
    """`total` and coefficients 1, a … a⁵ of ∂E/∂a [N m] at F + a D."""
    c_0, c_1, c_2, c_3 = slope_on_line(
        t.stiffness,
        rest[t.record],
        first_column(f),
        second_column(f),
        first_column(d),
        second_column(d),
    )
    return total + vec6(c_0, c_1, c_2, c_3, 0.0, 0.0)


@wp.func
def columns_in_lanes(t: Triangles, x: wp.array[wp.vec3]):
    """The columns of F of eight triangles."""
    base = gathered(x, t.corners[0])
    f_1, f_2 = deformation_columns(
        t.gradient_b,
        t.gradient_c,
        gathered(x, t.corners[1]) - base,
        gathered(x, t.corners[2]) - base,
    )
    return f_1, f_2


@wp.func
def triangles_slope(
    t: Triangles,
    rest: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    total: vec6s,
):
    """The same of eight triangles at x, along the direction."""
    f_1, f_2 = columns_in_lanes(t, x)
    e_1, e_2 = columns_in_lanes(t, direction)
    c_0, c_1, c_2, c_3 = slope_on_line(t.stiffness, gathered(rest, t.record), f_1, f_2, e_1, e_2)
    none = c_0 - c_0
    return total + six(c_0, c_1, c_2, c_3, none, none)


@wp.func
def triangles_forces(t: Triangles, rest: wp.array[wp.vec3], x: wp.array[wp.vec3]):
    """Forces [N] of eight triangles on corners 1 and 2."""
    f_1, f_2 = columns_in_lanes(t, x)
    s = membrane_stress(t.stiffness, green_strain(f_1, f_2) - gathered(rest, t.record))
    p_1 = s[0] * f_1 + s[2] * f_2
    p_2 = s[2] * f_1 + s[1] * f_2
    b = t.gradient_b
    c = t.gradient_c
    forces = CornersInLanes()
    forces.first = (-1.0 * b[0]) * p_1 - b[1] * p_2
    forces.second = (-1.0 * c[0]) * p_1 - c[1] * p_2
    return forces


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
