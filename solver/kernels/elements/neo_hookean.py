# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean solids without logarithm (Smith et al. 2018; PBNG 2023, eq. 12, §8):

    ψ = μ/2 (|F|² − 3) + λ/2 (J − α)²,  α = 1 + μ/λ
    P = μ F + λ (J − α) cof F
    H_i = V₀ (μ |g|² I + λ w wᵀ),  w = cof(F) g

exactly, and positive definite for every F; along one vertex ψ is quadratic. Tets have a reduced
form of it (tets.py).
"""

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import cofactor

wp.set_module_options(OPTIONS)


@wp.func
def force_hessian(mu: float, lam: float, f: wp.mat33, g: wp.vec3):
    """-V₀ P g [N] and H_i [N/m]; mu and lam are times the rest volume [J]."""
    w = cofactor(f) * g
    volume = wp.determinant(f) - 1.0
    force = -mu * (f * g) - (lam * volume - mu) * w
    diagonal = mu * wp.dot(g, g)
    hessian = wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
    return force, hessian + wp.outer(lam * w, w)


@wp.func
def square_and_rest(mu: float, lam: float):
    """Twice the factor [J] of |F|², and α."""
    return mu, 1.0 + mu / lam


@wp.func
def density(mu: wp.float64, lam: wp.float64, f: wp.mat33d, jacobian: wp.float64):
    """ψ, zero at rest, times the volume that mu and lam are given for."""
    half = wp.float64(0.5)
    volume = jacobian - wp.float64(1.0)
    return (
        half * lam * volume * volume + half * mu * (wp.ddot(f, f) - wp.float64(3.0)) - mu * volume
    )
