# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces and torques on a rigid body: contacts of its surface and attachments, in one sum.

A force f with the stiffness H at the arm a from the center adds

    F += f,  τ += a × f,  K_uu += H,  K_uθ −= H [a]ₓ,  K_θθ −= [a]ₓ H [a]ₓ

A contact pair or a row of an attachment acts once, at the weighted sum of its corners on the body.
"""

from functools import cache

import warp as wp

from ..contact.analytic_colliders import (
    CLEARANCE_FACTOR,
    ContactModel,
    collider_force_hessian,
)
from ..contact.law import extend_active_set
from ..contact.pair_forces import Contacts, pair_force_hessian
from ..contact.pairs import Touch, exact_gap
from ..device.lanes import are_not_zero
from ..device.options import OPTIONS
from ..groups.wrench import Wrench, add_force
from ..lattice.embedding import Embedding, surface_functions
from ..scene.attachments import Attachments, row_force_hessian

wp.set_module_options(OPTIONS)

# Two bodies of one color that touch each assume that the other takes an equal part: their
# stiffness counts twice (kernels/contact/pair_forces.py).
BOTH_MOVE = wp.constant(2.0)


@wp.struct
class RigidStep:
    """A step of a body at a place: rounded, as the forces are."""

    first: int  # its first vertex
    center: wp.vec3d  # [m]
    shift: wp.vec3  # [m]
    angle: wp.vec3  # [rad]
    color: wp.vec2i  # vertices that move at the same time


@wp.struct
class RigidForces:
    """Sums over all that acts on a body."""

    wrench: Wrench
    touching: int
    active_set: int  # a hash of the active contacts
    margin: float  # distance [m] that points may move without changing it


@wp.func
def displacement_at(step: RigidStep, arm: wp.vec3d):
    """Return the displacement [m] of a point at an arm from the center."""
    return step.shift + wp.cross(step.angle, wp.vec3(arm))


@wp.func
def is_of(v: int, step: RigidStep, embedding: Embedding):
    """Return whether a surface vertex belongs to the body of a step."""
    if v < embedding.first:
        return v >= step.first and v < step.first + 4
    return embedding.corners[(v - embedding.first) * embedding.width] == step.first


@wp.func
def moves_too(v: int, step: RigidStep, embedding: Embedding):
    """Return whether a surface vertex is on another rigid body that moves at the same time."""
    if v < embedding.first:
        return False
    corner = embedding.corners[(v - embedding.first) * embedding.width]
    return corner >= step.color[0] and corner < step.color[1]


@wp.func
def side_of(touch: Touch, step: RigidStep, embedding: Embedding):
    """Return, of a pair, the first corner on the body with a weight, ±1 for its side, and whether a
    body on the other side moves at the same time: the sides of a pair belong to one body each.
    """
    first = int(-1)
    weight = float(0.0)
    both = int(0)
    for c in range(4):
        v = touch.vertices[c]
        if is_of(v, step, embedding):
            weight += touch.weights[c]
            if first < 0 and touch.weights[c] != 0.0:
                first = int(c)
        elif moves_too(v, step, embedding):
            both = 1
    return first, wp.sign(weight), both


@wp.func
def arm_of(
    touch: Touch, weight: float, step: RigidStep, x: wp.array[wp.vec3], embedding: Embedding
):
    """Return the arm [m] of the closest point of a pair on the body."""
    arm = wp.vec3d()
    for c in range(4):
        v = touch.vertices[c]
        if is_of(v, step, embedding):
            arm += wp.float64(weight * touch.weights[c]) * (wp.vec3d(x[v]) - step.center)
    return arm


@wp.func
def add_pair(
    k: int,
    step: RigidStep,
    x: wp.array[wp.vec3],
    contacts: Contacts,
    model: ContactModel,
    total: RigidForces,
):
    """Return `total` plus the pair of entry k, if it belongs to the first of its corners here."""
    embedding = model.embedding
    touch = contacts.touches[contacts.entry[k] >> 2]
    first, weight, both = side_of(touch, step, embedding)
    if first != (contacts.entry[k] & 3):
        return total
    arm = arm_of(touch, weight, step, x, embedding)
    gap = exact_gap(touch.weights, touch.vertices, x)
    beyond = wp.dot(touch.normal, gap) - touch.radius
    share = wp.where(both != 0, BOTH_MOVE, 1.0)
    closing = weight * wp.dot(touch.normal, displacement_at(step, arm))
    total.margin = wp.min(total.margin, wp.abs(beyond) / share)
    after = beyond + share * closing
    separates = are_not_zero(touch.separates)
    if after < 0.0 or touch.separates != 0:
        f, h = pair_force_hessian(touch, weight, share, gap, separates, model.law)
        total.wrench = add_force(f, h, arm, total.wrench)
        total.touching += 1
        total.active_set = extend_active_set(total.active_set, k)
    return total


@cache
def forces_function(width: int, colliders: bool, attachments: bool) -> wp.Function:
    """Return the function that adds up the forces on a body, in scenes whose embedded points have
    `width` corners, with or without analytic `colliders` and `attachments`.
    """
    surface = surface_functions(width)

    @wp.func
    def add_colliders(
        s: int,
        moved: float,
        step: RigidStep,
        x: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        model: ContactModel,
        total: RigidForces,
    ):
        """Return `total` plus the contacts of point s with analytic colliders; the body has `moved`
        by at most that in this substep [m].
        """
        now = surface.position(s, x, model.embedding)
        arm = wp.vec3d(now) - step.center
        d = displacement_at(step, arm)
        slack = CLEARANCE_FACTOR * model.clearance[s] - moved
        if slack > wp.length(d):
            total.margin = wp.min(total.margin, slack)
            return total
        start = surface.position(s, x_start, model.embedding)
        f, h, count, number, near = collider_force_hessian(s, now, d, start, model)
        total.margin = wp.min(total.margin, near)
        if count > 0:
            total.wrench = add_force(f, h, arm, total.wrench)
            total.touching += count
            total.active_set = extend_active_set(extend_active_set(total.active_set, s), number)
        return total

    @wp.func
    def add_rows(
        step: RigidStep, x: wp.array[wp.vec3], attachments: Attachments, total: RigidForces
    ):
        """Return `total` plus the rows of attachments that hold the body."""
        for k in range(4):
            i = step.first + k
            for q in range(attachments.start[i], attachments.start[i + 1]):
                r = attachments.row[q]
                row = attachments.rows[r]
                first = int(-1)
                weight = float(0.0)
                share = float(1.0)
                arm = wp.vec3d()
                for c in range(row.begin, row.end):
                    v = attachments.corner[c]
                    if v >= step.first and v < step.first + 4:
                        if first < 0:
                            first = v
                        weight += attachments.share[c]
                        arm += wp.float64(attachments.share[c]) * (wp.vec3d(x[v]) - step.center)
                    elif v >= step.color[0] and v < step.color[1]:
                        share = BOTH_MOVE
                if first == i and weight != 0.0:
                    f, h = row_force_hessian(r, x, attachments)
                    scaled = share * weight * weight
                    total.wrench = add_force(
                        weight * f, scaled * h, arm / wp.float64(weight), total.wrench
                    )
        return total

    @wp.func
    def forces_on_body(
        points: wp.vec2i,
        step: RigidStep,
        x: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        contacts: Contacts,
        rows: Attachments,
        model: ContactModel,
    ):
        """Return the `RigidForces` on a body with the embedded points from points[0] up to
        points[1], by the contacts that are active after `step`.
        """
        total = RigidForces()
        total.margin = float(wp.inf)
        moved = float(0.0)
        if wp.static(colliders):
            for k in range(4):
                i = step.first + k
                moved = wp.max(moved, wp.length(x[i] - x_start[i]))
        for s in range(points[0], points[1]):
            for k in range(contacts.start[s], contacts.end[s]):
                total = add_pair(k, step, x, contacts, model, total)
            if wp.static(colliders):
                total = add_colliders(s, moved, step, x, x_start, model, total)
        if wp.static(attachments):
            total = add_rows(step, x, rows, total)
        return total

    return forces_on_body
