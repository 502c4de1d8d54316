# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean solids without logarithm (Smith et al. 2018; PBNG 2023, eq. 12, §8):

    ψ = μ/2 (|F|² − 3) + λ/2 (J − α)²,  α = 1 + μ/λ
    P = μ F + λ (J − α) cof F
    H_i = V₀ (μ |g|² I + λ w wᵀ),  w = cof(F) g

exactly, and positive definite for every F; along one vertex ψ is quadratic, except where it is
crushed (crushed.py). Tets have a reduced form of it (tets.py).
"""

import warp as wp

from ..device.options import OPTIONS
from .crushed import (
    CRUSHED_VOLUME,
    crushed_density,
    crushed_part,
    crushed_stress,
    may_be_crushed,
    onset,
)
from .linear_algebra import cofactor

wp.set_module_options(OPTIONS)

other_stress = crushed_stress
sampled = may_be_crushed


@wp.func
def force_hessian(mu: float, lam: float, f: wp.mat33, g: wp.vec3):
    """-V₀ P g [N] and H_i [N/m]; mu and lam are times the rest volume [J]."""
    fg = f * g
    w = cofactor(f) * g
    jacobian = wp.determinant(f)
    share = float(1.0)
    stretch = float(0.0)
    if jacobian < CRUSHED_VOLUME:
        c = onset(mu, lam)
        part = crushed_part(wp.ddot(f, f) / c)
        share = 1.0 - part
        stretch = wp.where(part > 0.0, 3.0 * mu / c, 0.0)
    force = (-mu * share) * fg - (lam * (jacobian - 1.0) - mu) * w
    diagonal = mu * wp.abs(share) * wp.dot(g, g)
    hessian = wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
    return force, hessian + wp.outer(lam * w, w) + wp.outer(stretch * fg, fg)


@wp.func
def square_and_rest(mu: float, lam: float):
    """Twice the factor [J] of |F|², and α."""
    return mu, 1.0 + mu / lam


@wp.func
def density(mu: wp.float64, lam: wp.float64, f: wp.mat33d, jacobian: wp.float64):
    """ψ, zero at rest, times the volume that mu and lam are given for."""
    half = wp.float64(0.5)
    volume = jacobian - wp.float64(1.0)
    square = wp.ddot(f, f)
    shear = half * mu * (square - wp.float64(3.0)) + crushed_density(mu, lam, square)
    return half * lam * volume * volume + shear - mu * volume
