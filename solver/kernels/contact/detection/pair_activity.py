# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that need not be looked at before a sweep: what is far away, and what is still."""

import warp as wp

from ...device.options import HOT
from ..pairs import QUIET, Pair, PairState

wp.set_module_options(HOT)

# A pair farther apart than this many contact distances is not looked at in the coming sweep, ...
NEAR = wp.constant(1.5)
# ... where it is near within at least this part more than one.
LEAST_NEAR = wp.constant(0.1)
# What quiet vertices have left at least of a gap.
LEFT = wp.constant(1.0 - 2.0 * QUIET)
# What has moved by less than this part of the contact distance is still as it was seen.
STILL = wp.constant(1.0e-4)
# The vertex of a pair that is not near.
NOWHERE = wp.constant(-1)


@wp.struct
class PairActivity:
    """What tells of a pair that it need not be looked at."""

    vertices: wp.vec4i  # from NOWHERE on where it will not be near before the next alarm
    radius: float  # its contact distance [m]


@wp.func
def glance_at(pair: Pair, gap: float):
    """The `PairActivity` of a pair with a `gap` [m] of room."""
    glance = PairActivity()
    glance.radius = pair.radius
    glance.vertices = pair.vertices
    if LEFT * gap >= NEAR * pair.radius:
        glance.vertices = wp.vec4i(NOWHERE)
    return glance


@wp.func
def stays(glance: PairActivity, state: PairState):
    """Whether a pair that keeps still remains what it is, near or not, however others move."""
    return state.near == 0 or LEFT * state.gap < (1.0 + LEAST_NEAR) * glance.radius
