# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy in float64 of a membrane that buckles at sub-mesh scale and hardens (buckling.py)."""

import warp as wp

from ..device.options import OPTIONS
from .buckling import LEAST

wp.set_module_options(OPTIONS)


@wp.struct
class ExactLimits:
    """`Limits` in float64, without the fields for blocks and damping; N_c A and K_L A [J]."""

    load: wp.float64
    onset: wp.float64
    most: wp.float64
    hardening: wp.float64
    isotropy: wp.float64


@wp.func
def exact_axis(k: wp.float64, k_12: wp.float64, other: wp.float64):
    """The stiffness k − k₁₂²/other of an axis while the other stress is fixed, and k₁₂/other."""
    ratio = wp.float64(0.0)
    if other > wp.float64(0.0):
        ratio = k_12 / other
    return k - k_12 * ratio, ratio


@wp.func
def fold_energy(limits: ExactLimits, e: wp.float64):
    """h of a strip at strain e, linear below `LEAST`."""
    zero = wp.float64(0.0)
    half = wp.float64(0.5)
    one = wp.float64(1.0)
    two = wp.float64(2.0)
    least = wp.float64(LEAST)
    excess = wp.max(-two * (e + limits.onset), zero)
    r = wp.max(one - excess, least)
    energy = half * (one - r) * (one - r) / r
    beyond_least = half * wp.max(excess - (one - least), zero)
    return limits.load * (energy + beyond_least * (one / (r * r) - one))


@wp.func
def membrane_energy(k: wp.vec4d, limits: ExactLimits, strain: wp.vec3d):
    """ψ in float64 for (K₁, K₂, K₁₂, G_s), its limits and (E₁₁, E₂₂, E₁₂)."""
    zero = wp.float64(0.0)
    half = wp.float64(0.5)
    two = wp.float64(2.0)
    mean = half * (strain[0] + strain[1])
    half_gap = half * (strain[0] - strain[1])
    shear = strain[2]
    if limits.isotropy > zero:
        half_gap = wp.sqrt(half_gap * half_gap + shear * shear)
        shear = zero
    e_1 = mean + half_gap
    e_2 = mean - half_gap
    n = limits.load
    alone_1, from_2 = exact_axis(k[0], k[2], k[1])
    alone_2, from_1 = exact_axis(k[1], k[2], k[0])
    # Elastic strains of the fabric; folds take up the rest.
    a_1 = e_1
    a_2 = e_2
    fixed = wp.max(-n, alone_1 * e_1 - from_2 * n)
    if alone_2 * e_2 + from_1 * fixed < -n:
        s_1 = fixed
        s_2 = -n
        a_1, a_2 = elastic_strains(k, s_1, s_2)
    elif k[0] * e_1 + k[2] * e_2 < -n:
        a_1, a_2 = elastic_strains(k, -n, alone_2 * e_2 - from_1 * n)
    energy = half * (k[0] * a_1 * a_1 + k[1] * a_2 * a_2) + k[2] * a_1 * a_2
    energy += n * ((a_1 - e_1) + (a_2 - e_2))
    energy += fold_energy(limits, e_1) + fold_energy(limits, e_2)
    over_1 = wp.max(zero, e_1 - limits.most)
    over_2 = wp.max(zero, e_2 - limits.most)
    energy += half * limits.hardening * (over_1 * over_1 + over_2 * over_2)
    return energy + two * k[3] * shear * shear


@wp.func
def elastic_strains(k: wp.vec4d, s_1: wp.float64, s_2: wp.float64):
    """Strains that give these stresses: the stress divided by the stiffness."""
    area = k[0] * k[1] - k[2] * k[2]
    e_1 = wp.float64(0.0)
    e_2 = wp.float64(0.0)
    if area > wp.float64(0.0):
        e_1 = (k[1] * s_1 - k[2] * s_2) / area
        e_2 = (k[0] * s_2 - k[2] * s_1) / area
    return e_1, e_2
