# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders: planes, spheres and bowls, known by their distance alone.

They follow the contact law of law.py. A step never crosses one; a vertex that begins behind one is
led out (leading_out.py).
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..embedding import Embedding, surface_functions
from .law import ContactLaw, extend_active_set, force_stiffness, tangential
from .leading_out import lead_out
from .state import ContactState

PLANE = wp.constant(0)
SPHERE = wp.constant(1)
BOWL = wp.constant(2)

# Distance [m] of a collider that acts nowhere near.
FAR = wp.constant(1.0e30)
# Part of the distance to a collider that a step may go, and what it always leaves of the contact
# distance.
KEPT = wp.constant(0.9)
FLOOR = wp.constant(1.0e-3)
# What rounding may do at most to a distance, as a part of all numbers that it is found from.
ROUNDING = wp.constant(1.0e-6)
# Part of a clearance that rounding leaves of it.
CAUTION = wp.constant(0.99)


@wp.struct
class AnalyticColliders:
    """Arrays per collider."""

    kind: wp.array[int]
    center: wp.array[wp.vec3]  # or a point of the plane [m]
    normal: wp.array[wp.vec3]  # of a plane, or up out of a bowl
    size: wp.array[float]  # radius [m]
    friction: wp.array[float]
    step_time: float  # h [s]


@wp.struct
class ContactModel:
    """What contact acts by, but for the pairs."""

    law: ContactLaw
    state: ContactState
    colliders: AnalyticColliders
    embedding: Embedding
    # The body of each vertex, and how far the deepest free vertex of each body is behind each
    # collider when the step begins [m], [collider * body].
    body: wp.array[int]
    depth: wp.array[float]
    # Whether any free vertex of the body is in front then.
    is_in_front: wp.array[int]
    bodies: int
    # Where surfaces are embedded: how far each vertex and all that move what it carries may go from
    # where the step began without coming as near as the contact distance [m], [vertex].
    clearance: wp.array[float]


@wp.func
def direction_and_distance(colliders: AnalyticColliders, k: int, x: wp.vec3):
    """(n, d): the unit direction away from collider k, and how far x is in front of it [m]."""
    r = x - colliders.center[k]
    kind = colliders.kind[k]
    normal = colliders.normal[k]
    distance = wp.dot(normal, r)
    if kind != PLANE:
        far = wp.length(r)
        if kind == SPHERE:
            distance = far - colliders.size[k]
            if far > 0.0:
                normal = r / far
        elif distance < 0.0:  # below the rim of a bowl
            distance = colliders.size[k] - far
            if far > 0.0:
                normal = -r / far
        else:
            distance = FAR
    return wp.vec4(normal[0], normal[1], normal[2], distance)


@wp.func
def least_height(colliders: AnalyticColliders, k: int, radius: float, x: wp.vec3):
    """How far in front of collider k a surface vertex at x always stays [m]."""
    size = wp.length(x) + wp.length(colliders.center[k]) + colliders.size[k]
    return FLOOR * radius + ROUNDING * size


@wp.func
def fraction_above(height: float, fall: float, floor: float):
    """The fraction in [0, 1] of a step that leaves something of a height over a collider [m], and
    no less than `floor`, when the step takes `fall` of it.
    """
    fraction = float(1.0)
    if fall > KEPT * height or fall > height - floor:
        fraction = wp.max(wp.min(KEPT * height, height - floor), 0.0) / fall
    return wp.where(fall > 0.0, fraction, 1.0)


@wp.func
def may_reach(colliders: AnalyticColliders, k: int, low: wp.vec3, high: wp.vec3):
    """Whether anything in a box may be behind collider k."""
    center = colliders.center[k]
    normal = colliders.normal[k]
    a = wp.cw_mul(normal, low - center)
    b = wp.cw_mul(normal, high - center)
    lowest = wp.min(a, b)
    height = lowest[0] + lowest[1] + lowest[2]
    kind = colliders.kind[k]
    if kind == PLANE:
        return height <= 0.0
    if kind == SPHERE:
        aside = wp.max(wp.max(low - center, center - high), wp.vec3(0.0))
        return wp.length(aside) <= colliders.size[k]
    farthest = wp.max(wp.abs(low - center), wp.abs(high - center))
    return height <= 0.0 and wp.length(farthest) >= colliders.size[k]


@wp.func
def encloses(colliders: AnalyticColliders, k: int):
    """Whether collider k is around what it keeps: there its distance falls by more than the
    approach to its tangent plane.
    """
    return colliders.kind[k] == BOWL


@wp.func
def seen_from(s: int, x: wp.vec3, k: int, model: ContactModel):
    """The `direction_and_distance` of surface vertex s, at x, from collider k. What is beside a
    bowl, with all of its body, is nothing to it.
    """
    near = direction_and_distance(model.colliders, k, x)
    if near[3] < 0.0 and encloses(model.colliders, k):
        if model.is_in_front[k * model.bodies + model.body[s]] == 0:
            near[3] = FAR
    return near


@wp.func
def collider_force_hessian(
    s: int, x: wp.vec3, step: wp.vec3, x_start: wp.vec3, model: ContactModel
):
    """Force [N], Hessian block [N/m] and number of the colliders that surface vertex s touches
    after `step`, at x, which these are (`extend_active_set`), and how far it may go [m] without
    changing that.
    """
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    touching = int(0)
    active_set = int(0)
    margin = float(wp.inf)
    colliders = model.colliders
    radius = model.state.radius[s] + model.state.multiplier[s]
    stiffness = model.state.stiffness[s]
    count = colliders.kind.shape[0]
    if model.state.hidden[s] != 0:
        count = 0
    for k in range(count):
        near = seen_from(s, x, k, model)
        normal = wp.vec3(near[0], near[1], near[2])
        later = near[3] + wp.dot(normal, step)
        begun = seen_from(s, x_start, k, model)
        if near[3] >= FAR:
            above = wp.dot(colliders.normal[k], x - colliders.center[k])
            margin = wp.where(above >= 0.0, wp.min(margin, above), margin)
            continue
        if begun[3] >= FAR and near[3] < 0.0:
            # It has come over the rim of a bowl, and down outside.
            margin = wp.min(margin, -near[3])
            continue
        if begun[3] < 0.0:
            depth = model.depth[k * model.bodies + model.body[s]]
            out, slope, room = lead_out(
                begun[3], near[3], later, depth, radius, colliders.step_time
            )
            lead = model.state.lead[s]
            force += (lead * out) * normal
            hessian += (lead * slope) * wp.outer(normal, normal)
            margin = wp.min(margin, room)
            touching += 1
            active_set = extend_active_set(active_set, wp.where(slope > 0.0, k, count + k))
            continue
        margin = wp.min(margin, wp.abs(near[3] - radius))
        if later < radius:
            friction = wp.sqrt(colliders.friction[k] * model.state.friction[s])
            pulled = model.state.pulled[k * model.state.radius.shape[0] + s]
            motion = x - x_start + tangential(pulled, normal)
            f, along, drag = force_stiffness(
                normal, near[3], radius, motion, friction, stiffness, model.law
            )
            force += f
            hessian += along * wp.outer(normal, normal) + drag * wp.identity(n=3, dtype=float)
            touching += 1
            active_set = extend_active_set(active_set, k)
    return force, hessian, touching, active_set, margin


@wp.func
def height_in_bowl(r: wp.vec3, end: wp.vec3, up: wp.vec3, size: float, floor: float):
    """How far in front of the wall of a bowl [m] a step from r, below the rim, to `end` leads, both
    seen from the center; higher than `floor` above the rim, too, unless it leads over that inside
    of the wall.
    """
    depth = -wp.dot(up, r)
    above = wp.dot(up, end)
    if above >= floor and wp.length(wp.lerp(r, end, depth / (depth + above))) < size:
        return FAR
    return size - wp.length(end)


@wp.func
def began_in_bowl(colliders: AnalyticColliders, k: int, x_start: wp.vec3, floor: float):
    """Whether bowl k kept a vertex where the substep began."""
    r = x_start - colliders.center[k]
    return wp.dot(colliders.normal[k], r) < floor and wp.length(r) < colliders.size[k]


@wp.func
def fraction_back_to_bowl(above: float, fall: float, inside: float, outwards: float, floor: float):
    """The fraction in [0, 1] that a vertex which has left a bowl may take of a step: it stays above
    the rim, over which it is so high [m], or inside of the wall, from which it is so far. All of
    the step takes `fall` and `outwards` of these.
    """
    fraction = fraction_above(above, fall, floor)
    if inside > 0.0:
        fraction = wp.max(fraction, fraction_above(inside, outwards, floor))
    return fraction


@wp.func
def fraction_in_front(s: int, x: wp.vec3, step: wp.vec3, x_start: wp.vec3, model: ContactModel):
    """The fraction in [0, 1] of `step` that does not take surface vertex s, which began the substep
    at x_start, through a collider.
    """
    fraction = float(1.0)
    colliders = model.colliders
    for k in range(colliders.kind.shape[0]):
        near = direction_and_distance(colliders, k, x)
        floor = least_height(colliders, k, model.state.radius[s], x)
        if near[3] > 0.0 and model.state.hidden[s] == 0:
            r, end = x - colliders.center[k], x + step - colliders.center[k]
            up, size = colliders.normal[k], colliders.size[k]
            if near[3] >= FAR:
                if began_in_bowl(colliders, k, x_start, floor):
                    far = wp.length(r)
                    back = fraction_back_to_bowl(
                        wp.dot(up, r), -wp.dot(up, step), size - far, wp.length(end) - far, floor
                    )
                    fraction = wp.min(fraction, back)
            else:
                # Outside of a sphere the distance falls at most by the approach to its tangent
                # plane, elsewhere at most in proportion to what it falls by in all.
                fall = -wp.dot(wp.vec3(near[0], near[1], near[2]), step)
                if encloses(colliders, k):
                    fall = near[3] - height_in_bowl(r, end, up, size, floor)
                fraction = wp.min(fraction, fraction_above(near[3], fall, floor))
    return fraction


@wp.func
def keep_in_front(i: int, x: wp.vec3, step: wp.vec3, x_start: wp.vec3, model: ContactModel):
    """What of `step` does not take vertex i, which began the substep at x_start, through a
    collider.
    """
    return fraction_in_front(i, x, step, x_start, model) * step


@dataclass(frozen=True)
class ColliderForces:
    """What analytic colliders do to a vertex, and the fraction of a step they let it take."""

    force_hessian: wp.Function
    fraction: wp.Function


@cache
def collider_forces(width: int) -> ColliderForces:
    """The `ColliderForces` of scenes whose embedded points, on which they act, have so many
    corners, or 0.
    """
    surface, embedded = surface_functions(width), width > 0

    @wp.func
    def colliders_force_hessian(
        i: int,
        x: wp.array[wp.vec3],
        step: wp.vec3,
        x_start: wp.array[wp.vec3],
        model: ContactModel,
    ):
        """As `collider_force_hessian`, of all of the surface that moves with vertex i."""
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        touching = int(0)
        active_set = int(0)
        margin = float(wp.inf)
        gone = float(0.0)
        begin, end = surface.carried_range(i, model.embedding)
        if wp.static(embedded):
            gone = surface.farthest(i, x, x_start, model.embedding)
            far = CAUTION * model.clearance[i] - gone
            if far > wp.length(step):
                return force, hessian, touching, active_set, far
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if wp.static(embedded):
                far = CAUTION * model.clearance[s] - gone
                if far > wp.length(step):
                    margin = wp.min(margin, far)
                    continue
            weight = surface.share(slot, model.embedding)
            begun = surface.position(s, x_start, model.embedding)
            now = surface.position(s, x, model.embedding)
            f, h, count, number, near = collider_force_hessian(s, now, weight * step, begun, model)
            force += weight * f
            hessian += (weight * weight) * h
            touching += count
            if count > 0:
                active_set = extend_active_set(extend_active_set(active_set, slot), number)
            margin = wp.min(margin, near)
        return force, hessian, touching, active_set, margin

    @wp.func
    def colliders_fraction(
        i: int,
        x: wp.array[wp.vec3],
        step: wp.vec3,
        x_start: wp.array[wp.vec3],
        model: ContactModel,
    ):
        """As `fraction_in_front`, when of what carries its surface vertex i alone moves."""
        fraction = float(1.0)
        needed = wp.length(step) / (CAUTION * KEPT)
        begin, end = surface.carried_range(i, model.embedding)
        if wp.static(embedded):
            needed += surface.farthest(i, x, x_start, model.embedding)
            if model.clearance[i] > needed:
                end = begin
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if wp.static(embedded):
                if model.clearance[s] > needed:
                    continue
            weight = surface.share(slot, model.embedding)
            begun = surface.position(s, x_start, model.embedding)
            now = surface.position(s, x, model.embedding)
            fraction = wp.min(fraction, fraction_in_front(s, now, weight * step, begun, model))
        return fraction

    return ColliderForces(colliders_force_hessian, colliders_fraction)
