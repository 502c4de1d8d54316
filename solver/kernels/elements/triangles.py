# SPDX-License-Identifier: GPL-3.0-or-later
"""Membrane triangles of St. Venant-Kirchhoff material, woven or isotropic, per rest area:

    ψ₀ = ½ (K₁ G₁₁² + K₂ G₂₂² + 2 K₁₂ G₁₁ G₂₂) + 2 G_s G₁₂²,   G = ½ (FᵀF − I) − Ḡ,   F = (f₁, f₂)

with axis 1 along the warp; K₁ = K₂ = 2μ + λ, K₁₂ = λ, G_s = μ is the isotropic μ |G|² + λ/2 tr(G)².
Ḡ is zero without damping and dents. buckling.py derives ψ from ψ₀; P = (f₁, f₂) S with S = ∂ψ/∂G,
and the Hessian takes the tensile part of S. Forces and blocks of a vertex are in
triangle_corners.py.
"""

from typing import Any

import warp as wp

from ..device.lanes import add, dot, gathered, mul, sub, vector, wide  # noqa: F401 (operators)
from ..device.options import OPTIONS
from .buckling import Limits, axial_tangents, frame_shear_stiffness, membrane_stress, strain_frame
from .buckling_energy import ExactLimits, membrane_energy
from .corner_vectors import CornersInLanes
from .linear_algebra import exact, mat32
from .triangle_corners import deformation_columns, green_strain

wp.set_module_options(OPTIONS)


@wp.struct
class Triangle:
    """One triangle."""

    corners: wp.vec3i
    gradient_b: wp.vec2  # ∇N [1/m] of corners 1, 2
    gradient_c: wp.vec2
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]
    limits: Limits
    record: int  # one of its records


Triangles = wide(Triangle)


@wp.struct
class ExactTriangle:
    """One triangle in float64."""

    corners: wp.vec3i
    inverse: wp.mat22d  # of the rest edges in the plane [1/m]
    stiffness: wp.vec4d  # (K₁, K₂, K₁₂, G_s) times the rest area [J]
    limits: ExactLimits
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
    return t.limits.rate * (green_strain(first_column(f), second_column(f)) - rest[t.record])


@wp.func
def stress_components(k: Any, limits: Any, strain: Any):
    """S as (S₁₁, S₂₂, S₁₂)."""
    mean, half, shear, cosine, sine = membrane_stress(k, limits, strain)
    along = half * cosine - shear * sine
    return vector(mean + along, mean - along, half * sine + shear * cosine)


@wp.func
def triangle_stress(t: Triangle, rest: wp.array[wp.vec3], f: mat32):
    """P [3, 2] times the rest area [N m]."""
    s = stress_components(t.stiffness, t.limits, strain_of(t, rest, f))
    f_1 = first_column(f)
    f_2 = second_column(f)
    return wp.matrix_from_cols(s[0] * f_1 + s[2] * f_2, s[2] * f_1 + s[1] * f_2)


@wp.func
def membrane_square(k: wp.vec4, limits: Limits, strain: wp.vec3, f: mat32, m: int):
    """Three squares [N m] for stretch and shear: T₁ (f₁ n₁ᵀ + T₁₂/T₁ f₂ n₂ᵀ)², the rest of T₂, and
    G (f₂ n₁ᵀ + f₁ n₂ᵀ)², with the axes n of the frame and their images f.
    """
    mean, half, cosine, sine = strain_frame(limits.isotropy, strain)
    s_1, s_2, t_1, t_2, t_12 = axial_tangents(k, limits, mean + half, mean - half)
    turned = f * wp.mat22(cosine, sine, sine, -cosine)
    rate = limits.rate
    # T₁ is zero in slack cloth.
    ratio = t_12 / wp.max(t_1, 1.0e-30)
    scale = rate * t_1
    change = 0.5 * ((1.0 + ratio) * f + (1.0 - ratio) * turned)
    if m == 1:
        scale = rate * (t_2 - ratio * t_12)
        change = 0.5 * (f - turned)
    if m == 2:
        scale = rate * frame_shear_stiffness(k, limits, mean + half, mean - half, s_1, s_2)
        change = f * wp.mat22(-sine, cosine, cosine, sine)
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
    return membrane_square(t.stiffness, t.limits, strain_of(t, rest, f), f, m)


@wp.func
def triangle_spread(t: Triangle, rest: wp.array[wp.vec3], f: mat32):
    """The tension [N m]."""
    return positive_part(stress_components(t.stiffness, t.limits, strain_of(t, rest, f)))


@wp.func
def columns_of(t: Any, x: wp.array[wp.vec3]):
    """The columns of F."""
    base = gathered(x, t.corners[0])
    f_1, f_2 = deformation_columns(
        t.gradient_b,
        t.gradient_c,
        gathered(x, t.corners[1]) - base,
        gathered(x, t.corners[2]) - base,
    )
    return f_1, f_2


@wp.func
def triangles_forces(t: Triangles, rest: wp.array[wp.vec3], x: wp.array[wp.vec3]):
    """Forces [N] of eight triangles in lanes on corners 1 and 2."""
    f_1, f_2 = columns_of(t, x)
    strain = green_strain(f_1, f_2) - gathered(rest, t.record)
    s = stress_components(t.stiffness, t.limits, t.limits.rate * strain)
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
    one = wp.float64(1.0)
    g_11 = half * (wp.dot(f_1, f_1) - one)
    g_22 = half * (wp.dot(f_2, f_2) - one)
    strain = wp.vec3d(g_11, g_22, half * wp.dot(f_1, f_2)) - t.rest
    return membrane_energy(t.stiffness, t.limits, strain), one
