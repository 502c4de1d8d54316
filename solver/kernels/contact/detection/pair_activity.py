# SPDX-License-Identifier: GPL-3.0-or-later
"""Cached activity of pairs: distant ones and ones at rest are skipped before a sweep."""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import ONLY_SEPARATED, QUIET, Pair, PairState

wp.set_module_options(OPTIONS)

# Pairs farther apart than this many contact distances are skipped in the coming sweep, ...
NEAR = wp.constant(1.5)
# ... and near ones reach at least this fraction farther than one.
LEAST_NEAR = wp.constant(0.1)
# Least remaining fraction of a gap between quiet vertices.
LEFT = wp.constant(1.0 - 2.0 * QUIET)
# Vertices that moved by less than this fraction of the contact distance are at rest.
STILL = wp.constant(1.0e-4)
# The vertex of a pair that is not near.
NOWHERE = wp.constant(-1)


@wp.struct
class PairActivity:
    """Cached activity of a pair."""

    vertices: wp.vec4i  # NOWHERE first if it will not be near before the next measurement
    radius: float  # its contact distance [m]


@wp.func
def activity_of(pair: Pair, gap: float):
    """Return the `PairActivity` of a pair with a `gap` [m] of slack."""
    activity = PairActivity()
    activity.radius = pair.radius
    activity.vertices = pair.vertices
    if LEFT * gap >= NEAR * pair.radius or pair.flat == ONLY_SEPARATED:
        activity.vertices = wp.vec4i(NOWHERE)
    return activity


@wp.func
def is_unchanged(activity: PairActivity, state: PairState):
    """Return whether a pair at rest stays near or not, however others move."""
    return state.near == 0 or LEFT * state.gap < (1.0 + LEAST_NEAR) * activity.radius
