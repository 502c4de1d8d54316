# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of single vertices that do not lead through analytic colliders."""

import warp as wp

from ..options import QUICK
from .analytic_colliders import (
    FAR,
    AnalyticColliders,
    ContactModel,
    direction_and_distance,
    encloses,
)

wp.set_module_options(QUICK)

# Part of the distance to a collider that a step may go, and what it always leaves of the contact
# distance.
KEPT = wp.constant(0.9)
FLOOR = wp.constant(1.0e-3)
# What rounding may do at most to a distance, as a part of all numbers that it is found from.
ROUNDING = wp.constant(1.0e-6)


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
