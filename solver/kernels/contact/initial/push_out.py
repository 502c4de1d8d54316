# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast comes out what begins in something, behind it or nearer to it than it may be.

It goes slower and slower, so that it does not leave with the speed at which it came out: no more
than BRAKING is needed to stop it at the end of its path. Behind an analytic collider a vertex takes
at least the pace that its own depth asks for, and at most that of the deepest vertex of its body:
what is stiff comes out as a whole, and is not pressed flat on its way. What leads it is stiffer
than its body, so that no weight holds it back.
"""

import warp as wp

from ...device.options import QUICK

wp.set_module_options(QUICK)

# What is led out brakes by no more than that [m/s²], which its weight alone can do: no hop.
BRAKING = wp.constant(2.0)


@wp.func
def pace(path: float, h: float):
    """How far something is led in a step h [s] when its path out is so long [m]."""
    return wp.min(h * wp.sqrt(2.0 * BRAKING * path), path)


@wp.func
def lead_out(begun: float, now: float, later: float, depth: float, radius: float, h: float):
    """Force per stiffness [m] on a vertex that begins a step as far in front of a collider as
    `begun` < 0, and is `now`; its slope, 0 or 1; and how far `now` is from where that changes [m].

    `later` is where the step ends of which the slope is. `depth` is that of its body.
    """
    least = begun + pace(radius - begun, h)
    most = begun + pace(radius + wp.max(depth, -begun), h)
    goal = wp.where(later < least, least, most)
    slope = wp.where(later < least or later > most, 1.0, 0.0)
    margin = wp.min(wp.abs(now - least), wp.abs(now - most))
    return slope * (goal - now), slope, margin
