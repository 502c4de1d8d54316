# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of the world: planes, spheres and bowls, known by their distance alone.

They follow the contact law of contact.py. A step never crosses one; a vertex that begins behind one
is led back by a spring to a place that moves out with it, slower and slower, so that it does not
leave with the speed of its way out.
"""

import warp as wp

from ..options import QUICK
from .law import ContactLaw, contact_energy, force_stiffness

wp.set_module_options(QUICK)

PLANE = wp.constant(0)
SPHERE = wp.constant(1)
BOWL = wp.constant(2)

# Contact distance of vertices that no bound acts on.
PASSES = wp.constant(-1.0e30)

# Part of the way to a bound that a step may go, and what it always leaves of the contact distance.
KEPT = wp.constant(0.9)
FLOOR = wp.constant(1.0e-3)
# The last step of a way back in front, as a part of the contact distance.
LAST_STEP = wp.constant(0.25)


@wp.struct
class Bounds:
    """Arrays per bound, and the contact distance [m] and friction of every surface vertex."""

    kind: wp.array[int]
    center: wp.array[wp.vec3]  # or a point of the plane [m]
    normal: wp.array[wp.vec3]  # of a plane, or the way up out of a bowl
    size: wp.array[float]  # radius [m]
    friction: wp.array[float]
    vertex_radius: wp.array[float]
    lift: wp.array[float]  # what more they reach under a load [m]
    vertex_friction: wp.array[float]
    stiffness: wp.array[float]  # of the contacts of every vertex [N/m]
    return_share: float  # part of the way out that a vertex behind a bound takes in a step


@wp.func
def direction_and_distance(bounds: Bounds, k: int, x: wp.vec3):
    """(n, d): the unit direction away from bound k, and how far x is in front of it [m]."""
    r = x - bounds.center[k]
    kind = bounds.kind[k]
    normal = bounds.normal[k]
    distance = wp.dot(normal, r)
    if kind != PLANE:
        far = wp.length(r)
        if kind == SPHERE:
            distance = far - bounds.size[k]
            if far > 0.0:
                normal = r / far
        elif distance < 0.0:  # below the rim of a bowl
            distance = bounds.size[k] - far
            if far > 0.0:
                normal = -r / far
        else:
            distance = 1.0e30
    return wp.vec4(normal[0], normal[1], normal[2], distance)


@wp.func
def bounds_force_hessian(
    i: int, x: wp.vec3, step: wp.vec3, x_start: wp.vec3, bounds: Bounds, law: ContactLaw
):
    """Force [N], Hessian block [N/m] and number of the bounds that vertex i touches after `step`,
    at x, a number that tells which bounds they are, and how far the vertex may go [m] without
    changing that.
    """
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    touching = int(0)
    which = int(0)
    margin = float(wp.inf)
    radius = bounds.vertex_radius[i] + bounds.lift[i]
    stiffness = bounds.stiffness[i]
    for k in range(bounds.kind.shape[0]):
        near = direction_and_distance(bounds, k, x)
        normal = wp.vec3(near[0], near[1], near[2])
        margin = wp.min(margin, wp.abs(near[3] - radius))
        begun = direction_and_distance(bounds, k, x_start)
        if begun[3] < -LAST_STEP * wp.abs(radius):
            goal = begun[3] + wp.max(bounds.return_share * (radius - begun[3]), LAST_STEP * radius)
            force += stiffness * (goal - near[3]) * normal
            hessian += stiffness * wp.outer(normal, normal)
            touching += 1
            which = 31 * which + k + 1
        elif near[3] + wp.dot(normal, step) < radius:
            friction = wp.sqrt(bounds.friction[k] * bounds.vertex_friction[i])
            f, along, drag = force_stiffness(
                normal, near[3], radius, x - x_start, friction, stiffness, law
            )
            force += f
            hessian += along * wp.outer(normal, normal) + drag * wp.identity(n=3, dtype=float)
            touching += 1
            which = 31 * which + k + 1
    return force, hessian, touching, which, margin


@wp.func
def part_in_front(i: int, x: wp.vec3, step: wp.vec3, bounds: Bounds):
    """The part in [0, 1] of `step` that does not take vertex i through a bound."""
    part = float(1.0)
    floor = FLOOR * bounds.vertex_radius[i]
    for k in range(bounds.kind.shape[0]):
        near = direction_and_distance(bounds, k, x)
        if near[3] > 0.0 and near[3] < 1.0e30 and bounds.vertex_radius[i] != PASSES:
            # Outside of a sphere the distance falls at most by the approach to its tangent plane,
            # elsewhere at most in proportion to what it falls by in all.
            fall = -wp.dot(wp.vec3(near[0], near[1], near[2]), step)
            if bounds.kind[k] == BOWL:
                far = direction_and_distance(bounds, k, x + step)
                fall = near[3] - far[3]
            if fall > KEPT * near[3]:
                allowed = wp.max(wp.min(KEPT * near[3], near[3] - floor), 0.0)
                part = wp.min(part, allowed / fall)
    return part


@wp.func
def keep_in_front(i: int, x: wp.vec3, step: wp.vec3, bounds: Bounds):
    """What of `step` does not take vertex i through a bound."""
    return part_in_front(i, x, step, bounds) * step


@wp.kernel
def measure_bounds(
    first: int,
    x: wp.array[wp.vec3],
    bounds: Bounds,
    # out
    energy: wp.array[float],
    depth: wp.array[float],
):
    """Energy [J] of vertices from `first` on at the bounds, and their depth below the contact
    distance [m].
    """
    i = first + wp.tid()
    total = float(0.0)
    deepest = float(0.0)
    radius = bounds.vertex_radius[i]
    reach = radius + bounds.lift[i]
    for k in range(bounds.kind.shape[0]):
        near = direction_and_distance(bounds, k, x[i])
        if near[3] < reach:
            total += contact_energy(near[3], reach, bounds.stiffness[i])
            deepest = wp.max(deepest, radius - near[3])
    energy[i - first] = total
    depth[i - first] = deepest


@wp.kernel
def mark_at_bounds(
    first: int,
    x: wp.array[wp.vec3],
    body: wp.array[int],
    bounds: Bounds,
    # out
    at_bounds: wp.array[int],
):
    """Which bodies touch a bound with vertices from `first` on."""
    i = first + wp.tid()
    for k in range(bounds.kind.shape[0]):
        reach = bounds.vertex_radius[i] + bounds.lift[i]
        if direction_and_distance(bounds, k, x[i])[3] < reach:
            at_bounds[body[i]] = 1
