# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificate that nothing intersects, which costs much less than a check of all surfaces.

Surfaces that were apart at the search still are if every listed pair was separated by its plane
then and is now, and every vertex is in its trust region (docs/method.md, "Why nothing gets
through").
"""

import warp as wp

from ...device.options import OPTIONS
from ...device.thread_shares import share_of
from ..detection.pair_counts import OF_EDGES, OF_VERTICES
from ..feasibility.separating_planes import LOST, ROUNDING, is_separating
from ..feasibility.trust_regions import Regions, used_of
from ..pairs import Pair, PairState, SurfaceArrays

wp.set_module_options(OPTIONS)


@wp.kernel
def find_unseparated(
    first: int,
    shares: int,
    x: wp.array[wp.vec3],
    pairs: wp.array[Pair],
    state: wp.array[PairState],
    counts: wp.array[int],
    # out
    uncertain: wp.array[int],
):
    """Find whether the plane of any pair of surfaces does not separate its sides: only pairs
    without slack as of the last refresh, which leaves a fraction of all slack, are computed.
    """
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        if not state[p].gap > 0.0:
            pair = pairs[p]
            if not is_separating(pair, pair.plane_normal, x):
                uncertain[0] = 1


@wp.kernel
def find_strayed(
    first: int,
    surface: SurfaceArrays,
    x: wp.array[wp.vec3],
    regions: Regions,
    is_invalid: wp.array[int],
    # out
    uncertain: wp.array[int],
):
    """Find whether any surface vertex is outside of its trust region by more than rounding, or was
    in an intersection or excluded; or regions are lost.
    """
    v = surface.vertices[first + wp.tid()]
    is_within = used_of(v, x[v], regions) <= regions.radius[v] + LOST * ROUNDING * wp.length(x[v])
    flags = surface.inside[v] | surface.crosses[v]
    if not is_within or flags != 0 or is_invalid[0] != 0:
        uncertain[0] = 1
    if surface.excluded[v] != 0:
        uncertain[1] = 1
