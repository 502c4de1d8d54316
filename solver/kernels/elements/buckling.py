# SPDX-License-Identifier: GPL-3.0-or-later
"""Stress of a membrane that buckles at sub-mesh scale and hardens beyond a maximum stretch.

Fabric within a compressed face does not resist: it folds at N_c, the load at which a strip as long
as the face buckles (Euler). So the membrane energy ψ₀ is replaced by the largest convex one whose
stress obeys S ⪰ −N_c I, a tension field (Pipkin 1986) with a plateau (Choi and Ko 2002 have one for
springs):

    ψ(E) = max_{S ⪰ −N_c I} (S : E − ½ S : C⁻¹ : S)  +  Σ h(e_i)  +  ½ K_L Σ ((e_i − e_max)₊)²

E is the Green strain with principal values e₁ ≥ e₂, and C the stiffness of ψ₀. Folds that are
pressed flat resist more. The load of a strip that is folded to the fraction a of its length rises
like N_c/a³ here, so

    h(e) = N_c (1 − r)²/(2 r),  h' = N_c (1 − 1/r²),  r = 1 + 2 (e + N_c/K₁) < 1

beyond the strain −N_c/K₁ at which it buckles. (The elastica rises by N_c/2 per unit of shortening
at first, Love 1927 §263; this is steeper, which keeps hinges from crushing a face.) The last term
is hardening beyond a maximum stretch. All terms are convex in E and C¹. Isotropic membranes are
relaxed along the principal directions, woven ones along warp and weft. The frame of an isotropic
triangle is given by cos 2φ and sin 2φ of the first principal direction, a woven one by (1, 0).

With a damping time k_d the strain for the stress is E = G + k_d ∂G/∂t − Ḡ₀ (Kelvin and Voigt):
(1 + κ) (G − Ḡ) with the rest value Ḡ that damping moves (rest_values.py).
"""

from typing import Any

import warp as wp

from ..device.lane_functions import either, least, root, smallest
from ..device.lanes import add, div, largest, mul, sub  # noqa: F401 (operators)
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Lower bound of the squared stretch of a folded strip; beyond it the load is constant.
LEAST = wp.constant(0.01)
# Keeps 0/0 finite.
TINY = wp.constant(1.0e-12)
# Lower bound of the pull at a vertex, relative to the buckling load of its triangles, and factor of
# the other forces on it: neighbors move as well, and over-relaxed steps overshoot.
LEAST_PULL, PULLS = wp.constant(30.0), wp.constant(10.0)
# Principal strains that differ by less are equal, within rounding.
EQUAL = wp.constant(1.0e-7)


@wp.struct
class Limits:
    """Limits of the compression and stretch of a triangle."""

    load: float  # N_c times the rest area [N m]
    onset: float  # N_c/K₁, the strain at which a strip buckles
    most: float  # e_max
    hardening: float  # K_L times the rest area [N m]
    isotropy: float  # 1 where it is relaxed along principal directions, 0 along warp and weft
    rate: float  # 1 + κ of damping
    ratio_1: float  # K₁₂/K₁
    ratio_2: float  # K₁₂/K₂


@wp.func
def strain_frame(isotropy: Any, strain: Any):
    """Mean and half difference of the normal strains along the axes of the frame, cos 2φ, sin 2φ,
    for (E₁₁, E₂₂, E₁₂); `isotropy` is 1 for the principal frame, 0 for that of warp and weft.
    """
    mean = 0.5 * (strain[0] + strain[1])
    half = 0.5 * (strain[0] - strain[1])
    radius = root(half * half + strain[2] * strain[2])
    inverse = isotropy / (TINY + radius)
    cosine = (1.0 - isotropy) + (TINY + half) * inverse
    return mean, half + isotropy * (radius - half), cosine, strain[2] * inverse


@wp.func
def limited_stresses(stiffness: Any, limits: Any, e_1: Any, e_2: Any):
    """(S₁, S₂) ≥ −N_c along the axes of the frame, and their excess below −N_c without buckling,
    where positive; stiffness (K₁, K₂, K₁₂, G_s).

    Where S₂ is fixed at −N_c, S₁ = (K₁ − K₁₂²/K₂) e₁ − (K₁₂/K₂) N_c, or −N_c too.
    """
    floor = -1.0 * limits.load
    k_12 = stiffness[2]
    fixed = (stiffness[0] - k_12 * limits.ratio_2) * e_1 + limits.ratio_2 * floor
    free = stiffness[0] * e_1 + k_12 * e_2
    uniaxial = (stiffness[1] - k_12 * limits.ratio_1) * e_2
    below_2 = floor - (uniaxial + limits.ratio_1 * largest(floor, fixed))
    first = either(below_2, fixed, free)
    s_1 = largest(floor, first)
    s_2 = either(below_2, floor, uniaxial + limits.ratio_1 * s_1)
    return s_1, s_2, floor - first, below_2


@wp.func
def fold(limits: Any, e: Any):
    """(h', h'') of a strip at strain e."""
    r = largest(LEAST, 1.0 - largest(0.0, -2.0 * (e + limits.onset)))
    inverse = 1.0 / r
    load = limits.load * (inverse * inverse)
    return limits.load - load, either(1.0 - r, 4.0 * load * inverse, 0.0)


@wp.func
def is_folded(limits: Any, e_1: Any, e_2: Any):
    """Return whether any of the triangles is folded."""
    return least(smallest(e_1, e_2) + limits.onset) < 0.0


@wp.func
def is_hardened(limits: Any, e_1: Any, e_2: Any):
    """Return whether any of the triangles is stretched beyond e_max."""
    return least(limits.most - largest(e_1, e_2)) < 0.0


@wp.func
def with_folds(limits: Any, e_1: Any, e_2: Any, s_1: Any, s_2: Any, t_1: Any, t_2: Any):
    """Stresses (S₁, S₂) and their slopes (T₁, T₂) with the additional resistance of folds that are
    pressed flat and of fabric beyond e_max.
    """
    if is_folded(limits, e_1, e_2):
        h_1, slope_1 = fold(limits, e_1)
        h_2, slope_2 = fold(limits, e_2)
        s_1 = s_1 + h_1
        s_2 = s_2 + h_2
        t_1 = t_1 + slope_1
        t_2 = t_2 + slope_2
    if is_hardened(limits, e_1, e_2):
        over_1 = e_1 - limits.most
        over_2 = e_2 - limits.most
        s_1 = s_1 + limits.hardening * largest(0.0, over_1)
        s_2 = s_2 + limits.hardening * largest(0.0, over_2)
        t_1 = t_1 + either(over_1, limits.hardening, 0.0)
        t_2 = t_2 + either(over_2, limits.hardening, 0.0)
    return s_1, s_2, t_1, t_2


@wp.func
def turning_stiffness(e_1: Any, e_2: Any, s_1: Any, s_2: Any):
    """∂S₁₂/∂(2E₁₂) = (S₁ − S₂)/(2 (e₁ − e₂)) of a principal frame, which rotates."""
    return 0.5 * (s_1 - s_2) / largest(EQUAL, e_1 - e_2)


@wp.func
def pulling_stress(limits: Any, height: Any, pull: float):
    """Stress N_s times the rest area [N m] that a force [N] on a vertex can cause in a triangle
    with this height [m] above the opposite edge.
    """
    return TINY * TINY + LEAST_PULL * limits.load + (PULLS * pull) * height


@wp.func
def slack_shares(pull: Any, below_1: Any, below_2: Any):
    """Fractions of the stiffness of ψ₀ in the block of a vertex, along both axes and for both
    together, where stresses without buckling would be below −N_c by these amounts.

    The tangent stiffness is zero there: with it vertices overshoot until faces are taut, and sweeps
    do not converge; with the full stiffness slack cloth creeps. With the fraction N_s/(N_s + p), a
    stress N_s moves a strip that is p below −N_c only until it is taut. N_s is the stress that
    pulls at the vertex.
    """
    share_1 = pull / (pull + largest(0.0, below_1))
    share_2 = pull / (pull + largest(0.0, below_2))
    return share_1, share_2, share_1 * share_2


@wp.func
def axial_stresses(stiffness: Any, limits: Any, pull: Any, e_1: Any, e_2: Any):
    """(S₁, S₂) along the axes of the frame, and a stiffness (T₁, T₂, T₁₂, G) for the block of a
    vertex under the stress `pull`.
    """
    flat_1, flat_2, below_1, below_2 = limited_stresses(stiffness, limits, e_1, e_2)
    share_1, share_2, both = slack_shares(pull, below_1, below_2)
    s_1, s_2, t_1, t_2 = with_folds(
        limits, e_1, e_2, flat_1, flat_2, share_1 * stiffness[0], share_2 * stiffness[1]
    )
    shear = largest(both * stiffness[3], turning_stiffness(e_1, e_2, s_1, s_2))
    shear = stiffness[3] + limits.isotropy * (shear - stiffness[3])
    return s_1, s_2, t_1, t_2, both * stiffness[2], shear


@wp.func
def frame_shear(stiffness: Any, limits: Any, strain: Any):
    """S₁₂ in the frame; zero in the principal one."""
    return (2.0 * (1.0 - limits.isotropy)) * (stiffness[3] * strain[2])


@wp.func
def axial_tangents(stiffness: Any, limits: Any, e_1: Any, e_2: Any):
    """(S₁, S₂) and their slopes (∂S₁/∂e₁, ∂S₂/∂e₂, ∂S₁/∂e₂), never negative."""
    s_1, s_2, below_1, below_2 = limited_stresses(stiffness, limits, e_1, e_2)
    free_1 = either(below_1, 0.0, 1.0)
    free_2 = either(below_2, 0.0, 1.0)
    both = free_1 * free_2
    k_12 = stiffness[2]
    t_1 = free_1 * stiffness[0] - (free_1 - both) * (k_12 * limits.ratio_2)
    t_2 = free_2 * stiffness[1] - (free_2 - both) * (k_12 * limits.ratio_1)
    s_1, s_2, t_1, t_2 = with_folds(limits, e_1, e_2, s_1, s_2, t_1, t_2)
    return s_1, s_2, t_1, t_2, both * k_12


@wp.func
def frame_shear_stiffness(stiffness: Any, limits: Any, e_1: Any, e_2: Any, s_1: Any, s_2: Any):
    """∂S₁₂/∂(2E₁₂) in the frame; that of ψ₀ for equal strains."""
    turning = largest(0.0, turning_stiffness(e_1, e_2, s_1, s_2))
    turning = either(e_1 - e_2 - 4.0 * EQUAL, turning, stiffness[3])
    return stiffness[3] + limits.isotropy * (turning - stiffness[3])


@wp.func
def membrane_stress(stiffness: Any, limits: Any, strain: Any):
    """Mean and half difference of the axial stresses, S₁₂ in the frame, cos 2φ and sin 2φ."""
    mean, half, cosine, sine = strain_frame(limits.isotropy, strain)
    e_1 = mean + half
    e_2 = mean - half
    s_1, s_2, _below_1, _below_2 = limited_stresses(stiffness, limits, e_1, e_2)
    s_1, s_2, _t_1, _t_2 = with_folds(limits, e_1, e_2, s_1, s_2, s_1, s_2)
    shear = frame_shear(stiffness, limits, strain)
    return 0.5 * (s_1 + s_2), 0.5 * (s_1 - s_2), shear, cosine, sine
