# SPDX-License-Identifier: GPL-3.0-or-later
"""Tets of materials that need the deformation gradient F = Σ_j x_j g_jᵀ, g = ∇N at rest.

Stable neo-Hookean with logarithm (Smith et al. 2018, eq. 13; PBNG 2023, eq. 12):

    ψ = μ/2 (|F|² − 3) + λ/2 (J − α)² − μ/2 log(|F|² + 1),  α = 1 + 3μ/(4λ)
    P = μ s F + λ (J − α) cof F,  s = 1 − 1/(|F|² + 1)
    H_i = V₀ (μ s |g|² I + 2μ/(|F|² + 1)² Fg (Fg)ᵀ + λ w wᵀ),  w = cof(F) g

exactly, and positive definite for every F. Fixed corotated (Stomakhin et al. 2012; PBNG, eq. 9):

    ψ = μ |F − R|² + λ/2 (J − 1)²,  R the rotation of the polar decomposition
    P = 2μ (F − R) + λ (J − 1) cof F,  H_i = V₀ (2μ |g|² I + λ w wᵀ)      (PBNG, eq. 49)
"""

import warp as wp

from ..options import QUICK
from .records import NEO_HOOKEAN_LOG, ContinuumRecord, Elements

wp.set_module_options(QUICK)

# Below this part of |F|³ the divisor of R has lost its digits.
CERTAIN = wp.constant(0.1)


@wp.func
def cofactor(f: wp.mat33):
    """cof F = ∂J/∂F."""
    f_1 = wp.vec3(f[0, 0], f[1, 0], f[2, 0])
    f_2 = wp.vec3(f[0, 1], f[1, 1], f[2, 1])
    f_3 = wp.vec3(f[0, 2], f[1, 2], f[2, 2])
    return wp.matrix_from_cols(wp.cross(f_2, f_3), wp.cross(f_3, f_1), wp.cross(f_1, f_2))


@wp.func
def rotation_by_svd(f: wp.mat33):
    """The proper rotation R that maximises tr(RᵀF), for every F."""
    u, _sigma, v = wp.svd3(f)
    r = u * wp.transpose(v)
    if wp.determinant(r) < 0.0:
        # Mirrored: turn round the direction of the smallest singular value, the last one.
        last = wp.vec3(u[0, 2], u[1, 2], u[2, 2])
        axis = wp.vec3(v[0, 2], v[1, 2], v[2, 2])
        r -= 2.0 * wp.outer(last, axis)
    return r


@wp.func
def nearest_rotation(f: wp.mat33):
    """The same, by s = max tr(RᵀF) and R = ∂s/∂F (Lin et al. 2022) where that is certain.

    With I = |F|² and C = FᵀF, s is the largest root of (s² − I)² − 8 J s − 2 (I² − |C|²).
    """
    c = wp.transpose(f) * f
    square = wp.ddot(f, f)
    jacobian = wp.determinant(f)
    constant = 2.0 * (square * square - wp.ddot(c, c))
    # Newton from the upper bound √(3 I), where the polynomial is convex: down to the root.
    s = wp.sqrt(3.0 * square)
    for _step in range(8):
        gap = s * s - square
        slope = 4.0 * s * gap - 8.0 * jacobian
        if slope > 0.0:
            s -= (gap * gap - 8.0 * jacobian * s - constant) / slope
    divisor = s * (s * s - square) - 2.0 * jacobian
    r = wp.mat33(0.0)
    # The divisor is 2 (σ₁ + σ₂)(σ₂ + σ₃)(σ₃ + σ₁): small where R is not unique, for flat tets.
    if divisor > CERTAIN * square * wp.sqrt(square):
        r = ((s * s + square) * f + (2.0 * s) * cofactor(f) - 2.0 * (f * c)) / divisor
    else:
        r = rotation_by_svd(f)
    return r


@wp.func
def deformation_gradient(
    g_a: wp.vec3, g_b: wp.vec3, g_c: wp.vec3, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3
):
    """F from ∇N [1/m] of three vertices and their positions [m] relative to the fourth."""
    return wp.outer(d_a, g_a) + wp.outer(d_b, g_b) + wp.outer(d_c, g_c)


@wp.func
def continuum_force_hessian(tet: ContinuumRecord, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3):
    """-∂E/∂x_i [N] and ∂²E/∂x_i² [N/m], positive definite."""
    f = deformation_gradient(tet.gradient_a, tet.gradient_b, tet.gradient_c, d_a, d_b, d_c)
    g = -(tet.gradient_a + tet.gradient_b + tet.gradient_c)
    fg = f * g
    w = cofactor(f) * g
    g_sq = wp.dot(g, g)
    volume = wp.determinant(f) - 1.0
    force = wp.vec3(0.0)
    diagonal = float(0.0)
    stretch = float(0.0)
    if tet.model == NEO_HOOKEAN_LOG:
        part = 1.0 / (wp.ddot(f, f) + 1.0)
        force = -tet.mu * (1.0 - part) * fg - (tet.lam * volume - 0.75 * tet.mu) * w
        diagonal = tet.mu * (1.0 - part) * g_sq
        stretch = 2.0 * tet.mu * part * part
    else:
        force = -2.0 * tet.mu * (fg - nearest_rotation(f) * g) - tet.lam * volume * w
        diagonal = 2.0 * tet.mu * g_sq
    hessian = (
        wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
        + wp.outer(stretch * fg, fg)
        + wp.outer(tet.lam * w, w)
    )
    return force, hessian


@wp.func
def continua_force_hessian(i: int, x: wp.array[wp.vec3], elements: Elements):
    """Force [N] and Hessian block [N/m] of all such tets of vertex i."""
    x_i = x[i]
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for q in range(elements.continuum_start[i], elements.continuum_start[i + 1]):
        tet = elements.continua[q]
        f, h = continuum_force_hessian(tet, x[tet.a] - x_i, x[tet.b] - x_i, x[tet.c] - x_i)
        force += f
        hessian += h
    return force, hessian
