# SPDX-License-Identifier: GPL-3.0-or-later
"""One rigid step of every island of bodies: to where its momentum belongs.

A rigid motion u + θ × r of an island changes no elastic energy. What is left of G is inertia, which
is quadratic, and the contacts with what is no part of the island:

    Σ w (y − x − δ) + Σ f_c(x + δ) = 0,   Σ w r × (y − x − δ) + Σ r × f_c(x + δ) = 0,  w = m/h²,

solved by Newton's method in 6 unknowns. A step that overshoots along itself is drawn back by the
rule of false position. Friction follows the loads of the step: it takes no more of the momentum
than the coefficient times what the contacts carry in the end.
"""

import warp as wp

from .chunks import Chunks
from .contact.analytic_colliders import ContactModel, collider_force_hessian, keep_in_front
from .contact.law import force_stiffness
from .contact.pair_forces import Contacts
from .contact.pairs import Touch, gap_of
from .embedding import point_position
from .guess import THIN, rotation_matrix
from .islands import Islands, Moments, origin_of
from .options import QUICK

wp.set_module_options(QUICK)

# An island is solved when a step would gain less than this part of what the first one did, ...
SOLVED = wp.constant(wp.float64(1.0e-10))
# ... or moves it by less than this [m].
STILL = wp.constant(wp.float64(1.0e-10))
# The most evaluations of its contacts.
PASSES = wp.constant(12)
# A step is drawn back where the slope at its end has risen to this part of what it fell by, ...
OVERSHOT = wp.constant(wp.float64(0.25))
# ... to no less than this part of it.
LEAST_PART = wp.constant(wp.float64(0.1))


@wp.struct
class RigidSteps:
    """Newton's method for every island, at its first body; all [body]."""

    weight: wp.array[wp.float64]  # Σ w [N/m]
    tensor: wp.array[wp.mat33d]  # Σ w (r² − r rᵀ) [N m]
    push: wp.array[wp.vec3d]  # Σ w (y − x) [N]
    spin: wp.array[wp.vec3d]  # Σ w r × (y − x) [N m]
    shift: wp.array[wp.vec3d]  # of the last step [m]
    turn: wp.array[wp.vec3d]  # of the last step [rad]
    gain: wp.array[wp.float64]  # slope along the last step [J], 0 where it was drawn back
    first_gain: wp.array[wp.float64]
    passes: wp.array[int]
    goes_on: wp.array[int]


@wp.struct
class ContactSums:
    """Sums over chunks of surface vertices: contact forces [N], torques [N m] about the center of
    the island, and the blocks of their stiffness along u and θ.
    """

    force: wp.array[wp.vec3d]
    torque: wp.array[wp.vec3d]
    along: wp.array[wp.mat33d]
    mixed: wp.array[wp.mat33d]
    around: wp.array[wp.mat33d]


@wp.kernel
def begin_rigid_steps(
    chunks: Chunks,
    x: wp.array[wp.vec3],
    moments: Moments,
    # in and out
    islands: Islands,
    # out
    steps: RigidSteps,
):
    """Inertia of every free island and the momenta it lacks. One thread per body, the first of an
    island works.
    """
    b = wp.tid()
    steps.goes_on[b] = 0
    if islands.island[b] != b or islands.held[b] != 0:
        return
    weight = wp.float64(0.0)
    center = wp.vec3d()
    push = wp.vec3d()
    spin = wp.vec3d()
    spread = wp.mat33d()
    for other in range(b, chunks.first.shape[0] - 1):
        if islands.island[other] == b:
            for chunk in range(chunks.first[other], chunks.first[other + 1]):
                weight += moments.weight[chunk]
                center += moments.center[chunk]
                push += moments.shift[chunk]
                spin += moments.spin[chunk]
                spread += moments.spread[chunk]
    if not weight > wp.float64(0.0):
        return
    center /= weight
    spin -= wp.cross(center, push)
    spread -= weight * wp.outer(center, center)
    size = wp.trace(spread)
    one = wp.identity(n=3, dtype=wp.float64)
    steps.weight[b] = weight
    steps.tensor[b] = size * (wp.float64(1.0) + THIN) * one - spread
    steps.push[b] = push
    steps.spin[b] = spin
    steps.gain[b] = wp.float64(0.0)
    steps.passes[b] = 0
    steps.goes_on[b] = 1
    islands.center[b] = origin_of(b, chunks, x) + center
    islands.shift[b] = wp.vec3d()
    islands.turn[b] = wp.vec3d()


@wp.func
def of_island(v: int, island: int, body: wp.array[int], islands: Islands):
    """Whether surface vertex v belongs to an island."""
    return islands.island[body[v]] == island


@wp.func
def is_first_inside(touch: Touch, corner: int, island: int, body: wp.array[int], islands: Islands):
    """Whether a corner of a pair is the first that belongs to the island, and not all do."""
    inside = int(0)
    outside = int(0)
    first = int(-1)
    for c in range(4):
        if touch.weights[c] != 0.0:
            if of_island(touch.vertices[c], island, body, islands):
                inside += 1
                if first < 0:
                    first = int(c)
            else:
                outside += 1
    return first == corner and outside > 0


@wp.func
def touch_force(touch: Touch, gap: wp.vec3, model: ContactModel):
    """Force [N] on side A of a pair, and a, b [N/m] of its stiffness a n nᵀ + b I."""
    distance = wp.dot(touch.normal, gap)
    force = wp.vec3(0.0)
    along = float(0.0)
    drag = float(0.0)
    if touch.separates != 0:
        force = (touch.stiffness * (touch.radius - distance)) * touch.normal
        along = touch.stiffness
    elif distance < touch.radius:
        force, along, drag = force_stiffness(
            touch.normal,
            distance,
            touch.radius,
            gap - touch.start_gap,
            touch.friction,
            touch.stiffness,
            model.law,
        )
    return force, along, drag


@wp.func
def stiffness_of(normal: wp.vec3, along: float, drag: float):
    """a n nᵀ + b I [N/m]."""
    one = wp.identity(n=3, dtype=float)
    return wp.mat33d(along * wp.outer(normal, normal) + drag * one)


@wp.kernel
def add_contacts(
    first: int,
    chunks: Chunks,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    body: wp.array[int],
    contacts: Contacts,
    model: ContactModel,
    islands: Islands,
    steps: RigidSteps,
    # out
    sums: ContactSums,
):
    """Contacts of a chunk with what is outside of its island, where that has got to."""
    chunk = first + wp.tid()
    island = islands.island[chunks.owner[chunk]]
    if steps.goes_on[island] == 0:
        return
    center = islands.center[island]
    shift = islands.shift[island]
    turn = islands.turn[island]
    force = wp.vec3d()
    torque = wp.vec3d()
    along = wp.mat33d()
    mixed = wp.mat33d()
    around = wp.mat33d()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        s = chunks.vertex[q]
        if model.colliders.kind.shape[0] > 0 and model.state.hidden[s] == 0:
            r = wp.vec3d(x[s]) - center
            begun = x_start[s]
            if s >= model.embedding.first:
                begun = point_position(s, x_start, model.embedding)
            now = wp.vec3(wp.vec3d(x[s]) + shift + wp.cross(turn, r))
            f, h, count, _active_set, _margin = collider_force_hessian(
                s, now, wp.vec3(0.0), begun, model
            )
            if count > 0:
                k = wp.mat33d(h)
                arm = wp.skew(r)
                force += wp.vec3d(f)
                torque += wp.cross(r, wp.vec3d(f))
                along += k
                mixed -= k * arm
                around -= arm * k * arm
        begin = int(0)
        end = int(0)
        if contacts.start.shape[0] > 0:
            begin = contacts.start[s]
            end = contacts.end[s]
        for p in range(begin, end):
            entry = contacts.entry[p]
            touch = contacts.touches[entry >> 2]
            if is_first_inside(touch, entry & 3, island, body, islands):
                weight = wp.float64(0.0)
                r = wp.vec3d()
                for c in range(4):
                    if of_island(touch.vertices[c], island, body, islands):
                        w = wp.float64(touch.weights[c])
                        weight += w
                        r += w * (wp.vec3d(x[touch.vertices[c]]) - center)
                gap = gap_of(touch, x, x[s]) + wp.vec3(weight * shift + wp.cross(turn, r))
                f, a, b = touch_force(touch, gap, model)
                if a > 0.0:
                    k = stiffness_of(touch.normal, a, b)
                    arm = wp.skew(r)
                    force += weight * wp.vec3d(f)
                    torque += wp.cross(r, wp.vec3d(f))
                    along += (weight * weight) * k
                    mixed -= weight * (k * arm)
                    around -= arm * k * arm
    sums.force[chunk] = force
    sums.torque[chunk] = torque
    sums.along[chunk] = along
    sums.mixed[chunk] = mixed
    sums.around[chunk] = around


@wp.kernel
def take_rigid_steps(
    chunks: Chunks,
    sums: ContactSums,
    # in and out
    islands: Islands,
    steps: RigidSteps,
    # out
    goes_on: wp.array[int],
):
    """The next step of every island, or back from the last. One thread per body, the first of an
    island works.
    """
    b = wp.tid()
    if steps.goes_on[b] == 0:
        return
    weight = steps.weight[b]
    along = weight * wp.identity(n=3, dtype=wp.float64)
    around = steps.tensor[b]
    mixed = wp.mat33d()
    force = steps.push[b] - weight * islands.shift[b]
    torque = steps.spin[b] - around * islands.turn[b]
    for other in range(b, chunks.first.shape[0] - 1):
        if islands.island[other] == b:
            for chunk in range(chunks.first[other], chunks.first[other + 1]):
                force += sums.force[chunk]
                torque += sums.torque[chunk]
                along += sums.along[chunk]
                mixed += sums.mixed[chunk]
                around += sums.around[chunk]
    steps.passes[b] = steps.passes[b] + 1
    slope = wp.dot(force, steps.shift[b]) + wp.dot(torque, steps.turn[b])
    gain = steps.gain[b]
    if gain > wp.float64(0.0) and not slope > -OVERSHOT * gain:
        part = wp.max(gain / (gain - slope), LEAST_PART)
        islands.shift[b] = islands.shift[b] - (wp.float64(1.0) - part) * steps.shift[b]
        islands.turn[b] = islands.turn[b] - (wp.float64(1.0) - part) * steps.turn[b]
        steps.gain[b] = wp.float64(0.0)
    elif steps.passes[b] < PASSES:
        inverse = wp.inverse(along)
        left = around - wp.transpose(mixed) * inverse * mixed
        turn = wp.vec3d()
        if wp.determinant(left) > wp.float64(0.0):
            turn = wp.inverse(left) * (torque - wp.transpose(mixed) * inverse * force)
        shift = inverse * (force - mixed * turn)
        gain = wp.dot(force, shift) + wp.dot(torque, turn)
        if steps.passes[b] == 1:
            steps.first_gain[b] = gain
        if gain > wp.max(SOLVED * steps.first_gain[b], STILL * STILL * weight):
            islands.shift[b] = islands.shift[b] + shift
            islands.turn[b] = islands.turn[b] + turn
            steps.shift[b] = shift
            steps.turn[b] = turn
            steps.gain[b] = gain
        else:
            steps.goes_on[b] = 0
    if steps.passes[b] >= PASSES:
        steps.goes_on[b] = 0
    if steps.goes_on[b] != 0:
        goes_on[0] = 1


@wp.kernel
def move_islands(
    first: int,
    x: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    model: ContactModel,
    # out
    candidate: wp.array[wp.vec3],
):
    """Where free islands should have got. One thread per free vertex."""
    i = first + wp.tid()
    start = x[i]
    step = wp.vec3(0.0)
    island = islands.island[owner[i]]
    if islands.held[island] == 0:
        arm = wp.vec3d(start) - islands.center[island]
        turned = rotation_matrix(islands.turn[island]) * arm
        step = wp.vec3(islands.shift[island] + (turned - arm))
    if not wp.isfinite(step):
        step = wp.vec3(0.0)
    candidate[i] = start + keep_in_front(i, start, step, model)
