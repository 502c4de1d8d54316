# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean tets without logarithm, in reduced form.

    ψ = μ/2 (|F|² − 3) + λ/2 (J − α)²,  α = 1 + μ/λ      (Smith et al. 2018; PBNG 2023, eq. 9)

Seen from vertex i with the opposite face (a, b, c) and d = x − x_i, six times the signed volume is
s = −n·d_a with n = (d_b − d_a) × (d_c − d_a). J is affine in x_i and |F|² quadratic, so that

    f_i = c₁ (r − s) n − Σ_j w_j d_j,   H_i = c₁ n nᵀ + Σ μ V₀ |g_i|² I,
    c₁ = λ/(36 V₀),  r = 6 α V₀,  w_j = μ V₀ g_i·g_j

is exact and positive definite for every F, inverted or not.
"""

import warp as wp

from ..options import QUICK
from .records import Elements, TetRecord

wp.set_module_options(QUICK)


@wp.func
def opposite_area(d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3):
    """n, twice the area vector [m²] of the face opposite to the vertex."""
    return wp.cross(d_b - d_a, d_c - d_a)


@wp.func
def tet_force_hessian(tet: TetRecord, rest: float, d_a: wp.vec3, d_b: wp.vec3, d_c: wp.vec3):
    """-∂E/∂x_i [N] and the volume part of ∂²E/∂x_i² [N/m]; the shear part is constant."""
    n = opposite_area(d_a, d_b, d_c)
    pressure = tet.volume_stiffness * (wp.dot(n, d_a) + rest)
    force = pressure * n - tet.weight_a * d_a - tet.weight_b * d_b - tet.weight_c * d_c
    return force, wp.outer(tet.volume_stiffness * n, n)


@wp.func
def tets_force_hessian(i: int, x: wp.array[wp.vec3], elements: Elements):
    """Force [N] and Hessian block [N/m] of all tets of vertex i."""
    x_i = x[i]
    force = wp.vec3(0.0)
    diagonal = elements.tet_diagonal[i]
    hessian = wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
    for q in range(elements.tet_start[i], elements.tet_start[i + 1]):
        tet = elements.tets[q]
        f, h = tet_force_hessian(
            tet, elements.tet_rest[q], x[tet.a] - x_i, x[tet.b] - x_i, x[tet.c] - x_i
        )
        force += f
        hessian += h
    return force, hessian
