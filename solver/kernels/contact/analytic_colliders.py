# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders: planes and spheres, known by their distance alone; a box is six planes.

They follow the contact law of law.py. A step never crosses one (collider_bounds.py); a vertex that
begins behind one is pushed out (push_out.py). A new kind needs its `direction_and_distance` and
`may_reach` here and its `least_height` there. It has to be convex: it lies behind its tangent
planes.
"""

import warp as wp

from ..lattice.embedding import Embedding
from .contact_state import ContactState, static_friction
from .initial.push_out import push_out_force
from .law import ContactLaw, extend_active_set, force_stiffness, slides, tangential

PLANE = wp.constant(0)
SPHERE = wp.constant(1)

# Fraction of a clearance that remains for certain in spite of rounding.
CLEARANCE_FACTOR = wp.constant(0.99)


@wp.struct
class ColliderPlaces:
    """Places of colliders, arrays per collider."""

    center: wp.array[wp.vec3]  # or a point of the plane [m]
    normal: wp.array[wp.vec3]  # of a plane; the direction at the center of a sphere
    size: wp.array[float]  # radius [m]


@wp.struct
class AnalyticColliders:
    """Arrays per collider. Places at the start of the step and at its end differ from those of now
    only where a collider `moves`: then all of it moves by `shift` + `turn` (x - start.center) since
    the start of the step.
    """

    kind: wp.array[int]
    now: ColliderPlaces
    start: ColliderPlaces
    goal: ColliderPlaces
    moves: wp.array[int]
    any_moves: int
    turn: wp.array[wp.mat33]
    shift: wp.array[wp.vec3]  # [m]
    friction: wp.array[float]
    static_friction: wp.array[float]
    step_time: float  # h [s]


@wp.struct
class ContactModel:
    """Inputs of all contact forces besides the pairs."""

    law: ContactLaw
    state: ContactState
    colliders: AnalyticColliders
    embedding: Embedding
    # The body of each vertex, and the depth of the deepest free vertex of each body behind each
    # collider at the start of the step [m], [collider * body].
    body: wp.array[int]
    depth: wp.array[float]
    bodies: int
    # With embedded surfaces: displacement since the start of the step within which a vertex and
    # the others that move its points stay beyond the contact distance [m], [vertex].
    clearance: wp.array[float]


@wp.func
def direction_and_distance_at(kind: int, places: ColliderPlaces, k: int, x: wp.vec3):
    """Return (n, d): the unit direction away from collider k in a place, and the distance of x to
    it [m].
    """
    r = x - places.center[k]
    normal = places.normal[k]
    distance = wp.dot(normal, r)
    if kind == SPHERE:
        far = wp.length(r)
        distance = far - places.size[k]
        if far > 0.0:
            normal = r / far
    return wp.vec4(normal[0], normal[1], normal[2], distance)


@wp.func
def direction_and_distance(colliders: AnalyticColliders, k: int, x: wp.vec3):
    """Return `direction_and_distance_at` the place where collider k is now."""
    return direction_and_distance_at(colliders.kind[k], colliders.now, k, x)


@wp.func
def distance_at_start(colliders: AnalyticColliders, k: int, x_start: wp.vec3):
    """Return the distance [m] to collider k at the start of the step."""
    return direction_and_distance_at(colliders.kind[k], colliders.start, k, x_start)[3]


@wp.func
def carried_along(colliders: AnalyticColliders, k: int, x_start: wp.vec3):
    """Return where a point at x_start would be if it had moved with collider k in this step."""
    carried = x_start
    if colliders.moves[k] != 0:
        carried += colliders.shift[k] + colliders.turn[k] * (x_start - colliders.start.center[k])
    return carried


@wp.func
def approach(colliders: AnalyticColliders, k: int, x: wp.vec3, near: wp.vec4):
    """Return by how much the distance of x to collider k falls at most on its way to its goal [m],
    if `near` is the direction and distance of now. It may be negative.
    """
    normal = wp.vec3(near[0], near[1], near[2])
    if colliders.kind[k] != SPHERE:
        normal = colliders.goal.normal[k]
    at_goal = wp.dot(normal, x - colliders.goal.center[k]) - colliders.goal.size[k]
    return near[3] - at_goal


@wp.func
def may_reach(colliders: AnalyticColliders, k: int, low: wp.vec3, high: wp.vec3):
    """Return whether any point of a box may be behind collider k."""
    center = colliders.now.center[k]
    if colliders.kind[k] == SPHERE:
        aside = wp.max(wp.max(low - center, center - high), wp.vec3(0.0))
        return wp.length(aside) <= colliders.now.size[k]
    normal = colliders.now.normal[k]
    lowest = wp.min(wp.cw_mul(normal, low - center), wp.cw_mul(normal, high - center))
    return lowest[0] + lowest[1] + lowest[2] <= 0.0


@wp.func
def collider_force_hessian(
    s: int, x: wp.vec3, step: wp.vec3, x_start: wp.vec3, model: ContactModel
):
    """Return the force [N], Hessian block [N/m] and number of the colliders that surface vertex s
    touches after `step`, at x, their active set (`extend_active_set`), and the distance [m] that it
    may move without changing that set.
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
        near = direction_and_distance(colliders, k, x)
        normal = wp.vec3(near[0], near[1], near[2])
        later = near[3] + wp.dot(normal, step)
        at_start = distance_at_start(colliders, k, x_start)
        if at_start < 0.0:
            depth = model.depth[k * model.bodies + model.body[s]]
            push, slope, slack = push_out_force(
                at_start, near[3], later, depth, radius, colliders.step_time
            )
            push_out_stiffness = model.state.push_out_stiffness[s]
            force += (push_out_stiffness * push) * normal
            hessian += (push_out_stiffness * slope) * wp.outer(normal, normal)
            margin = wp.min(margin, slack)
            touching += 1
            active_set = extend_active_set(active_set, wp.where(slope > 0.0, k, count + k))
            continue
        margin = wp.min(margin, wp.abs(near[3] - radius))
        if later < radius:
            friction = wp.sqrt(colliders.friction[k] * model.state.friction[s])
            pulled = model.state.pulled[k * model.state.radius.shape[0] + s]
            if model.state.static_friction.shape[0] > 0:
                if not slides(pulled, model.law.slip):
                    own = wp.max(colliders.static_friction[k], colliders.friction[k])
                    friction = wp.sqrt(own * static_friction(model.state, s))
            motion = x - carried_along(colliders, k, x_start) + tangential(pulled, normal)
            f, along, drag = force_stiffness(
                normal, near[3], radius, motion, friction, stiffness, model.law
            )
            force += f
            hessian += along * wp.outer(normal, normal) + drag * wp.identity(n=3, dtype=float)
            touching += 1
            active_set = extend_active_set(active_set, k)
    return force, hessian, touching, active_set, margin
