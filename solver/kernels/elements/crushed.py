# SPDX-License-Identifier: GPL-3.0-or-later
"""Shear of crushed neo-Hookean solids.

With μ/2 |F|² a point, F = 0, would be a minimum of ψ: near it |F|² rises with the square of the
size, λ/2 (J − α)² falls with its cube. So below I = |F|² = c, ψ₀ = μ/2 I becomes

    ψ₀ + ⅜ μ c (1 − I/c)²,   P = μ s F,   ∂²ψ/∂F² = μ s I + 3 μ/c vec(F) vec(F)ᵀ,
    s = 1 − 3/2 (1 − I/c)

which pushes outwards below I = c/3, where blocks have |s| in place of s: a step then doubles the
size at most. ψ stays C¹. c is as small as may be: shapes F = σ 1 shrink below the size σ₁ where
λ σ (α − σ³) = μ, and σ₁ < 1.1 μ/(λ + μ) = √(c/3) for λ ≥ μ (ν ≥ 0), so that nearly incompressible
solids feel it only near a point. Then the only minima are the shapes of rest. Singular values σ
without stress have μ s σᵢ² = λ (α − J) J. So they are equal, where s ≠ 0: for J > 0 at rest alone,
since λ σ (α − σ³) is concave and the larger at √(c/3), and s is convex; for J < 0 and J = 0 a
saddle and a maximum. Where s = 0, two of them are zero: a saddle, which the volume opens.

J ≤ (I/3)^(3/2) and c ≤ 1, so only elements below the volume 3^(−3/2) can be crushed.
"""

from typing import Any

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

CRUSHED_VOLUME = wp.constant(3.0**-1.5)
# √c over μ/(λ + μ).
ONSET = 1.1 * 3.0**0.5


@wp.func
def onset(mu: Any, lam: Any):
    """c, the I below which a solid is crushed; at most 1."""
    ratio = type(mu)(ONSET) * mu / (lam + mu)
    return wp.min(ratio * ratio, type(mu)(1.0))


@wp.func
def crushed_part(square: float):
    """1 − s, the part of the shear stress that is missing; `square` is I/c."""
    return 1.5 * wp.max(0.0, 1.0 - square)


@wp.func
def crushed_stress(mu: float, lam: float, f: wp.mat33):
    """∂(ψ − ψ₀)/∂F."""
    return (-mu * crushed_part(wp.ddot(f, f) / onset(mu, lam))) * f


@wp.func
def crushed_density(mu: wp.float64, lam: wp.float64, square: wp.float64):
    """ψ − ψ₀; `square` is I."""
    c = onset(mu, lam)
    missing = wp.max(wp.float64(0.0), wp.float64(1.0) - square / c)
    return wp.float64(0.375) * mu * c * missing * missing


@wp.func
def may_be_crushed(f: wp.mat33, d: wp.mat33, longest: float):
    """Return whether I may be below 1 ≥ c at F + a D, 0 ≤ a ≤ longest, or just beyond."""
    square = wp.ddot(f, f)
    closing = -wp.ddot(f, d)
    rise = wp.ddot(d, d)
    there = square + longest * (longest * rise - 2.0 * closing)
    # The least I on the whole line is I − closing²/rise.
    passes = closing > 0.0 and closing < longest * rise
    return wp.min(square, there) < 1.0 or (passes and rise * (square - 1.0) < closing * closing)
