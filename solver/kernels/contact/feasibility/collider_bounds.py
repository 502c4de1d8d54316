# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of single vertices' steps in front of analytic colliders."""

import warp as wp

from ...device.options import OPTIONS
from ..analytic_colliders import AnalyticColliders, ContactModel, direction_and_distance

wp.set_module_options(OPTIONS)

# Fraction of the distance to a collider that a step may take, and fraction of the contact distance
# that always remains.
SAFETY = wp.constant(0.9)
FLOOR = wp.constant(1.0e-3)
# Largest rounding of a distance, as a fraction of all numbers that it is computed from.
ROUNDING = wp.constant(1.0e-6)


@wp.func
def least_height(colliders: AnalyticColliders, k: int, radius: float, x: wp.vec3):
    """Return how far in front of collider k a surface vertex at x always stays [m]."""
    size = wp.length(x) + wp.length(colliders.now.center[k]) + colliders.now.size[k]
    return FLOOR * radius + ROUNDING * size


@wp.func
def fraction_above(height: float, fall: float, floor: float):
    """Return the fraction in [0, 1] of a step that leaves something of a height over a collider
    [m], and no less than `floor`, when the step takes `fall` of it.
    """
    fraction = float(1.0)
    if fall > SAFETY * height or fall > height - floor:
        fraction = wp.max(wp.min(SAFETY * height, height - floor), 0.0) / fall
    return wp.where(fall > 0.0, fraction, 1.0)


@wp.func
def fraction_in_front(s: int, x: wp.vec3, step: wp.vec3, model: ContactModel):
    """Return the fraction in [0, 1] of `step` that keeps surface vertex s in front of colliders."""
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
    """Return `step` shortened so that vertex i stays in front of colliders."""
    return fraction_in_front(i, x, step, model) * step
