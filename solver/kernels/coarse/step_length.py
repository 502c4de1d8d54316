# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a coarse step goes: to the first place where its slope φ'(α) changes its sign.

Every island of linkages that may touch has an α of its own.
"""

import warp as wp

from ..options import QUICK
from .line import SAMPLES, Sums, vec6d, vec8
from .step import Linkages, Members

wp.set_module_options(QUICK)

# Where more than this part of the tets of an linkage have collapsed, affine patches would press it
# into the false minimum at F = 0: its island is left alone.
MOST_COLLAPSED = wp.constant(0.1)


@wp.struct
class Slope:
    """φ'(α): a polynomial, and straight lines between samples."""

    polynomial: vec6d
    samples: vec8
    longest: float


@wp.func
def slope_at(slope: Slope, alpha: float):
    a = wp.float64(alpha)
    p = slope.polynomial
    value = p[0] + a * (p[1] + a * (p[2] + a * (p[3] + a * (p[4] + a * p[5]))))
    at = alpha / slope.longest * float(SAMPLES)
    n = wp.min(int(at), SAMPLES - 1)
    left = float(0.0)
    if n > 0:
        left = slope.samples[n - 1]
    return value + wp.float64(left + (at - float(n)) * (slope.samples[n] - left))


@wp.func
def first_minimum(slope: Slope):
    """The smallest α at which φ' stops being negative, or `longest`."""
    low = float(0.0)
    high = float(0.0)
    steps = int(4) * SAMPLES
    n = int(0)
    while n < steps:
        n += 1
        high = slope.longest * float(n) / float(steps)
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
    parts: int,
    members: Members,
    sums: Sums,
    linkages: Linkages,
    # out
    fewer_members: Members,
    fewer_sums: Sums,
):
    """Add up the chunks of every linkage to so many `parts`, one after the other."""
    k, part = wp.tid()
    slope = wp.vec2d()
    samples = vec8()
    for chunk in range(linkages.first_chunk[k] + part, linkages.first_chunk[k + 1], parts):
        slope += members.slope[chunk]
        samples += members.samples[chunk]
    at = parts * k + part
    fewer_members.slope[at] = slope
    fewer_members.samples[at] = samples
    polynomial = vec6d()
    samples = vec8()
    collapsed = int(0)
    count = int(0)
    for q in range(sums.start[k] + part, sums.start[k + 1], parts):
        chunk = sums.chunk[q]
        polynomial += sums.slope[chunk]
        samples += sums.samples[chunk]
        collapsed += sums.collapsed[chunk]
        count += sums.count[chunk]
    fewer_sums.slope[at] = polynomial
    fewer_sums.samples[at] = samples
    fewer_sums.collapsed[at] = collapsed
    fewer_sums.count[at] = count


@wp.kernel
def choose_step_lengths(
    longest: float,
    members: Members,
    sums: Sums,
    counts: int,
    # in and out
    linkages: Linkages,
):
    """α of every island of linkages; skipped where the tets have collapsed or nothing descends.
    What is skipped is counted, or is not if `counts` is 0.

    The thread of its first linkage finds it.
    """
    island = wp.tid()
    if linkages.island[island] != island:
        return
    slope = Slope()
    slope.longest = longest
    collapsed = int(0)
    count = int(0)
    crowded = int(0)
    ruined = int(0)
    k = island
    while k >= 0:
        for chunk in range(linkages.first_chunk[k], linkages.first_chunk[k + 1]):
            slope.polynomial[0] += members.slope[chunk][0]
            slope.polynomial[1] += members.slope[chunk][1]
            slope.samples += members.samples[chunk]
        collapsed = int(0)
        count = int(0)
        for q in range(sums.start[k], sums.start[k + 1]):
            chunk = sums.chunk[q]
            slope.polynomial += sums.slope[chunk]
            slope.samples += sums.samples[chunk]
            collapsed += sums.collapsed[chunk]
            count += sums.count[chunk]
        if float(collapsed) > MOST_COLLAPSED * float(count):
            crowded = 1
        if collapsed > 0:
            ruined = 1
        k = linkages.next[k]
    step_length = float(0.0)
    if crowded == 0 and slope.polynomial[0] < wp.float64(0.0):
        step_length = first_minimum(slope)
    k = island
    while k >= 0:
        linkages.step_length[k] = step_length
        linkages.crowded[k] = crowded
        linkages.ruined[k] = ruined
        if step_length == 0.0 and counts != 0:
            linkages.skipped[k] = linkages.skipped[k] + 1
        k = linkages.next[k]
