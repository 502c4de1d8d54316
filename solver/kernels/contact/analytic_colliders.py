# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders: planes and spheres, known by their distance alone; a box is six planes.

They follow the contact law of law.py. A step never crosses one (collider_bounds.py); a vertex that
begins behind one is pushed out (push_out.py). A new kind needs its `direction_and_distance` and
`may_reach` here and its `least_height` there. It has to be convex: it lies behind its tangent
planes.
"""

import warp as wp

from ..lattice.embedding import Embedding
from .contact_state import ContactState
from .initial.push_out import push_out_force
from .law import ContactLaw, extend_active_set, force_stiffness, tangential

PLANE = wp.constant(0)
SPHERE = wp.constant(1)

# Fraction of a clearance that remains for certain in spite of rounding.
CLEARANCE_FACTOR = wp.constant(0.99)


@wp.struct
class AnalyticColliders:
    """Arrays per collider."""

    kind: wp.array[int]
    center: wp.array[wp.vec3]  # or a point of the plane [m]
    normal: wp.array[wp.vec3]  # of a plane; the direction at the center of a sphere
    size: wp.array[float]  # radius [m]
    friction: wp.array[float]
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
def direction_and_distance(colliders: AnalyticColliders, k: int, x: wp.vec3):
    """Return (n, d): the unit direction away from collider k, and the distance of x to it [m]."""
    r = x - colliders.center[k]
    normal = colliders.normal[k]
    distance = wp.dot(normal, r)
    if colliders.kind[k] == SPHERE:
        far = wp.length(r)
        distance = far - colliders.size[k]
        if far > 0.0:
            normal = r / far
    return wp.vec4(normal[0], normal[1], normal[2], distance)


@wp.func
def may_reach(colliders: AnalyticColliders, k: int, low: wp.vec3, high: wp.vec3):
    """Return whether any point of a box may be behind collider k."""
    center = colliders.center[k]
    if colliders.kind[k] == SPHERE:
        aside = wp.max(wp.max(low - center, center - high), wp.vec3(0.0))
        return wp.length(aside) <= colliders.size[k]
    normal = colliders.normal[k]
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
        at_start = direction_and_distance(colliders, k, x_start)
        if at_start[3] < 0.0:
            depth = model.depth[k * model.bodies + model.body[s]]
            push, slope, slack = push_out_force(
                at_start[3], near[3], later, depth, radius, colliders.step_time
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
            motion = x - x_start + tangential(pulled, normal)
            f, along, drag = force_stiffness(
                normal, near[3], radius, motion, friction, stiffness, model.law
            )
            force += f
            hessian += along * wp.outer(normal, normal) + drag * wp.identity(n=3, dtype=float)
            touching += 1
            active_set = extend_active_set(active_set, k)
    return force, hessian, touching, active_set, margin
