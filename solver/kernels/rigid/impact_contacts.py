# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of rigid bodies that are hit, where impulses act (impulses.py)."""

import warp as wp

from ..contact.analytic_colliders import (
    AnalyticColliders,
    ContactModel,
    direction_and_distance,
)
from ..contact.detection.pair_counts import OF_EDGES, OF_VERTICES
from ..contact.detection.touches import TOUCHING
from ..contact.pairs import Pair, exact_gap, pair_normal, signed_weights
from ..device.options import OPTIONS
from ..lattice.embedding import point_position
from .hits import Hits, hit_body, is_driven
from .poses import RigidArrays

wp.set_module_options(OPTIONS)


@wp.struct
class Impulses:
    """Contacts of hit bodies, [contact] in no order, and the motion of the bodies, [rigid body]."""

    count: wp.array[int]
    sides: wp.array[wp.vec2i]  # hit bodies on sides A and B, -1 for all others
    normal: wp.array[wp.vec3d]  # from B to A
    arm: wp.array[wp.vec3d]  # of A from its center [m]
    other_arm: wp.array[wp.vec3d]  # of B
    carried: wp.array[wp.vec3d]  # velocity of A against B where these are not hit [m/s]
    friction: wp.array[wp.float64]
    impulse: wp.array[wp.vec3d]  # on A [N s]
    velocity: wp.array[wp.vec3d]  # [m/s]
    before: wp.array[wp.vec3d]  # that of inertia
    spin: wp.array[wp.vec3d]  # [rad/s]
    inverse: wp.array[wp.mat33d]  # of the inertia tensor [1/(kg m²)]


@wp.func
def place_of(v: int, x: wp.array[wp.vec3], model: ContactModel):
    """Return the place of a surface vertex by positions x of vertices [m]."""
    if v < model.embedding.first:
        return x[v]
    return point_position(v, x, model.embedding)


@wp.func
def add_contact(
    sides: wp.vec2i,
    normal: wp.vec3,
    friction: float,
    carried: wp.vec3d,
    impulses: Impulses,
):
    """Append a contact; return its number."""
    k = wp.atomic_add(impulses.count, 0, 1)
    impulses.sides[k] = sides
    impulses.normal[k] = wp.normalize(wp.vec3d(normal))
    impulses.friction[k] = wp.float64(friction)
    impulses.carried[k] = carried
    impulses.impulse[k] = wp.vec3d()
    return k


@wp.kernel
def add_pairs(
    shares: int,
    counts: wp.array[int],
    pairs: wp.array[Pair],
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    inertial: wp.array[wp.vec3],
    model: ContactModel,
    h: wp.float64,
    hits: Hits,
    bodies: RigidArrays,
    # in and out
    impulses: Impulses,
):
    """Append the pairs of hit bodies with each other, and with what animation drives, within their
    contact distance. Those whose force has faded count in full: they end steps as others do.
    """
    for p in range(wp.tid(), counts[OF_VERTICES] + counts[OF_EDGES], shares):
        v = pairs[p].vertices
        one = model.body[v[0]]
        other = model.body[v[3]]
        a = hit_body(one, hits)
        b = hit_body(other, hits)
        if (a < 0 and b < 0) or (a < 0 and not is_driven(one, hits, bodies)):
            continue
        if b < 0 and not is_driven(other, hits, bodies):
            continue
        weights = signed_weights(pairs[p].kind, v, x)
        gap = exact_gap(weights, v, x)
        if not wp.length(gap) < pairs[p].radius:
            continue
        toward = wp.where(wp.length(gap) > TOUCHING * pairs[p].radius, gap, pairs[p].plane_normal)
        normal = pair_normal(pairs[p].kind, weights, v, x, toward)
        arm = wp.vec3d()
        other_arm = wp.vec3d()
        carried = wp.vec3d()
        for c in range(4):
            w = wp.float64(weights[c])
            side = hit_body(model.body[v[c]], hits)
            if side < 0:
                goal = wp.vec3d(place_of(v[c], inertial, model))
                carried += (w / h) * (goal - wp.vec3d(place_of(v[c], x_start, model)))
            elif side == a:
                arm += w * (wp.vec3d(x[v[c]]) - bodies.center[side])
            else:
                other_arm -= w * (wp.vec3d(x[v[c]]) - bodies.center[side])
        k = add_contact(wp.vec2i(a, b), normal, pairs[p].friction, carried, impulses)
        impulses.arm[k] = arm
        impulses.other_arm[k] = other_arm


@wp.func
def carried_by(k: int, x: wp.vec3, h: wp.float64, colliders: AnalyticColliders):
    """Return the velocity [m/s] with which animation moves collider k at x."""
    v = wp.vec3d()
    if colliders.moves[k] != 0:
        path = colliders.goal.center[k] - colliders.start.center[k]
        path += colliders.turn[k] * (x - colliders.start.center[k])
        v = wp.vec3d(path) / h
    return v


@wp.kernel
def add_at_colliders(
    shares: int,
    number: wp.array[int],
    point: wp.array[wp.vec2i],
    x: wp.array[wp.vec3],
    model: ContactModel,
    h: wp.float64,
    hits: Hits,
    bodies: RigidArrays,
    # in and out
    impulses: Impulses,
):
    """Append the contacts of hit bodies with analytic colliders."""
    colliders = model.colliders
    for b in range(wp.tid(), number.shape[0], shares):
        if hit_body(number[b], hits) < 0:
            continue
        for s in range(point[b][0], point[b][1]):
            reach = model.state.radius[s] + model.state.multiplier[s]
            for k in range(colliders.kind.shape[0]):
                near = direction_and_distance(colliders, k, x[s])
                if near[3] < reach and model.state.hidden[s] == 0:
                    normal = wp.vec3(near[0], near[1], near[2])
                    friction = wp.sqrt(colliders.friction[k] * model.state.friction[s])
                    carried = -carried_by(k, x[s], h, colliders)
                    slot = add_contact(wp.vec2i(b, -1), normal, friction, carried, impulses)
                    impulses.arm[slot] = wp.vec3d(x[s]) - bodies.center[b]
