# SPDX-License-Identifier: GPL-3.0-or-later
"""Length of a coarse step: up to the first α where its slope φ'(α) changes sign.

Every island of components that may touch has its own α. A contact that opens may push for a
millionth of the step; linear interpolation to the first sample would make it push for an eighth. So
for islands that end before their first sample, contacts are sampled again over that fraction only.
"""

import warp as wp

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


@wp.kernel
def add_up(
    shares: int,
    members: Members,
    sums: LineSums,
    components: ComponentSteps,
    # out
    reduced_members: Members,
    reduced_sums: LineSums,
):
    """Sum the chunks of every component into `shares` sums."""
    k, share = wp.tid()
    slope = wp.vec2d()
    samples = vec8()
    for chunk in range(components.first_chunk[k] + share, components.first_chunk[k + 1], shares):
        slope += members.slope[chunk]
        samples += members.samples[chunk]
    at = shares * k + share
    reduced_members.slope[at] = slope
    reduced_members.samples[at] = samples
    polynomial = vec6d()
    samples = vec8()
    collapsed = int(0)
    count = int(0)
    for q in range(sums.start[k] + share, sums.start[k + 1], shares):
        chunk = sums.chunk[q]
        polynomial += sums.slope[chunk]
        samples += sums.samples[chunk]
        collapsed += sums.collapsed[chunk]
        count += sums.count[chunk]
    reduced_sums.slope[at] = polynomial
    reduced_sums.samples[at] = samples
    reduced_sums.collapsed[at] = collapsed
    reduced_sums.count[at] = count


@wp.kernel
def refine_samples(
    # in and out
    reach: wp.array[float],
    # out
    is_early: wp.array[int],
):
    """Shorten `reach` to the first sample of contacts. One thread."""
    reach[0] = reach[0] / float(SAMPLES)
    is_early[0] = 0


@wp.func
def with_component(
    k: int, members: Members, sums: LineSums, components: ComponentSteps, slope: Slope
):
    """`slope` plus that of component k; its number of collapsed tets and of all tets."""
    for chunk in range(components.first_chunk[k], components.first_chunk[k + 1]):
        slope.polynomial[0] += members.slope[chunk][0]
        slope.polynomial[1] += members.slope[chunk][1]
        slope.contacts += members.samples[chunk]
    collapsed = int(0)
    count = int(0)
    for q in range(sums.start[k], sums.start[k + 1]):
        chunk = sums.chunk[q]
        slope.polynomial += sums.slope[chunk]
        slope.elements += sums.samples[chunk]
        collapsed += sums.collapsed[chunk]
        count += sums.count[chunk]
    return slope, collapsed, count


@wp.kernel
def choose_step_lengths(
    longest: float,
    reach: wp.array[float],
    members: Members,
    sums: LineSums,
    counts_skips: int,
    # in and out
    components: ComponentSteps,
    # out
    is_early: wp.array[int],
):
    """Find α of every island of components; 0, a skipped step, where too many tets have collapsed
    or the energy does not fall. Skipped steps are counted unless `counts_skips` is 0. If contacts
    are sampled up to `reach` only, islands with an α below it choose again. `is_early` is set if
    one ends before its first sample of contacts.

    The thread of its first component works for an island.
    """
    island = wp.tid()
    if components.island[island] != island:
        return
    chosen = components.step_length[island]
    if reach[0] < longest and (chosen == 0.0 or chosen >= reach[0]):
        return
    slope = Slope()
    slope.longest = longest
    slope.reach = reach[0]
    is_collapsed = int(0)
    ruined = int(0)
    k = island
    while k >= 0:
        slope, collapsed, count = with_component(k, members, sums, components, slope)
        if float(collapsed) > MOST_COLLAPSED * float(count):
            is_collapsed = 1
        if collapsed > 0:
            ruined = 1
        k = components.next[k]
    step_length = float(0.0)
    if is_collapsed == 0 and slope.polynomial[0] < wp.float64(0.0):
        step_length = first_minimum(slope)
        ends_early = step_length < slope.reach / float(SAMPLES)
        if ends_early and slope.reach > FINEST * longest and wp.length_sq(slope.contacts) > 0.0:
            is_early[0] = 1
    k = island
    while k >= 0:
        components.step_length[k] = step_length
        components.collapsed[k] = is_collapsed
        components.ruined[k] = ruined
        if step_length == 0.0 and counts_skips != 0:
            components.skipped[k] = components.skipped[k] + 1
        k = components.next[k]
