# SPDX-License-Identifier: GPL-3.0-or-later
"""One rigid step of every island of bodies, which restores its momentum.

A rigid motion x' = c + u + R (x − c) of an island changes no elastic energy. The other terms of G
are inertia and external contacts, with anything outside of the island:

    Σ w (y − x') + Σ f(x') = 0,   Σ w R r × (y − x') + Σ R r × f(x') = 0,   w = m/h², r = x − c,

solved by Newton's method in 6 unknowns; c is the center of mass, so that the torque of inertia is
the axial vector of R Σ w r (y − x + r)ᵀ for any u. A step that overshoots is shortened by the rule
of false position. If that does not converge, each step meets contacts that are open at its start:
it is retried from there with the contacts at its end, whose forces pull beyond the contact distance
(an active set, Hintermüller et al. 2002). Otherwise a light body on contacts 10⁶ times as stiff as
its inertia would jump to and fro between its corners, and a body sliding over a mesh would catch on
edges that it only passes. Friction follows the loads of the step: it takes no more momentum than
the coefficient times the final load of the contacts.
"""

import warp as wp

from ..descent.guess import rotation_matrix
from ..device.blocks import block_mat33, block_sum, block_vec3, is_last_block
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from .islands import Islands, Moments, origin_of
from .wrench import Wrench, axial

wp.set_module_options(OPTIONS)

# An island is solved if a step would gain less than this fraction of the first gain, ...
SOLVED = wp.constant(wp.float64(1.0e-10))
# ... or moves it by less than this [m].
STILL = wp.constant(wp.float64(1.0e-8))
# Fraction of the trace of an inertia tensor that is added to it: a straight body may turn freely
# about its own axis, but in small steps.
THIN = wp.constant(wp.float64(1.0e-6))
# The most evaluations of its contacts.
PASSES = wp.constant(40)
# A step is shortened if the slope at its end has risen to this fraction of the initial fall, ...
OVERSHOT = wp.constant(wp.float64(0.25))
# ... to no less than this fraction of it.
LEAST_FRACTION = wp.constant(wp.float64(0.1))
# An island that does not converge stays at its start if the energy of inertia has risen by more
# than this many times the first gain. A contact at its start has less than 7 times that to give: ½
# where the law is linear, ½ + ln(r/2d) beyond.
MOST_RISE = wp.constant(wp.float64(10.0))
# After this many passes, which suffice for friction on a mesh, a step is retried first, ...
RETRY_AFTER = wp.constant(18)
# ... this many times.
RETRIES = wp.constant(3)


@wp.struct
class RigidStepArrays:
    """State of Newton's method for every island, at its first body; all [body]."""

    weight: wp.array[wp.float64]  # Σ w [N/m]
    tensor: wp.array[wp.mat33d]  # Σ w (r² − r rᵀ) [N m]
    push: wp.array[wp.vec3d]  # Σ w (y − x) [N]
    moment: wp.array[wp.mat33d]  # Σ w r (y − x + r)ᵀ [N m]
    shift: wp.array[wp.vec3d]  # of the last step [m]
    turn: wp.array[wp.vec3d]  # of the last step [rad]
    gain: wp.array[wp.float64]  # slope along the last step [J], 0 where it was shortened
    first_gain: wp.array[wp.float64]
    passes: wp.array[int]
    retries: wp.array[int]  # number of retries of the step from here
    is_retry: wp.array[int]  # 1 in a retry: contacts are those at the end of the last step
    is_active: wp.array[int]


@wp.func
def sum_of(one: Wrench, other: Wrench):
    """The sum of two wrenches."""
    one.force += other.force
    one.torque += other.torque
    one.along += other.along
    one.mixed += other.mixed
    one.around += other.around
    return one


@wp.func
def block_wrench(total: Wrench):
    """Return the sum of wrenches over the threads of a block."""
    total.force = block_vec3(total.force)
    total.torque = block_vec3(total.torque)
    total.along = block_mat33(total.along)
    total.mixed = block_mat33(total.mixed)
    total.around = block_mat33(total.around)
    return total


@wp.kernel
def begin_rigid_steps(
    chunks: Chunks,
    x: wp.array[wp.vec3],
    moments: Moments,
    # in and out
    islands: Islands,
    # out
    steps: RigidStepArrays,
    any_active: wp.array[int],
):
    """Set the inertia of every free island and the momenta that it lacks. One block per body, that
    of the first one of an island works.
    """
    b, lane = wp.tid()
    if lane == 0:
        any_active[0] = 1
        steps.is_active[b] = 0
    if islands.island[b] != b or islands.held[b] != 0:
        return
    weight = wp.float64(0.0)
    center = wp.vec3d()
    push = wp.vec3d()
    mixed = wp.mat33d()
    spread = wp.mat33d()
    for other in range(b, chunks.first.shape[0] - 1):
        if islands.island[other] == b:
            for chunk in range(chunks.first[other] + lane, chunks.first[other + 1], wp.block_dim()):
                weight += moments.weight[chunk]
                center += moments.center[chunk]
                push += moments.shift[chunk]
                mixed += moments.mixed[chunk]
                spread += moments.spread[chunk]
    weight, mixed, spread = block_sum(weight), block_mat33(mixed), block_mat33(spread)
    center, push = block_vec3(center), block_vec3(push)
    if lane > 0 or not weight > wp.float64(0.0):
        return
    center /= weight
    mixed -= wp.outer(center, push)
    spread -= weight * wp.outer(center, center)
    size = wp.trace(spread)
    one = wp.identity(n=3, dtype=wp.float64)
    steps.weight[b] = weight
    steps.tensor[b] = size * (wp.float64(1.0) + THIN) * one - spread
    steps.push[b] = push
    steps.moment[b] = mixed + spread
    steps.gain[b] = wp.float64(0.0)
    steps.passes[b] = 0
    steps.retries[b] = 0
    steps.is_retry[b] = 0
    steps.is_active[b] = 1
    islands.center[b] = origin_of(b, chunks, x) + center
    islands.shift[b] = wp.vec3d()
    islands.turn[b] = one


@wp.kernel
def move_surface(
    first: int,
    x: wp.array[wp.vec3],
    body: wp.array[int],
    islands: Islands,
    steps: RigidStepArrays,
    # in and out
    moved: wp.array[wp.vec3],
):
    """Set surface vertices to the current step of their islands. One thread per vertex."""
    s = first + wp.tid()
    island = islands.island[body[s]]
    if steps.is_active[island] != 0:
        r = islands.turn[island] * (wp.vec3d(x[s]) - islands.center[island])
        moved[s] = wp.vec3(islands.center[island] + islands.shift[island] + r)


@wp.func
def shorten(b: int, fraction: wp.float64, islands: Islands, steps: RigidStepArrays):
    """Shorten the last step to a fraction of it."""
    back = fraction - wp.float64(1.0)
    islands.shift[b] = islands.shift[b] + back * steps.shift[b]
    islands.turn[b] = rotation_matrix(back * steps.turn[b]) * islands.turn[b]
    steps.gain[b] = wp.float64(0.0)


@wp.func
def rise_of_inertia(b: int, islands: Islands, steps: RigidStepArrays):
    """Rise of ½ Σ w |x' − y|² [J] by the motion of an island since its start."""
    u = islands.shift[b]
    one = wp.identity(n=3, dtype=wp.float64)
    along = wp.dot(wp.float64(0.5) * steps.weight[b] * u - steps.push[b], u)
    return along - wp.trace((islands.turn[b] - one) * steps.moment[b])


@wp.func
def newton_step(
    weight: wp.float64, tensor: wp.mat33d, force: wp.vec3d, torque: wp.vec3d, contacts: Wrench
):
    """Shift [m] and turn [rad] of a step by a force and a torque: six equations."""
    inverse = wp.inverse(weight * wp.identity(n=3, dtype=wp.float64) + contacts.along)
    back = wp.transpose(contacts.mixed) * inverse
    left = tensor + contacts.around - back * contacts.mixed
    turn = wp.vec3d()
    if wp.determinant(left) > wp.float64(0.0):
        turn = wp.inverse(left) * (torque - back * force)
    return inverse * (force - contacts.mixed * turn), turn


@wp.func
def take_rigid_step(b: int, reduced: wp.array[Wrench], islands: Islands, steps: RigidStepArrays):
    """Take the next step of island b by the wrenches of its bodies, or shorten the last."""
    total = Wrench()
    for other in range(b, islands.island.shape[0]):
        if islands.island[other] == b:
            total = sum_of(total, reduced[other])
    weight = steps.weight[b]
    force = total.force + steps.push[b] - weight * islands.shift[b]
    torque = total.torque + axial(islands.turn[b] * steps.moment[b])
    steps.passes[b] = steps.passes[b] + 1
    slope = wp.dot(force, steps.shift[b]) + wp.dot(torque, steps.turn[b])
    gain = steps.gain[b]
    is_retry = steps.is_retry[b] != 0
    steps.is_retry[b] = 0
    if not is_retry and gain > wp.float64(0.0) and not slope > -OVERSHOT * gain:
        fraction = wp.float64(0.0)
        if steps.passes[b] > RETRY_AFTER and steps.retries[b] < RETRIES:
            steps.retries[b] = steps.retries[b] + 1
            steps.is_retry[b] = 1
        elif steps.passes[b] < PASSES:
            steps.retries[b] = 0
            fraction = wp.max(gain / (gain - slope), LEAST_FRACTION)
        shorten(b, fraction, islands, steps)
    elif steps.passes[b] < PASSES:
        if not is_retry:
            steps.retries[b] = 0
        shift, turn = newton_step(weight, steps.tensor[b], force, torque, total)
        gain = wp.dot(force, shift) + wp.dot(torque, turn)
        if steps.passes[b] == 1:
            steps.first_gain[b] = gain
        if gain > wp.max(SOLVED * steps.first_gain[b], STILL * STILL * weight):
            islands.shift[b] = islands.shift[b] + shift
            islands.turn[b] = rotation_matrix(turn) * islands.turn[b]
            steps.shift[b] = shift
            steps.turn[b] = turn
            steps.gain[b] = gain
        else:
            steps.is_active[b] = 0
    if steps.passes[b] >= PASSES:
        steps.is_active[b] = 0
        if rise_of_inertia(b, islands, steps) > MOST_RISE * steps.first_gain[b]:
            islands.shift[b] = wp.vec3d()
            islands.turn[b] = wp.identity(n=3, dtype=wp.float64)


@wp.kernel
def take_rigid_steps(
    chunks: Chunks,
    sums: wp.array[Wrench],
    # in and out
    reduced: wp.array[Wrench],
    ended: wp.array[int],
    islands: Islands,
    steps: RigidStepArrays,
    # out
    any_active: wp.array[int],
):
    """Sum up the wrenches of the chunks of every body, and take the next step of every island, or
    shorten the last. One block per body; the last one takes the steps.
    """
    b, lane = wp.tid()
    if steps.is_active[islands.island[b]] != 0:
        total = Wrench()
        for chunk in range(chunks.first[b] + lane, chunks.first[b + 1], wp.block_dim()):
            total = sum_of(total, sums[chunk])
        total = block_wrench(total)
        if lane == 0:
            reduced[b] = total
    count = chunks.first.shape[0] - 1
    if is_last_block(count, ended):
        active = int(0)
        for island in range(lane, count, wp.block_dim()):
            if steps.is_active[island] != 0:
                take_rigid_step(island, reduced, islands, steps)
                active += steps.is_active[island]
        active = int(block_sum(wp.float64(active)))
        if lane == 0:
            any_active[0] = active
