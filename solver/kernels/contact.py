# SPDX-License-Identifier: GPL-3.0-or-later
"""The law of contact, and the contact force on a vertex.

Two stages (Chen et al., "Offset Geometric Contact", 2025, eq. 16) in the distance d of a pair with
contact distance r: E = ½ k (r − d)² down to d = r/2, then −k (r/2)² ln d + const, C² at r/2. Below
GUARD r the logarithm goes on as its second-order Taylor polynomial. The normal is held constant.

Friction is Coulomb's law made smooth over the slip u = Tᵀ Σ w_k (x_k − xᵗ_k):
f = −μ_c λ f₁(|u|) u/|u|,  f₁ = 2z − z² up to z = |u|/(ε_v h) = 1, then 1 (VBD 2024, eq. 14-16).
"""

import warp as wp

from .pairs import Pair, PairState, pair_gap

wp.set_module_options({"enable_backward": False})

GUARD = wp.constant(0.005)


@wp.struct
class ContactLaw:
    """The numbers of the contact law."""

    slip: float  # ε_v h [m]
    damping: float  # against approach: damping time over h


@wp.struct
class Contacts:
    """All pairs, and the entries 4 · pair + corner of those that a vertex may feel."""

    start: wp.array[int]  # [vertex + 1]
    end: wp.array[int]  # [vertex]
    entry: wp.array[int]
    pairs: wp.array[Pair]
    closing: wp.array[wp.vec4]  # per entry, as last seen: ∂d/∂x_i and d − radius [m]


@wp.func
def load_stiffness(d: float, radius: float, stiffness: float):
    """−E'(d) [N] and E''(d) [N/m] at a distance d below the contact distance."""
    half = 0.5 * radius
    low = GUARD * radius
    load = stiffness * (radius - d)
    slope = stiffness
    if d < half:
        near = wp.max(d, low)
        slope = stiffness * half * half / (near * near)
        load = stiffness * half * half / near + slope * (near - d)
    return load, slope


@wp.func
def contact_energy(d: float, radius: float, stiffness: float):
    """E(d) [J], zero at the contact distance."""
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
def friction_per_slip(slip: float, full_slip: float):
    """f₁(|u|)/|u| [1/m] of the smoothed Coulomb law; 2/(ε_v h) at rest: no division by zero."""
    z = slip / full_slip
    ratio = 2.0 - z
    if z > 1.0:
        ratio = 1.0 / z
    return ratio / full_slip


@wp.func
def force_stiffness(
    normal: wp.vec3,
    d: float,
    radius: float,
    motion: wp.vec3,
    friction: float,
    stiffness: float,
    law: ContactLaw,
):
    """Force [N] on side A of a contact at distance d, and its stiffness [N/m].

    `motion` [m] is that of A against B in this step. Beyond the contact distance the force pulls:
    Newton's model of a contact that a step is about to close.
    """
    load, slope = load_stiffness(d, radius, stiffness)
    approach = -wp.dot(motion, normal)
    drag = (
        friction
        * wp.max(load, 0.0)
        * friction_per_slip(wp.length(motion + approach * normal), law.slip)
    )
    if approach > 0.0 and load > 0.0:
        load += law.damping * slope * approach
        slope += law.damping * slope
    force = load * normal - drag * (motion + approach * normal)
    hessian = wp.outer((slope - drag) * normal, normal) + wp.mat33(
        drag, 0.0, 0.0, 0.0, drag, 0.0, 0.0, 0.0, drag
    )
    return force, hessian


@wp.func
def touches_after(closing: wp.vec4, step: wp.vec3):
    """Whether a pair is closer than its contact distance after a step [m] of one vertex."""
    return closing[3] + closing[0] * step[0] + closing[1] * step[1] + closing[2] * step[2] < 0.0


@wp.func
def contacts_force_hessian(
    i: int,
    x: wp.array[wp.vec3],
    step: wp.vec3,
    x_start: wp.array[wp.vec3],
    color: wp.vec2i,
    contacts: Contacts,
    law: ContactLaw,
):
    """Force [N], bound of the Hessian block [N/m] and number of contacts of vertex i at x, and a
    number that tells which contacts they are.

    Those are the pairs that touch after `step` (0 for those of now), each with its Newton model
    at x. Vertices color[0] up to color[1] move at the same time: each takes the stiffness that a
    pair shows to all of them together (an ℓ₁ bound), so that partners of one color do not
    overshoot.
    """
    touching = int(0)
    which = int(0)
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for k in range(contacts.start[i], contacts.end[i]):
        pair = contacts.pairs[contacts.entry[k] / 4]
        weight = pair.weights[contacts.entry[k] % 4]
        d = wp.dot(pair.normal, pair_gap(pair, x, x[i]))
        toward = weight * pair.normal
        contacts.closing[k] = wp.vec4(toward[0], toward[1], toward[2], d - pair.radius)
        if pair.leads != 0:
            force += (weight * pair.stiffness * (pair.radius - d)) * pair.normal
            hessian += (wp.abs(weight) * pair.stiffness) * wp.outer(pair.normal, pair.normal)
            contacts.closing[k] = wp.vec4(0.0, 0.0, 0.0, -1.0)
            touching += 1
            which = 31 * which + k + 1
        elif touches_after(contacts.closing[k], step):
            v = pair.vertices
            motion = wp.vec3(0.0)
            together = float(0.0)
            for c in range(4):
                motion += pair.weights[c] * (x[v[c]] - x_start[v[c]])
                if v[c] >= color[0] and v[c] < color[1]:
                    together += wp.abs(pair.weights[c])
            f, h = force_stiffness(
                pair.normal, d, pair.radius, motion, pair.friction, pair.stiffness, law
            )
            force += weight * f
            hessian += (wp.abs(weight) * wp.max(together, wp.abs(weight))) * h
            touching += 1
            which = 31 * which + k + 1
    return force, hessian, touching, which


@wp.func
def contacts_after(i: int, step: wp.vec3, contacts: Contacts):
    """The number of `contacts_force_hessian` that tells which pairs touch after `step` [m].

    For the positions that this was last called with.
    """
    which = int(0)
    for k in range(contacts.start[i], contacts.end[i]):
        if touches_after(contacts.closing[k], step):
            which = 31 * which + k + 1
    return which


@wp.kernel
def measure_pairs(
    x: wp.array[wp.vec3],
    pairs: wp.array[Pair],
    state: wp.array[PairState],
    # out
    energy: wp.array[float],
    depth: wp.array[float],
):
    """Energy [J] of each pair that touches, and its depth below the contact distance [m]."""
    p = wp.tid()
    pair = pairs[p]
    energy[p] = 0.0
    depth[p] = 0.0
    if state[p].near != 0 and pair.leads == 0:
        d = wp.dot(pair.normal, pair_gap(pair, x, x[pair.vertices[0]]))
        if d < pair.radius:
            energy[p] = contact_energy(d, pair.radius, pair.stiffness)
            depth[p] = pair.radius - d


@wp.kernel
def mark_touching(
    x: wp.array[wp.vec3],
    body: wp.array[int],
    bodies: int,
    pairs: wp.array[Pair],
    state: wp.array[PairState],
    # out
    touch: wp.array[int],
):
    """Which bodies touch which: touch[body · bodies + body]."""
    p = wp.tid()
    pair = pairs[p]
    if state[p].near != 0:
        d = wp.dot(pair.normal, pair_gap(pair, x, x[pair.vertices[0]]))
        if d < pair.radius or pair.leads != 0:
            touch[body[pair.vertices[0]] * bodies + body[pair.vertices[3]]] = 1
