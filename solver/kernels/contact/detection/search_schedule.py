# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedule of searches for contact pairs and of new separating planes."""

import warp as wp

from ...device.blocks import is_last_block
from ...device.options import OPTIONS
from ...device.thread_shares import count_together, share_of
from ..feasibility.truncation import KINEMATIC, RIGID
from ..feasibility.trust_regions import BY_TRUST_RADIUS, Regions, used_of

wp.set_module_options(OPTIONS)

# A vertex that has used this fraction of its trust radius is at the edge of its region.
EDGE = wp.constant(0.95)


# A rigid body with so many trust radii to go asks for a search by itself.
FAR = wp.constant(4.0)


@wp.struct
class SearchRules:
    """When searches are due (solver/contact/detection/search_schedule.py)."""

    counts_ends: int
    turns: int  # 1 if planes are due as soon as one has ended the step of a rigid body
    every: int
    whose: int  # number of the limit in `stuck`
    many: float
    rigid: wp.vec2i  # the first vertex of rigid bodies, and their end, ...
    weight: int  # ... each of which counts so many times
    most: int


@wp.struct
class SearchFlags:
    """Flags of searches and planes that are due, and the counts behind them: arrays of one int."""

    searches: wp.array[int]
    planes: wp.array[int]
    goes_on: wp.array[int]
    rounds: wp.array[int]
    capped: wp.array[int]  # number of capped vertices so far
    ended: wp.array[int]  # number of blocks that have counted


@wp.func
def decide(number: wp.array[int], stuck: wp.array[int], rules: SearchRules, flags: SearchFlags):
    """Decide whether a search is due: when more than `many` vertices are capped, as `weight_of`
    counts them.

    Where `every` divides `number` [1], which may be the rounds, and that is not 0 (0 never does),
    one vertex counts, too: at 1, 2, 4 … times as much, a search is due if a trust radius stops it,
    otherwise new planes of the known pairs if stuck[whose] shows that these have ended a step since
    the last search. Planes are due at once for kinematic vertices and, if it `turns`, for rigid
    bodies. Neither is after `most` rounds.
    Resets the count.
    """
    flags.rounds[0] = flags.rounds[0] + 1
    capped, may = flags.capped[0], flags.rounds[0] < rules.most
    search = float(capped) > rules.many
    are_planes_due = rules.every > 0 and stuck[KINEMATIC] > 0
    are_planes_due = are_planes_due or (rules.turns != 0 and stuck[RIGID] > 0)
    if rules.every > 0:
        times = number[0] / rules.every
        if times > 0 and number[0] % rules.every == 0:
            search = search or (capped > 0 and times & (times - 1) == 0)
            are_planes_due = are_planes_due or stuck[rules.whose] > 0
    flags.searches[0] = int(search and may)
    flags.planes[0] = int(are_planes_due and not search and may)
    flags.goes_on[0] = flags.searches[0] + flags.planes[0]
    flags.capped[0] = 0


@wp.func
def weight_of(i: int, left: wp.array[float], radius: float, rules: SearchRules):
    """Return how many vertices a capped one counts as: more than `many` where its rigid body has
    far to go, by `left` [rigid body, m].
    """
    weight = int(1)
    if i >= rules.rigid[0] and i < rules.rigid[1]:
        weight = rules.weight
        if left[(i - rules.rigid[0]) / 4] > FAR * radius:
            weight = int(rules.many) + 1
    return weight


@wp.kernel
def schedule_search(
    first: int,
    shares: int,
    stuck: wp.array[int],
    cut: wp.array[int],
    x: wp.array[wp.vec3],
    regions: Regions,
    left: wp.array[float],
    number: wp.array[int],
    rules: SearchRules,
    # in and out
    flags: SearchFlags,
):
    """Count the vertices that trust radii have stopped at the edge of their region, if there are
    any; if it `counts_ends`, also those whose last step they have ended, wherever they are. One
    block per share of the vertices; the last one decides what is due.

    A coarse step may have been taken in part or not at all: then no trust radius has ended it.
    """
    block, lane = wp.tid()
    begin, end = share_of(first + block, shares, cut.shape[0])
    if stuck[BY_TRUST_RADIUS] == 0:
        end = begin
    mine = int(0)
    for i in range(begin + lane, end, wp.block_dim()):
        used = used_of(i, x[i], regions)
        is_ended = rules.counts_ends != 0 and cut[i] == BY_TRUST_RADIUS
        if is_ended or used > EDGE * regions.radius[i]:
            mine += weight_of(i, left, regions.radius[i], rules)
    if mine > 0:
        count_together(flags.capped, mine)
    is_last = is_last_block(shares, flags.ended)
    if is_last and lane == 0:
        decide(number, stuck, rules, flags)
