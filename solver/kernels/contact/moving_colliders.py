# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of analytic colliders within a substep, from where they are to their goal.

Like other kinematic surfaces they move between the sweeps, each time only as far as the free
surface in front of it allows; the next sweep makes room. One that lags behind its goal goes on from
there in the next substep.

A plane n·x = o moves by linear interpolation of n and o, so the distance of a fixed point changes
linearly too, up to the length of n, which is at most 1. The distance to a sphere is at least that
to its tangent plane at the nearest point, which moves along with it.
"""

import warp as wp

from ..device.options import OPTIONS
from .analytic_colliders import (
    PLANE,
    AnalyticColliders,
    ColliderPlaces,
    ContactModel,
    approach,
    direction_and_distance,
    direction_and_distance_at,
    distance_at_start,
)
from .feasibility.collider_bounds import SAFETY, least_height
from .feasibility.embedded_collider_bounds import place_of

wp.set_module_options(OPTIONS)


# Least length of an interpolated normal: one that turns around within a frame is 0 on its way.
SHORTEST = wp.constant(1.0e-6)


@wp.struct
class FramePath:
    """Places of colliders at both ends of a frame, and the maps to there from where they are given.
    Homogeneous coordinates [m].
    """

    at_start: ColliderPlaces
    at_end: ColliderPlaces
    map_at_start: wp.array[wp.mat44d]
    map_at_end: wp.array[wp.mat44d]


@wp.struct
class StepPath:
    """Motion of colliders in a substep, arrays per collider."""

    map_at_start: wp.array[wp.mat44d]
    map_at_goal: wp.array[wp.mat44d]
    turn: wp.array[wp.mat33]  # `turn` and `shift` of `AnalyticColliders` at the goal
    shift: wp.array[wp.vec3]
    progress: wp.array[float]  # fraction of the way done; 1 at the goal
    allowed: wp.array[float]  # fraction of the rest of the way that is free


@wp.func
def move_place(
    kind: int,
    k: int,
    a: ColliderPlaces,
    b: ColliderPlaces,
    fraction: float,
    # out
    place: ColliderPlaces,
):
    """Set place k between those of a and b."""
    center = wp.lerp(a.center[k], b.center[k], fraction)
    normal = wp.lerp(a.normal[k], b.normal[k], fraction)
    length = wp.max(wp.length(normal), SHORTEST)
    if kind == PLANE and fraction < 1.0:
        offset_a = wp.dot(a.normal[k], a.center[k])
        offset_b = wp.dot(b.normal[k], b.center[k])
        center = (wp.lerp(offset_a, offset_b, fraction) / (length * length)) * normal
    place.center[k] = center
    place.normal[k] = wp.where(fraction < 1.0, normal / length, b.normal[k])
    place.size[k] = wp.lerp(a.size[k], b.size[k], fraction)


@wp.func
def between(a: wp.mat44d, b: wp.mat44d, fraction: wp.float64):
    """Interpolate linearly between two maps."""
    return (wp.float64(1.0) - fraction) * a + fraction * b


@wp.func
def is_at_goal(colliders: AnalyticColliders, k: int):
    """Return whether collider k is where it is to be at the end of the step."""
    same = colliders.now.center[k] == colliders.goal.center[k]
    same = same and colliders.now.normal[k] == colliders.goal.normal[k]
    return same and colliders.now.size[k] == colliders.goal.size[k]


@wp.kernel
def begin_motion(
    fraction: wp.array[wp.float64],
    frame: FramePath,
    # in and out
    colliders: AnalyticColliders,
    step: StepPath,
):
    """Set start and goal of every collider in a substep that ends at a `fraction` [1] of the frame.
    One thread per collider.
    """
    k = wp.tid()
    if colliders.moves[k] == 0:
        return
    before = between(step.map_at_start[k], step.map_at_goal[k], wp.float64(step.progress[k]))
    goal = between(frame.map_at_start[k], frame.map_at_end[k], fraction[0])
    colliders.start.center[k] = colliders.now.center[k]
    colliders.start.normal[k] = colliders.now.normal[k]
    colliders.start.size[k] = colliders.now.size[k]
    end = float(fraction[0])
    move_place(colliders.kind[k], k, frame.at_start, frame.at_end, end, colliders.goal)
    path = goal * wp.inverse(before) - wp.identity(n=4, dtype=wp.float64)
    center = wp.vec3d(colliders.start.center[k])
    shift = path * wp.vec4d(center[0], center[1], center[2], wp.float64(1.0))
    for i in range(3):
        for j in range(3):
            step.turn[k][i, j] = float(path[i, j])
    step.shift[k] = wp.vec3(float(shift[0]), float(shift[1]), float(shift[2]))
    step.map_at_start[k] = before
    step.map_at_goal[k] = goal
    step.allowed[k] = 1.0
    # One that stays, or turns in its place, is at its goal.
    progress = wp.where(is_at_goal(colliders, k), 1.0, 0.0)
    step.progress[k] = progress
    colliders.turn[k] = progress * step.turn[k]
    colliders.shift[k] = progress * step.shift[k]


@wp.func
def make_way(i: int, x: wp.vec3, step: wp.vec3, model: ContactModel):
    """Return the step of surface vertex i from x, where a substep begins, that also takes it out of
    the way of colliders that move.
    """
    colliders = model.colliders
    for k in range(colliders.kind.shape[0]):
        if colliders.moves[k] != 0 and model.state.hidden[i] == 0:
            at_start = distance_at_start(colliders, k, x)
            near = direction_and_distance_at(colliders.kind[k], colliders.goal, k, x + step)
            missing = wp.min(at_start, model.state.radius[i]) - near[3]
            if at_start > 0.0 and missing > 0.0:
                step += missing * wp.vec3(near[0], near[1], near[2])
    return step


@wp.func
def kept_height(
    colliders: AnalyticColliders,
    k: int,
    s: int,
    x: wp.vec3,
    height: float,
    model: ContactModel,
):
    """Return the height of surface vertex s over collider k that its approach leaves [m]."""
    radius = model.state.radius[s]
    part = (1.0 - SAFETY) * wp.min(height, radius)
    return wp.max(part, least_height(colliders, k, radius, x))


@wp.kernel
def find_free_way(
    shares: int,
    surface_vertices: wp.array[int],
    x: wp.array[wp.vec3],
    model: ContactModel,
    # in and out
    step: StepPath,
):
    """Find the fraction of the rest of its way that every collider may take in front of the
    surface. Threads share the vertices.
    """
    colliders = model.colliders
    for at in range(wp.tid(), surface_vertices.shape[0], shares):
        s = surface_vertices[at]
        place = place_of(s, x, model.embedding)
        for k in range(colliders.kind.shape[0]):
            if colliders.moves[k] != 0 and step.progress[k] < 1.0:
                near = direction_and_distance(colliders, k, place)
                if near[3] > 0.0:
                    fall = approach(colliders, k, place, near)
                    room = near[3] - kept_height(colliders, k, s, place, near[3], model)
                    if fall > room:
                        wp.atomic_min(step.allowed, k, wp.max(room, 0.0) / fall)


@wp.kernel
def go_on(
    # in and out
    colliders: AnalyticColliders,
    step: StepPath,
):
    """Move every collider along the free part of the rest of its way. One without any stays to the
    last bit: repeated rounding would take it through the surface. One thread per collider.
    """
    k = wp.tid()
    free = step.allowed[k]
    if colliders.moves[k] == 0 or step.progress[k] >= 1.0 or free <= 0.0:
        step.allowed[k] = 1.0
        return
    move_place(colliders.kind[k], k, colliders.now, colliders.goal, free, colliders.now)
    progress = wp.where(free < 1.0, wp.lerp(step.progress[k], 1.0, free), 1.0)
    step.progress[k] = progress
    step.allowed[k] = 1.0
    colliders.turn[k] = progress * step.turn[k]
    colliders.shift[k] = progress * step.shift[k]
