# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean solids with logarithm (Smith et al. 2018, eq. 13; PBNG 2023, eq. 12):

    ψ = μ/2 (|F|² − 3) + λ/2 (J − α)² − μ/2 log(|F|² + 1),  α = 1 + 3μ/(4λ)
    P = μ s F + λ (J − α) cof F,  s = 1 − 1/(|F|² + 1)
    H_i = V₀ (μ s |g|² I + 2μ/(|F|² + 1)² Fg (Fg)ᵀ + λ w wᵀ),  w = cof(F) g

exactly, and positive definite for every F.
"""

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import cofactor

wp.set_module_options(OPTIONS)


@wp.func
def force_hessian(mu: float, lam: float, f: wp.mat33, g: wp.vec3):
    """-V₀ P g [N] and H_i [N/m]; mu and lam are times the rest volume [J]."""
    fg = f * g
    w = cofactor(f) * g
    volume = wp.determinant(f) - 1.0
    quotient = 1.0 / (wp.ddot(f, f) + 1.0)
    force = -mu * (1.0 - quotient) * fg - (lam * volume - 0.75 * mu) * w
    diagonal = mu * (1.0 - quotient) * wp.dot(g, g)
    stretch = 2.0 * mu * quotient * quotient
    hessian = (
        wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
        + wp.outer(stretch * fg, fg)
        + wp.outer(lam * w, w)
    )
    return force, hessian


@wp.func
def square_and_rest(mu: float, lam: float):
    """Twice the factor [J] of |F|², and α."""
    return mu, 1.0 + 0.75 * mu / lam


@wp.func
def other_stress(mu: float, lam: float, f: wp.mat33):
    """∂/∂F [J] of the logarithm."""
    return (-mu / (wp.ddot(f, f) + 1.0)) * f


@wp.func
def density(mu: wp.float64, lam: wp.float64, f: wp.mat33d, jacobian: wp.float64):
    """ψ, zero at rest, times the volume that mu and lam are given for."""
    one = wp.float64(1.0)
    half = wp.float64(0.5)
    square = wp.ddot(f, f)
    volume = jacobian - one
    logarithm = wp.log((square + one) / wp.float64(4.0))
    shear = square - wp.float64(3.0) - logarithm
    return half * (lam * volume * volume + mu * shear) - wp.float64(0.75) * mu * volume
