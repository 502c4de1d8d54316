# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of one vertex with a collider: a plane found at the last detection, until the next one.

    E = ½ k_c d²,  d = offset − n·x > 0      (VBD 2024, §3.5; the normal is held constant)

Friction is Coulomb's law made smooth over the slip u = Tᵀ(x − xᵗ − w), w the collider's motion
(VBD 2024, eq. 14-16):  f = −μ_c λ f₁(|u|) u/|u|,  f₁ = 2z − z² up to z = |u|/(ε_v h) = 1, then 1.
"""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.struct
class Contacts:
    """Contact planes per vertex: entries `vertex * slots` up to `+ count[vertex]`."""

    slots: int
    count: wp.array[int]
    normal: wp.array[wp.vec3]
    offset: wp.array[float]  # n·p + thickness [m]
    motion: wp.array[wp.vec3]  # of the collider at the contact in this step [m]
    friction: wp.array[float]


@wp.struct
class ContactLaw:
    """The numbers of the contact law."""

    stiffness: float  # k_c [N/m]
    slip: float  # ε_v h [m]


@wp.func
def friction_per_slip(slip: float, full_slip: float):
    """f₁(|u|)/|u| [1/m] of the smoothed Coulomb law; 2/(ε_v h) at rest: no division by zero."""
    z = slip / full_slip
    ratio = 2.0 - z
    if z > 1.0:
        ratio = 1.0 / z
    return ratio / full_slip


@wp.func
def contact_force_hessian(
    x: wp.vec3,
    x_start: wp.vec3,
    normal: wp.vec3,
    depth: float,
    motion: wp.vec3,
    friction: float,
    law: ContactLaw,
):
    """-∂E/∂x [N] and ∂²E/∂x² [N/m] of one contact that is `depth` > 0 deep."""
    load = law.stiffness * depth
    slip = x - x_start - motion
    slip -= wp.dot(slip, normal) * normal
    drag = friction * load * friction_per_slip(wp.length(slip), law.slip)
    force = load * normal - drag * slip
    hessian = wp.outer((law.stiffness - drag) * normal, normal) + wp.mat33(
        drag, 0.0, 0.0, 0.0, drag, 0.0, 0.0, 0.0, drag
    )
    return force, hessian


@wp.func
def contacts_force_hessian(
    i: int, x: wp.vec3, x_start: wp.vec3, contacts: Contacts, law: ContactLaw
):
    """Force [N], Hessian block [N/m] and number of contacts that touch vertex i at x."""
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    touching = int(0)
    first = i * contacts.slots
    for k in range(first, first + contacts.count[i]):
        normal = contacts.normal[k]
        depth = contacts.offset[k] - wp.dot(normal, x)
        if depth > 0.0:
            f, h = contact_force_hessian(
                x, x_start, normal, depth, contacts.motion[k], contacts.friction[k], law
            )
            force += f
            hessian += h
            touching += 1
    return force, hessian, touching
