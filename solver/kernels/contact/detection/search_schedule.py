# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedule of searches for contact pairs and of new separating planes."""

import warp as wp

from ...device.options import OPTIONS
from ...device.thread_shares import count_together, share_of
from ..feasibility.truncation import KINEMATIC
from ..feasibility.trust_regions import BY_TRUST_RADIUS, Regions, used_of

wp.set_module_options(OPTIONS)

# A vertex that has used this fraction of its trust radius is at the edge of its region.
EDGE = wp.constant(0.95)


@wp.kernel
def count_capped(
    first: int,
    shares: int,
    counts_ends: int,
    stuck: wp.array[int],
    cut: wp.array[int],
    x: wp.array[wp.vec3],
    regions: Regions,
    # in and out
    capped: wp.array[int],
):
    """Count the vertices that trust radii have stopped at the edge of their region, if there are
    any; if it `counts_ends`, also those whose last step they have ended, wherever they are.

    A coarse step may have been taken in part or not at all: then no trust radius has ended it.
    """
    if stuck[BY_TRUST_RADIUS] == 0:
        return
    begin, end = share_of(first + wp.tid(), shares, cut.shape[0])
    mine = int(0)
    for i in range(begin, end):
        used = used_of(i, x[i], regions)
        is_ended = counts_ends != 0 and cut[i] == BY_TRUST_RADIUS
        mine += int(is_ended or used > EDGE * regions.radius[i])
    if mine > 0:
        count_together(capped, mine)


@wp.kernel
def decide(
    stuck: wp.array[int],
    number: wp.array[int],
    every: int,
    whose: int,
    many: float,
    most: int,
    # in and out
    capped: wp.array[int],
    rounds: wp.array[int],
    # out
    searches: wp.array[int],
    planes: wp.array[int],
    goes_on: wp.array[int],
):
    """Decide whether a search is due: when `many` vertices are capped.

    Where `every` divides `number` [1] and that is not 0 (0 never does), one vertex counts, too: at
    1, 2, 4 … times as much, a search is due if a trust radius stops it, otherwise new planes of the
    known pairs if stuck[whose] shows that these have ended a step since the last search. Planes are
    due at once for kinematic vertices. Neither is after `most` of these `rounds`. One thread;
    resets the count.
    """
    rounds[0] = rounds[0] + 1
    search = float(capped[0]) > many
    are_planes_due = every > 0 and stuck[KINEMATIC] > 0
    if every > 0:
        times = number[0] / every
        if times > 0 and number[0] % every == 0:
            search = search or (capped[0] > 0 and times & (times - 1) == 0)
            are_planes_due = are_planes_due or stuck[whose] > 0
    searches[0] = int(search and rounds[0] < most)
    planes[0] = int(are_planes_due and not search and rounds[0] < most)
    goes_on[0] = searches[0] + planes[0]
    capped[0] = 0
