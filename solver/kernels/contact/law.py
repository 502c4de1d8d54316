# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact law: energy, force and stiffness over the distance, and friction.

Two stages (Chen et al., "Offset Geometric Contact", 2025, eq. 16) in the distance d of a pair with
contact distance r: E = ½ k (r − d)² down to d = r/2, then −k (r/2)² ln d + const, C² at r/2. Below
GUARD r the logarithm continues as its second-order Taylor polynomial. The normal is held constant.

Friction is elastic up to Coulomb's law: f = −μ_c λ f₁(|u|) u/|u|, where f₁ = 2z − z² up to
z = |u|/(ε_v h) = 1, then 1 (VBD 2024, eq. 14-16), and u = Tᵀ(a + Σ w_k (x_k − xᵗ_k)) is the
tangential displacement since the contact began to stick: a is u at the end of the last step, at
most ε_v h long, beyond which the contact slides (the bristles of Dahl, "A solid friction model",
1968, and the return mapping of plasticity). Without a, sticking contacts would creep; with it
|u|/h is not a speed.

All contact goes through `force_stiffness`: sweeps, coarse steps, rigid steps, analytic colliders.
"""

from typing import Any

import warp as wp

from ..device.lane_functions import either, root
from ..device.lanes import add, div, dot, largest, mul, sub  # noqa: F401 (operators)

# Below this fraction of the contact distance the logarithm continues as a polynomial.
GUARD = wp.constant(0.005)
# A displacement longer than this fraction of ε_v h is as long as it can be, up to rounding.
SLIDING = wp.constant(0.9999)


@wp.struct
class ContactLaw:
    """Constants of the contact law."""

    slip: float  # ε_v h [m]
    damping: float  # against approach: damping time over h


@wp.func
def load_stiffness(d: Any, radius: Any, stiffness: Any):
    """Return −E'(d) [N] and E''(d) [N/m] at a distance d below the contact distance."""
    half = 0.5 * radius
    near = largest(d, GUARD * radius)
    inner = stiffness * half * half / (near * near)
    inner_load = stiffness * half * half / near + inner * (near - d)
    load = either(half - d, inner_load, stiffness * (radius - d))
    return load, either(half - d, inner, stiffness)


@wp.func
def contact_energy(d: float, radius: float, stiffness: float):
    """Return E(d) [J], zero at the contact distance."""
    half = 0.5 * radius
    energy = 0.5 * stiffness * (radius - d) * (radius - d)
    if d < half:
        low = GUARD * radius
        near = wp.max(d, low)
        load, slope = load_stiffness(near, radius, stiffness)
        energy = stiffness * half * half * (0.5 - wp.log(near / half))
        energy += (near - d) * (load + 0.5 * slope * (near - d))
    return energy


@wp.func
def friction_per_slip(slip: Any, full_slip: float):
    """Return f₁(|u|)/|u| [1/m] of smoothed Coulomb friction: 2/(ε_v h) at rest, no division."""
    scale = 1.0 / full_slip
    z = scale * slip
    return scale * either(z - 1.0, 1.0 / largest(1.0, z), 2.0 - z)


@wp.func
def tangential(motion: wp.vec3, normal: wp.vec3):
    """Return the tangential component of a motion."""
    return motion - wp.dot(motion, normal) * normal


@wp.func
def pulled_aside(motion: wp.vec3, normal: wp.vec3, law: ContactLaw):
    """Return the tangential displacement [m] of a contact after sliding: at most ε_v h long."""
    slip = tangential(motion, normal)
    return slip * wp.min(1.0, law.slip / wp.max(wp.length(slip), 1.0e-30))


@wp.func
def slides(pulled: wp.vec3, slip: float):
    """Return whether a contact with a tangential displacement `pulled` [m] slides: it is ε_v h long
    but for rounding.
    """
    return wp.length_sq(pulled) >= (SLIDING * slip) * (SLIDING * slip)


@wp.func
def force_stiffness(
    normal: Any,
    d: Any,
    radius: Any,
    motion: Any,
    friction: Any,
    stiffness: Any,
    law: ContactLaw,
):
    """Return the force [N] on side A of a contact at distance d, and a, b [N/m] of its stiffness
    a n nᵀ + b I.

    `motion` [m] is the displacement of A against B in this step plus a. Beyond the contact distance
    the force pulls: Newton's model of a contact that a step is about to close.
    One contact, or eight in lanes.
    """
    load, slope = load_stiffness(d, radius, stiffness)
    approach = -1.0 * dot(motion, normal)
    slip = motion + approach * normal
    drag = friction * largest(0.0, load) * friction_per_slip(root(dot(slip, slip)), law.slip)
    damping = either(approach, either(load, law.damping * slope, 0.0 * slope), 0.0 * slope)
    load += damping * approach
    slope += damping
    return load * normal - drag * slip, slope - drag, drag


@wp.func
def extend_active_set(active_set: int, k: int):
    """Return a hash of the active contacts, extended by contact k.

    Equal contacts in equal order give equal numbers, and others hardly ever do (a polynomial hash):
    two passes over the contacts of a vertex are compared by it.
    """
    return 31 * active_set + k + 1
