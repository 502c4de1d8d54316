# SPDX-License-Identifier: GPL-3.0-or-later
"""Beginning and end of a substep of rigid bodies: where inertia leads them, and their momenta.

    c̃ = c + h v + h² g,   h ℓ = R_½ I R_½ᵀ θ,   R_½ = exp(θ/2) R,   R̃ = exp(θ) R

The rotation is that of the implicit midpoint rule with the angular momentum ℓ as its state, which
free flight does not change. At the end v = (c − cᵗ)/h, and ℓ loses what the forces of the substep
have taken: ℓ ← ℓ − axial(R J R̃ᵀ)/h.
"""

import warp as wp

from ..descent.guess import rotation_matrix
from ..device.options import OPTIONS
from ..groups.wrench import axial
from .poses import (
    RigidArrays,
    angle_of,
    image,
    middle_of,
    part_of_turn,
    sign_of,
    tensor_of,
    turned_by,
)

wp.set_module_options(OPTIONS)

# Passes of the midpoint rule: each gains about two digits at a tenth of a turn.
PASSES = wp.constant(6)
HALF = wp.constant(wp.float64(0.5))


@wp.func
def inertia_of(b: int, turn: wp.mat33d, bodies: RigidArrays):
    """Return the inertia tensor of body b in an orientation [kg m²]."""
    return turn * tensor_of(bodies.second[b]) * wp.transpose(turn)


@wp.func
def free_turn(b: int, h: wp.float64, bodies: RigidArrays):
    """Return R̃, the orientation after a substep of free flight."""
    turn = bodies.turn[b]
    back = wp.inverse(tensor_of(bodies.second[b]))
    angle = turn * back * wp.transpose(turn) * (h * bodies.momentum[b])
    for _ in range(PASSES):
        middle = rotation_matrix(HALF * angle) * turn
        angle = middle * back * wp.transpose(middle) * (h * bodies.momentum[b])
    return turned_by(angle, turn)


@wp.func
def lead(b: int, fraction: wp.float64, bodies: RigidArrays):
    """Set the target of a driven body, at a `fraction` [1] of the frame."""
    center = bodies.lead_center[0, b]
    bodies.target_center[b] = center + fraction * (bodies.lead_center[1, b] - center)
    turn = bodies.lead_turn[0, b]
    angle = angle_of(bodies.lead_turn[1, b] * wp.transpose(turn))
    bodies.target_turn[b] = turned_by(fraction * angle, turn)


@wp.kernel
def predict_bodies(
    gravity: wp.array[wp.vec3],
    h: wp.float64,
    keeps_place: int,
    fraction: wp.array[wp.float64],
    x_start: wp.array[wp.vec3],
    # in and out
    bodies: RigidArrays,
    guess: wp.array[wp.vec3],
    # out
    inertial: wp.array[wp.vec3],
):
    """Set the target and the guess of every body. One thread per body.

    The guess begins as that of the four points, whose mean displacement it keeps; it turns like the
    target, unless it `keeps_place`.
    """
    b = wp.tid()
    first = bodies.first + 4 * b
    bodies.start_center[b] = bodies.center[b]
    bodies.start_turn[b] = bodies.turn[b]
    if bodies.driven[b] != 0:
        lead(b, fraction[0], bodies)
    else:
        fall = h * bodies.velocity[b] + (h * h) * wp.vec3d(gravity[0])
        bodies.target_center[b] = bodies.center[b] + fall
        bodies.target_turn[b] = free_turn(b, h, bodies)
    shift = middle_of(first, guess) - middle_of(first, x_start)
    angle = angle_of(bodies.target_turn[b] * wp.transpose(bodies.turn[b]))
    turn = turned_by(part_of_turn(angle) * angle, bodies.turn[b])
    if bodies.driven[b] != 0:
        shift = bodies.target_center[b] - bodies.center[b]
    if keeps_place != 0:
        turn = bodies.turn[b]
    root = bodies.root[b]
    for k in range(4):
        inertial[first + k] = image(k, bodies.target_center[b], bodies.target_turn[b], root)
        guess[first + k] = image(k, bodies.center[b] + shift, turn, root)


@wp.kernel
def take_forces(
    h: wp.float64,
    before: wp.array[wp.vec3],
    # in and out
    bodies: RigidArrays,
    inertial: wp.array[wp.vec3],
):
    """Let fields and air, which have moved the inertial positions of the four points from `before`,
    move the targets of free bodies. One thread per body.
    """
    b = wp.tid()
    first = bodies.first + 4 * b
    push = wp.vec3d()
    twist = wp.vec3d()
    for k in range(4):
        change = wp.vec3d(inertial[first + k]) - wp.vec3d(before[first + k])
        push += wp.float64(0.25) * change
        arm = bodies.turn[b] * (bodies.root[b] * sign_of(k))
        twist += (wp.float64(0.25) * bodies.mass[b] / h) * wp.cross(arm, change)
    if bodies.driven[b] == 0 and wp.isfinite(push) and wp.isfinite(twist):
        bodies.target_center[b] = bodies.target_center[b] + push
        bodies.momentum[b] = bodies.momentum[b] + twist
        bodies.target_turn[b] = free_turn(b, h, bodies)
    for k in range(4):
        inertial[first + k] = image(
            k, bodies.target_center[b], bodies.target_turn[b], bodies.root[b]
        )


@wp.kernel
def finish_bodies(
    h: wp.float64,
    asleep: wp.array[int],
    # in and out
    bodies: RigidArrays,
    # out
    velocity: wp.array[wp.vec3],
):
    """Set velocity and angular momentum of every body, and the velocities of its points. One thread
    per body.
    """
    b = wp.tid()
    first = bodies.first + 4 * b
    turn = bodies.turn[b]
    v = (bodies.center[b] - bodies.start_center[b]) / h
    spin = bodies.momentum[b]
    if bodies.driven[b] != 0:
        angle = angle_of(turn * wp.transpose(bodies.start_turn[b]))
        middle = rotation_matrix(HALF * angle) * bodies.start_turn[b]
        spin = inertia_of(b, middle, bodies) * (angle / h)
    else:
        spin -= axial(turn * bodies.second[b] * wp.transpose(bodies.target_turn[b])) / h
    if asleep[first] != 0 or not wp.isfinite(spin) or not wp.isfinite(v):
        v = wp.vec3d()
        spin = wp.vec3d()
    bodies.velocity[b] = v
    bodies.momentum[b] = spin
    rate = wp.inverse(inertia_of(b, turn, bodies)) * spin
    for k in range(4):
        arm = turn * (bodies.root[b] * sign_of(k))
        velocity[first + k] = wp.vec3(v + wp.cross(rate, arm))
