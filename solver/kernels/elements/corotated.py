# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed corotated solids (Stomakhin et al. 2012; PBNG 2023, eq. 9):

ψ = μ |F − R|² + λ/2 (J − 1)²,  R the rotation of the polar decomposition
P = 2μ (F − R) + λ (J − 1) cof F,  H_i = V₀ (2μ |g|² I + λ w wᵀ),  w = cof(F) g  (PBNG, eq. 49)
"""

import warp as wp

from ..device.options import OPTIONS
from .linear_algebra import cofactor, nearest_rotation

wp.set_module_options(OPTIONS)


@wp.func
def force_hessian(mu: float, lam: float, f: wp.mat33, g: wp.vec3):
    """-V₀ P g [N] and H_i [N/m]; mu and lam are times the rest volume [J]."""
    fg = f * g
    w = cofactor(f) * g
    volume = wp.determinant(f) - 1.0
    force = -2.0 * mu * (fg - nearest_rotation(f) * g) - lam * volume * w
    diagonal = 2.0 * mu * wp.dot(g, g)
    hessian = wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
    return force, hessian + wp.outer(lam * w, w)


@wp.func
def square_and_rest(mu: float, lam: float):
    """Twice the factor [J] of |F|², and α."""
    return 2.0 * mu, 1.0


@wp.func
def other_stress(mu: float, lam: float, f: wp.mat33):
    """∂/∂F [J] of −2μ tr(RᵀF)."""
    return (-2.0 * mu) * nearest_rotation(f)


@wp.func
def density(mu: wp.float64, lam: wp.float64, f: wp.mat33d, jacobian: wp.float64):
    """ψ, zero at rest, times the volume that mu and lam are given for."""
    two = wp.float64(2.0)
    u, _sigma, v = wp.svd3(f)
    along = wp.transpose(u) * f * v
    trace = along[0, 0] + along[1, 1] + along[2, 2]
    if wp.determinant(u) * wp.determinant(v) < wp.float64(0.0):
        trace -= two * along[2, 2]
    volume = jacobian - wp.float64(1.0)
    shear = wp.ddot(f, f) - two * trace + wp.float64(3.0)
    return wp.float64(0.5) * lam * volume * volume + mu * shear
