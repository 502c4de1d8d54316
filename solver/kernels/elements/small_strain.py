# SPDX-License-Identifier: GPL-3.0-or-later
"""Neo-Hookean stress from displacements, for strains that float32 loses in F.

With F = R + H, R the rotation in which a body was put down and H the gradient of its displacements
from there, K = RᵀH and

    j = J − 1 = tr K + tr cof K + det K,   C = Rᵀ cof F − 1 = tr(K) 1 − Kᵀ + cof K,
    P = μ F + λ (J − α) cof F = μ (H − R C) + λ j cof F,   α = 1 + μ/λ

(neo_hookean.py). F is near to a rotation, so that strains below 10⁻⁷ are gone once it is rounded;
H, K, j and C keep all digits of displacements, however small these are. At 90° and more from R
nothing is gained.
"""

import warp as wp

from ..options import QUICK
from .linear_algebra import cofactor

wp.set_module_options(QUICK)


@wp.func
def volume_change(k: wp.mat33):
    """J − 1."""
    return wp.trace(k) + wp.trace(cofactor(k)) + wp.determinant(k)


@wp.func
def cofactor_change(k: wp.mat33):
    """C."""
    t = wp.trace(k)
    return wp.mat33(t, 0.0, 0.0, 0.0, t, 0.0, 0.0, 0.0, t) - wp.transpose(k) + cofactor(k)


@wp.func
def stress_from_displacements(mu: float, lam: float, r: wp.mat33, h: wp.mat33):
    """P, and F."""
    k = wp.transpose(r) * h
    f = r + h
    stress = mu * (h - r * cofactor_change(k)) + (lam * volume_change(k)) * cofactor(f)
    return stress, f
