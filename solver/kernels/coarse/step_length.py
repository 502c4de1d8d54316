# SPDX-License-Identifier: GPL-3.0-or-later
"""Length of a coarse step: up to the first α where its slope φ'(α) changes sign.

Every island of components that may touch has its own α. A contact that opens may push for a
millionth of the step; linear interpolation to the first sample would make it push for an eighth. So
for islands that end before their first sample, contacts are sampled again over that fraction only.
"""

import warp as wp

from ..device.blocks import block_sum, is_last_block
from ..device.options import OPTIONS
from .coarse_step import ComponentSteps, Members
from .line_sums import SAMPLES, LineSums, vec6d, vec8

wp.set_module_options(OPTIONS)

# Where more than this fraction of the tets of a component have collapsed, affine patches would
# press it into the false minimum at F = 0: its island skips the step.
MOST_COLLAPSED = wp.constant(0.1)
# The smallest fraction of the longest step over which contacts are sampled.
FINEST = wp.constant(1.0e-7)


@wp.struct
class Slope:
    """The slope φ'(α): a polynomial, plus linear interpolation between samples."""

    polynomial: vec6d
    elements: vec8  # at α = longest · 1/8, … 8/8
    contacts: vec8  # at α = reach · 1/8, … 8/8
    longest: float
    reach: float


@wp.func
def between_samples(samples: vec8, at: float):
    """The value at a fraction of the sampled interval; it is 0 at the beginning."""
    n = wp.min(int(at * float(SAMPLES)), SAMPLES - 1)
    left = float(0.0)
    if n > 0:
        left = samples[n - 1]
    return left + (at * float(SAMPLES) - float(n)) * (samples[n] - left)


@wp.func
def slope_at(slope: Slope, alpha: float):
    a = wp.float64(alpha)
    p = slope.polynomial
    value = p[0] + a * (p[1] + a * (p[2] + a * (p[3] + a * (p[4] + a * p[5]))))
    of_elements = between_samples(slope.elements, alpha / slope.longest)
    of_contacts = between_samples(slope.contacts, alpha / slope.reach)
    return value + wp.float64(of_elements + of_contacts)


@wp.func
def first_minimum(slope: Slope):
    """The smallest α at which φ' is no longer negative, or `reach`."""
    low = float(0.0)
    high = float(0.0)
    steps = int(4) * SAMPLES
    n = int(0)
    while n < steps:
        n += 1
        high = slope.reach * float(n) / float(steps)
        if not (slope_at(slope, high) < wp.float64(0.0)):
            break
        low = high
    if low < high:
        n = int(0)
        while n < 24:
            n += 1
            middle = 0.5 * (low + high)
            if slope_at(slope, middle) < wp.float64(0.0):
                low = middle
            else:
                high = middle
    return low


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
