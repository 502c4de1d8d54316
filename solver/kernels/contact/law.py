# SPDX-License-Identifier: GPL-3.0-or-later
"""The law of contact, and the contact force on a vertex.

Two stages (Chen et al., "Offset Geometric Contact", 2025, eq. 16) in the distance d of a pair with
contact distance r: E = ½ k (r − d)² down to d = r/2, then −k (r/2)² ln d + const, C² at r/2. Below
GUARD r the logarithm goes on as its second-order Taylor polynomial. The normal is held constant.

Friction is Coulomb's law made smooth over the slip u = Tᵀ Σ w_k (x_k − xᵗ_k):
f = −μ_c λ f₁(|u|) u/|u|,  f₁ = 2z − z² up to z = |u|/(ε_v h) = 1, then 1 (VBD 2024, eq. 14-16).
"""

import warp as wp

from ..options import QUICK
from .pairs import Pair, PairState, Touch, gap_of

wp.set_module_options(QUICK)

# A touch is fetched from memory this many entries before it is needed.
AHEAD = wp.constant(6)
GUARD = wp.constant(0.005)


@wp.struct
class ContactLaw:
    """The numbers of the contact law."""

    slip: float  # ε_v h [m]
    damping: float  # against approach: damping time over h


@wp.struct
class Contacts:
    """All near pairs, and the entries 4 · pair + corner of those that a vertex may feel."""

    start: wp.array[int]  # [vertex + 1]
    end: wp.array[int]  # [vertex]
    entry: wp.array[int]
    touches: wp.array[Touch]
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
    scale = 1.0 / full_slip
    z = scale * slip
    ratio = 2.0 - z
    if z > 1.0:
        ratio = 1.0 / z
    return scale * ratio


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
    """Force [N] on side A of a contact at distance d, and a, b [N/m] of its stiffness a n nᵀ + b I.

    `motion` [m] is that of A against B in this step. Beyond the contact distance the force pulls:
    Newton's model of a contact that a step is about to close.
    """
    load, slope = load_stiffness(d, radius, stiffness)
    approach = -wp.dot(motion, normal)
    slip = motion + approach * normal
    drag = friction * wp.where(load > 0.0, load, 0.0) * friction_per_slip(wp.length(slip), law.slip)
    if approach > 0.0 and load > 0.0:
        load += law.damping * slope * approach
        slope += law.damping * slope
    return load * normal - drag * slip, slope - drag, drag


@wp.func
def off_diagonal(n: wp.vec3):
    """Entries xy, xz, yz of n nᵀ."""
    return wp.vec3(n[0] * n[1], n[0] * n[2], n[1] * n[2])


@wp.func
def symmetric(diagonal: wp.vec3, off: wp.vec3):
    """The matrix with this diagonal and entries xy, xz, yz."""
    return wp.mat33(
        diagonal[0], off[0], off[1], off[0], diagonal[1], off[2], off[1], off[2], diagonal[2]
    )


@wp.func_native(
    snippet="""
#if !defined(__CUDA_ARCH__)
    const char* address = (const char*)(contacts.touches.data + (contacts.entry.data[k] >> 2));
    __builtin_prefetch(address);
    __builtin_prefetch(address + 64);
#endif
"""
)
def prefetch(contacts: Contacts, k: int):
    """Ask the processor for the touch of entry k, of which a CPU would wait for each in turn."""
    ...


@wp.func
def contacts_force_hessian(
    i: int,
    x: wp.array[wp.vec3],
    step: wp.vec3,
    color: wp.vec2i,
    contacts: Contacts,
    law: ContactLaw,
):
    """Force [N], bound of the Hessian block [N/m] and number of contacts of vertex i at x, a number
    that tells which contacts they are, and how far the vertex may go [m] without changing that.

    Those are the pairs that touch after `step` (0 for those of now), each with its Newton model
    at x. Vertices color[0] up to color[1] move at the same time: each takes the stiffness that a
    pair shows to all of them together (an ℓ₁ bound), so that partners of one color do not
    overshoot.
    """
    touching = int(0)
    which = int(0)
    force = wp.vec3(0.0)
    # As vectors the sums stay in registers.
    diagonal = wp.vec3(0.0)
    off = wp.vec3(0.0)
    margin = float(wp.inf)
    x_i = x[i]
    for k in range(contacts.start[i], contacts.end[i]):
        prefetch(contacts, k + AHEAD)
        entry = contacts.entry[k]
        touch = contacts.touches[entry >> 2]
        weight = touch.weights[entry & 3]
        normal = touch.normal
        gap = gap_of(touch, x, x_i)
        d = wp.dot(normal, gap)
        beyond = d - touch.radius
        contacts.closing[k] = wp.vec4(
            weight * normal[0], weight * normal[1], weight * normal[2], beyond
        )
        margin = wp.where(wp.abs(beyond) < margin, wp.abs(beyond), margin)
        if touch.leads != 0:
            bound = wp.abs(weight) * touch.stiffness
            force -= (weight * touch.stiffness * beyond) * normal
            diagonal += bound * wp.cw_mul(normal, normal)
            off += bound * off_diagonal(normal)
            contacts.closing[k] = wp.vec4(0.0, 0.0, 0.0, -1.0)
            touching += 1
            which = 31 * which + k + 1
        elif beyond + weight * wp.dot(normal, step) < 0.0:
            v = touch.vertices
            together = float(0.0)
            for c in range(4):
                if v[c] >= color[0] and v[c] < color[1]:
                    together += wp.abs(touch.weights[c])
            motion = gap - touch.start_gap
            f, along, drag = force_stiffness(
                normal, d, touch.radius, motion, touch.friction, touch.stiffness, law
            )
            share = wp.abs(weight) * wp.where(together > 0.0, together, wp.abs(weight))
            force += weight * f
            diagonal += (share * along) * wp.cw_mul(normal, normal)
            diagonal += wp.vec3(share * drag)
            off += (share * along) * off_diagonal(normal)
            touching += 1
            which = 31 * which + k + 1
    return force, symmetric(diagonal, off), touching, which, margin


@wp.func
def touches_after(closing: wp.vec4, step: wp.vec3):
    """Whether a pair is closer than its contact distance after a step [m] of one vertex."""
    return closing[3] + closing[0] * step[0] + closing[1] * step[1] + closing[2] * step[2] < 0.0


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
    touches: wp.array[Touch],
    state: wp.array[PairState],
    # out
    energy: wp.array[float],
    depth: wp.array[float],
):
    """Energy [J] of each pair that touches, and its depth below the contact distance without lift
    [m].
    """
    p = wp.tid()
    touch = touches[p]
    energy[p] = 0.0
    depth[p] = 0.0
    if state[p].near != 0 and touch.leads == 0:
        d = wp.dot(touch.normal, gap_of(touch, x, x[touch.vertices[0]]))
        if d < touch.radius:
            energy[p] = contact_energy(d, touch.radius, touch.stiffness)
            depth[p] = wp.max(touch.radius - pairs[p].lift - d, 0.0)


@wp.kernel
def mark_touching(
    x: wp.array[wp.vec3],
    body: wp.array[int],
    bodies: int,
    touches: wp.array[Touch],
    state: wp.array[PairState],
    # out
    touch: wp.array[int],
):
    """Which bodies touch which: touch[body · bodies + body]."""
    p = wp.tid()
    near = touches[p]
    if state[p].near != 0:
        d = wp.dot(near.normal, gap_of(near, x, x[near.vertices[0]]))
        if d < near.radius or near.leads != 0:
            touch[body[near.vertices[0]] * bodies + body[near.vertices[3]]] = 1
