# SPDX-License-Identifier: GPL-3.0-or-later
"""Length of a coarse step: up to the first α where its slope φ'(α) changes sign.

Every island of components that may touch has its own α. A contact that opens may push for a
millionth of the step; linear interpolation to the first sample would make it push for an eighth. So
for islands that end before their first sample, contacts are sampled again over that fraction only.
"""

import warp as wp

from ..device.blocks import block_sum, is_last_block
from ..device.options import OPTIONS
from ..device.turns import end_turn, take_turn, wait_for_turns
from .coarse_step import ComponentSteps, Members, Moves, move_member
from .line_minimum import Slope, first_minimum
from .line_sums import SAMPLES, LineSums, vec6d, vec8

wp.set_module_options(OPTIONS)

# Where more than this fraction of the tets of a component have collapsed, affine patches would
# press it into the false minimum at F = 0: its island skips the step.
MOST_COLLAPSED = wp.constant(0.1)
# Threads of a block.
THREADS = wp.constant(256)
# The smallest fraction of the longest step over which contacts are sampled.
FINEST = wp.constant(1.0e-7)


@wp.struct
class ReducedSums:
    """Sums over the chunks of every component, in equal numbers of shares [component, share]."""

    vertices: wp.array[wp.vec2d]  # `Members.slope`
    contacts: wp.array[vec8]  # `Members.samples`
    polynomial: wp.array[vec6d]  # `LineSums.slope`
    elements: wp.array[vec8]  # `LineSums.samples`
    collapsed: wp.array[int]
    count: wp.array[int]
    shares: int


@wp.func
def block_vec8(values: vec8):
    """Return the sum of vectors over the threads of a block."""
    for k in range(SAMPLES):
        values[k] = float(block_sum(wp.float64(values[k])))
    return values


@wp.func
def block_int(value: int):
    """Return the sum of integers over the threads of a block."""
    return int(block_sum(wp.float64(value)))


@wp.func
def reduce_members(
    k: int,
    share: int,
    lane: int,
    members: Members,
    components: ComponentSteps,
    reduced: ReducedSums,
):
    """Sum up a share of the chunks of vertices of component k, by a block."""
    slope, samples = wp.vec2d(), vec8()
    first = components.first_chunk[k] + share * wp.block_dim() + lane
    for chunk in range(first, components.first_chunk[k + 1], reduced.shares * wp.block_dim()):
        slope += members.slope[chunk]
        samples += members.samples[chunk]
    slope = wp.vec2d(block_sum(slope[0]), block_sum(slope[1]))
    samples = block_vec8(samples)
    if lane == 0:
        reduced.vertices[reduced.shares * k + share] = slope
        reduced.contacts[reduced.shares * k + share] = samples


@wp.func
def reduce_elements(k: int, share: int, lane: int, sums: LineSums, reduced: ReducedSums):
    """Sum up a share of the chunks of elements of component k, by a block."""
    polynomial, samples, collapsed, count = vec6d(), vec8(), int(0), int(0)
    first = sums.start[k] + share * wp.block_dim() + lane
    for q in range(first, sums.start[k + 1], reduced.shares * wp.block_dim()):
        chunk = sums.chunk[q]
        polynomial += sums.slope[chunk]
        samples += sums.samples[chunk]
        collapsed += sums.collapsed[chunk]
        count += sums.count[chunk]
    for n in range(6):
        polynomial[n] = block_sum(polynomial[n])
    samples = block_vec8(samples)
    collapsed, count = block_int(collapsed), block_int(count)
    if lane == 0:
        at = reduced.shares * k + share
        reduced.polynomial[at] = polynomial
        reduced.elements[at] = samples
        reduced.collapsed[at] = collapsed
        reduced.count[at] = count


@wp.func
def with_component(k: int, reduced: ReducedSums, slope: Slope):
    """`slope` plus that of component k; its number of collapsed tets and of all tets."""
    collapsed, count = int(0), int(0)
    for at in range(reduced.shares * k, reduced.shares * (k + 1)):
        slope.polynomial[0] += reduced.vertices[at][0]
        slope.polynomial[1] += reduced.vertices[at][1]
        slope.contacts += reduced.contacts[at]
        slope.polynomial += reduced.polynomial[at]
        slope.elements += reduced.elements[at]
        collapsed += reduced.collapsed[at]
        count += reduced.count[at]
    return slope, collapsed, count


@wp.func
def choose_step_length(
    island: int,
    longest: float,
    reach: float,
    counts_skips: int,
    reduced: ReducedSums,
    components: ComponentSteps,
):
    """Find α of an island of components; 0, a skipped step, where too many tets have collapsed or
    the energy does not fall. Return 1 if it ends before its first sample of contacts, else 0.
    """
    slope = Slope()
    slope.longest = longest
    slope.reach = reach
    is_collapsed, ruined, is_early = int(0), int(0), int(0)
    k = island
    while k >= 0:
        slope, collapsed, count = with_component(k, reduced, slope)
        if float(collapsed) > MOST_COLLAPSED * float(count):
            is_collapsed = 1
        if collapsed > 0:
            ruined = 1
        k = components.next[k]
    step_length = float(0.0)
    if is_collapsed == 0 and slope.polynomial[0] < wp.float64(0.0):
        step_length = first_minimum(slope)
        ends_early = step_length < reach / float(SAMPLES)
        if ends_early and reach > FINEST * longest and wp.length_sq(slope.contacts) > 0.0:
            is_early = 1
    k = island
    while k >= 0:
        components.step_length[k] = step_length
        components.collapsed[k] = is_collapsed
        components.ruined[k] = ruined
        if step_length == 0.0 and counts_skips != 0:
            components.skipped[k] = components.skipped[k] + 1
        k = components.next[k]
    return is_early


@wp.func
def choose_by_block(
    k: int,
    share: int,
    lane: int,
    longest: float,
    counts_skips: int,
    members: Members,
    sums: LineSums,
    reduced: ReducedSums,
    ended: wp.array[int],
    reach: wp.array[float],
    components: ComponentSteps,
    is_early: wp.array[int],
):
    """Sum up a share of component k, and in the last block choose all α (`choose_step_lengths`)."""
    reduce_members(k, share, lane, members, components, reduced)
    reduce_elements(k, share, lane, sums, reduced)
    count = components.island.shape[0]
    if is_last_block(count * reduced.shares, ended):
        far, early = reach[0], int(0)
        for island in range(lane, count, wp.block_dim()):
            chosen = components.step_length[island]
            is_chosen = far < longest and (chosen == 0.0 or chosen >= far)
            if components.island[island] == island and not is_chosen:
                early += choose_step_length(island, longest, far, counts_skips, reduced, components)
        early = block_int(early)
        if lane == 0:
            is_early[0] = wp.min(early, 1)
            reach[0] = wp.where(early > 0, far / float(SAMPLES), longest)


@wp.kernel
def choose_step_lengths(
    longest: float,
    counts_skips: int,
    members: Members,
    sums: LineSums,
    # in and out
    reduced: ReducedSums,
    ended: wp.array[int],
    reach: wp.array[float],
    components: ComponentSteps,
    # out
    is_early: wp.array[int],
):
    """Find α of every island of components by the sums of slopes, with contacts sampled up to
    `reach`: one block per component and share; the last one decides.

    If an island ends before its first sample of contacts, `is_early` is set, and `reach` shortened
    to that sample: islands with an α below it shall choose again. Else it is the longest step
    again. Skipped steps are counted unless `counts_skips` is 0.
    """
    k, share, lane = wp.tid()
    choose_by_block(
        k,
        share,
        lane,
        longest,
        counts_skips,
        members,
        sums,
        reduced,
        ended,
        reach,
        components,
        is_early,
    )


@wp.kernel
def choose_and_move(
    longest: float,
    members: Members,
    sums: LineSums,
    # in and out
    reduced: ReducedSums,
    ended: wp.array[int],
    turns: wp.array[int],
    reach: wp.array[float],
    components: ComponentSteps,
    moves: Moves,
    # out
    is_early: wp.array[int],
):
    """Choose step lengths (`choose_step_lengths`), and behind them move all vertices of aggregates.
    If islands shall choose again, their vertices are moved again.
    """
    _block, lane = wp.tid()
    shares = reduced.shares
    choosing = components.island.shape[0] * shares
    count = members.vertex.shape[0]
    moving = (count + THREADS - 1) / THREADS
    turn = take_turn(turns)
    if turn < choosing:
        choose_by_block(
            turn / shares,
            turn % shares,
            lane,
            longest,
            1,
            members,
            sums,
            reduced,
            ended,
            reach,
            components,
            is_early,
        )
    else:
        wait_for_turns(choosing, turns)
        first = THREADS * (turn - choosing)
        for member in range(first + lane, wp.min(first + THREADS, count), wp.block_dim()):
            move_member(member, members, components, moves)
    end_turn(choosing + moving, turns)
