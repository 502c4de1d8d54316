# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of rigid bodies: along the arc c + t u, exp(t θ) R, with one fraction t for all of a body.

Truncation sees straight steps of the four points, from one end of the arc to the other, and adds
how far the arc bulges beyond them (kernels/lattice/embedding.py).
"""

import warp as wp

from ..contact.feasibility.plane_bounds import BISECTIONS, distance_from_path
from ..contact.feasibility.truncation import BY_ANALYTIC, BY_PAIR, RIGID
from ..contact.feasibility.trust_regions import Regions
from ..device.options import OPTIONS
from .poses import (
    RigidArrays,
    angle_of,
    fitted_turn,
    image,
    is_image,
    middle_of,
    part_of_turn,
    sign_of,
    tensor_of,
    turned_by,
)

wp.set_module_options(OPTIONS)

# Rounding of a fraction in float32.
ROUNDED = wp.constant(1.2e-7)

# Distance that counts as none beside contact distances: half of what they always leave.
NEGLIGIBLE = wp.constant(5.0e-4)

# Largest rounding of a coordinate in float32, in several operations.
ROUNDING = wp.constant(wp.float64(2.0e-7))


@wp.func
def stays(first: int, x: wp.array[wp.vec3], candidate: wp.array[wp.vec3]):
    """Return whether no candidate of the four points from `first` on is elsewhere."""
    same = bool(True)
    for k in range(4):
        if not (candidate[first + k] == x[first + k]):
            same = False
    return same


@wp.kernel
def make_rigid(
    first: int,
    x: wp.array[wp.vec3],
    # in and out
    bodies: RigidArrays,
    candidate: wp.array[wp.vec3],
    # out
    bend: wp.array[wp.vec3],
):
    """Set the step of every body from number `first` on: the closest to the candidates of its
    four points, which become its end. One thread per body.
    """
    b = first + wp.tid()
    at = bodies.first + 4 * b
    center, turn, root = bodies.center[b], bodies.turn[b], bodies.root[b]
    end_turn = turned_by(bodies.angle[b], turn)
    if is_image(at, center + bodies.shift[b], end_turn, root, candidate):
        end = center  # a step that is known in float64
    elif stays(at, x, candidate):
        bodies.shift[b] = wp.vec3d()
        bodies.angle[b] = wp.vec3d()
    else:
        end = middle_of(at, candidate)
        angle = angle_of(fitted_turn(at, end, root, candidate) * wp.transpose(turn))
        part = part_of_turn(angle)
        bodies.shift[b] = part * (end - center)
        bodies.angle[b] = part * angle
        end_turn = turned_by(part * angle, turn)
        for k in range(4):
            candidate[at + k] = image(k, center + bodies.shift[b], end_turn, root)
    bend[b] = wp.vec3(bodies.angle[b])


@wp.func
def is_in_regions(b: int, t: wp.float64, bodies: RigidArrays, regions: Regions):
    """Return whether a fraction t of the arc of body b ends in the regions of its points."""
    center = bodies.center[b] + t * bodies.shift[b]
    turn = turned_by(t * bodies.angle[b], bodies.turn[b])
    inside = bool(True)
    for k in range(4):
        i = bodies.first + 4 * b + k
        offset = image(k, center, turn, bodies.root[b]) - regions.x_search[i]
        if distance_from_path(offset, regions.path[i]) > regions.radius[i]:
            inside = False
    return inside


@wp.func
def fraction_in_regions(b: int, fraction: float, bodies: RigidArrays, regions: Regions):
    """Return a fraction of the arc of body b, at most that given, which ends in the regions of its
    points: these hold the straight step, and the arc bulges beyond it.
    """
    high = wp.float64(fraction)
    if is_in_regions(b, high, bodies, regions):
        return fraction
    low = wp.float64(0.0)
    for _ in range(BISECTIONS):
        middle = wp.float64(0.5) * (low + high)
        if is_in_regions(b, middle, bodies, regions):
            low = middle
        else:
            high = middle
    return float(low) * (1.0 - ROUNDED)  # stays in the regions in float32


@wp.kernel
def take_arcs(
    first: int,
    candidate: wp.array[wp.vec3],
    regions: Regions,
    # in and out
    bodies: RigidArrays,
    fraction: wp.array[float],
    cut: wp.array[int],
    # out
    x: wp.array[wp.vec3],
    stuck: wp.array[int],
):
    """Move every body from number `first` on along its arc, by the least fraction that its
    four points may take; stuck[RIGID] shows that a pair has ended a step. `left` of the body is
    what its `candidate` is then away. One thread per body.
    """
    b = first + wp.tid()
    at = bodies.first + 4 * b
    least = float(1.0)
    reason = int(0)
    for k in range(4):
        if cut[at + k] != 0 and (reason == 0 or fraction[at + k] < least):
            least = fraction[at + k]
            reason = cut[at + k]
    if least < 1.0:
        least = fraction_in_regions(b, least, bodies, regions)
    if reason == BY_PAIR:
        stuck[RIGID] = 1
    t = wp.float64(least)
    bodies.shift[b] = t * bodies.shift[b]
    bodies.angle[b] = t * bodies.angle[b]
    if least > 0.0 and wp.length_sq(bodies.shift[b]) + wp.length_sq(bodies.angle[b]) > wp.float64(
        0.0
    ):
        bodies.center[b] = bodies.center[b] + bodies.shift[b]
        bodies.turn[b] = turned_by(bodies.angle[b], bodies.turn[b])
    for k in range(4):
        fraction[at + k] = least
        cut[at + k] = reason
        x[at + k] = image(k, bodies.center[b], bodies.turn[b], bodies.root[b])
    bodies.shift[b] = wp.vec3d()
    bodies.angle[b] = wp.vec3d()
    left = float(0.0)
    moved = float(0.0)
    start = bodies.start_center[b]
    for k in range(4):
        begin = image(k, start, bodies.start_turn[b], bodies.root[b])
        if reason != 0 and reason != BY_ANALYTIC:
            left = wp.max(left, wp.length(candidate[at + k] - x[at + k]))
        moved = wp.max(moved, wp.length(x[at + k] - begin))
    bodies.left[b] = left
    bodies.moved[b] = moved


@wp.kernel
def take_all(
    first: int,
    # in and out
    bodies: RigidArrays,
    x: wp.array[wp.vec3],
):
    """Move every body from number `first` on to the end of its step. One thread per body."""
    b = first + wp.tid()
    bodies.center[b] = bodies.center[b] + bodies.shift[b]
    bodies.turn[b] = turned_by(bodies.angle[b], bodies.turn[b])
    bodies.shift[b] = wp.vec3d()
    bodies.angle[b] = wp.vec3d()
    for k in range(4):
        x[bodies.first + 4 * b + k] = image(k, bodies.center[b], bodies.turn[b], bodies.root[b])


@wp.kernel
def follow_points(
    # in and out
    bodies: RigidArrays,
    x: wp.array[wp.vec3],
):
    """Let the pose of every body follow its four points, where other stages have moved these, and
    make them rigid again. Moves as small as the rounding of the points do not count: momenta would
    follow them. One thread per body.
    """
    b = wp.tid()
    first = bodies.first + 4 * b
    root = bodies.root[b]
    if is_image(first, bodies.center[b], bodies.turn[b], root, x):
        return
    center = middle_of(first, x)
    if not wp.isfinite(center):
        center = bodies.center[b]
    turn = fitted_turn(first, center, root, x)
    angle = angle_of(turn * wp.transpose(bodies.turn[b]))
    rounding = ROUNDING * wp.length(center)
    for k in range(4):
        rounding = wp.max(rounding, ROUNDING * wp.length(wp.vec3d(x[first + k])))
    moved = wp.length(center - bodies.center[b]) + wp.length(root * sign_of(0)) * wp.length(angle)
    if wp.isfinite(angle) and moved > rounding:
        bodies.turn[b] = turn
        bodies.center[b] = center
    for k in range(4):
        x[first + k] = image(k, bodies.center[b], bodies.turn[b], root)


@wp.kernel
def project_forces(
    x: wp.array[wp.vec3],
    bodies: RigidArrays,
    # in and out
    force: wp.array[wp.vec3],
):
    """Replace the forces [N] on the four points of every body by those that accelerate them like
    its force and torque; 0 where animation leads. One thread per body.
    """
    b = wp.tid()
    first = bodies.first + 4 * b
    center = middle_of(first, x)
    mass = wp.float64(0.25) * bodies.mass[b]
    total = wp.vec3d()
    torque = wp.vec3d()
    second = wp.mat33d()
    for k in range(4):
        arm = wp.vec3d(x[first + k]) - center
        total += wp.vec3d(force[first + k])
        torque += wp.cross(arm, wp.vec3d(force[first + k]))
        second += mass * wp.outer(arm, arm)
    rate = wp.inverse(tensor_of(second)) * torque
    if bodies.driven[b] != 0:
        total = wp.vec3d()
        rate = wp.vec3d()
    for k in range(4):
        arm = wp.vec3d(x[first + k]) - center
        force[first + k] = wp.vec3(wp.float64(0.25) * total + mass * wp.cross(rate, arm))


@wp.kernel
def refuse_part_of_turn(
    bodies: RigidArrays,
    number: wp.array[int],
    points: wp.array[wp.vec2i],
    size: wp.array[float],
    radius: wp.array[float],
    island: wp.array[int],
    turn: wp.array[wp.mat33d],
    # in and out
    least: wp.array[float],
):
    """Let the island of a body stay where it would take a fraction of a large turn: its points take
    fractions of straight steps, which make the body smaller, and a rigid one cannot follow them.
    One thread per body.
    """
    b = wp.tid()
    i = island[number[b]]
    if least[i] < 1.0:
        angle = float(wp.length(angle_of(turn[i])))
        too_small = 0.125 * size[b] * angle * angle
        if too_small > NEGLIGIBLE * radius[points[b][0]]:
            least[i] = 0.0
