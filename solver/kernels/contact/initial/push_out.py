# SPDX-License-Identifier: GPL-3.0-or-later
"""Push-out of bodies that begin in, behind or too near to others.

It slows down, so that bodies do not leave with the speed at which they came out: no more than
BRAKING stops them at the end of their path. Behind an analytic collider a vertex takes at least the
step for its own depth, and at most that of the deepest vertex of its body: a stiff body comes out
as a whole, and is not pressed flat on its way. The push-out is stiffer than the body, so that no
weight stops it.
"""

import warp as wp

from ...device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Deceleration of the push-out [m/s²]; weight alone provides it, so nothing hops.
BRAKING = wp.constant(2.0)


@wp.func
def push_out_step(path: float, h: float):
    """Return the push-out in a step h [s] when the remaining path is so long [m]."""
    return wp.min(h * wp.sqrt(2.0 * BRAKING * path), path)


@wp.func
def push_out_force(
    at_start: float, now: float, later: float, depth: float, radius: float, h: float
):
    """Return the force per stiffness [m] on a vertex that begins a step as far in front of a
    collider as `at_start` < 0, and is `now`; its slope, 0 or 1; and the distance [m] of `now`
    to the change of that slope.

    `later` is where the step ends of which the slope is. `depth` is that of its body.
    """
    least = at_start + push_out_step(radius - at_start, h)
    most = at_start + push_out_step(radius + wp.max(depth, -at_start), h)
    goal = wp.where(later < least, least, most)
    slope = wp.where(later < least or later > most, 1.0, 0.0)
    margin = wp.min(wp.abs(now - least), wp.abs(now - most))
    return slope * (goal - now), slope, margin
