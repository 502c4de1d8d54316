# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of single vertices that do not lead through analytic colliders."""

import warp as wp

from ...device.options import QUICK
from ..analytic_colliders import AnalyticColliders, ContactModel, direction_and_distance

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
def fraction_in_front(s: int, x: wp.vec3, step: wp.vec3, model: ContactModel):
    """The fraction in [0, 1] of `step` that does not take surface vertex s through a collider."""
    fraction = float(1.0)
    colliders = model.colliders
    for k in range(colliders.kind.shape[0]):
        near = direction_and_distance(colliders, k, x)
        if near[3] > 0.0 and model.state.hidden[s] == 0:
            floor = least_height(colliders, k, model.state.radius[s], x)
            # The distance falls at most by the approach to the tangent plane.
            fall = -wp.dot(wp.vec3(near[0], near[1], near[2]), step)
            fraction = wp.min(fraction, fraction_above(near[3], fall, floor))
    return fraction


@wp.func
def keep_in_front(i: int, x: wp.vec3, step: wp.vec3, model: ContactModel):
    """The part of `step` that does not take vertex i through a collider."""
    return fraction_in_front(i, x, step, model) * step
