# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust regions: where every vertex may go until contact pairs are sought again.

The region of a vertex is all within its trust radius of its path, a straight one from where it was
found: a capsule, which holds a long way without holding much.
"""

import warp as wp

from ...device.options import QUICK
from ...lattice.embedding import Embedding, point_position
from .plane_bounds import distance_from_path, fraction_within

wp.set_module_options(QUICK)

# What has ended the step of a vertex, where it is its region (truncation.py).
BY_TRUST_RADIUS = wp.constant(2)

# How much farther than expected a vertex may go, as a part of that.
MORE = wp.constant(0.2)
# The longest path, in largest trust radii.
LONGEST_PATH = wp.constant(4.0)
# What has used up this part of its trust radius gets a new region with those that need one, ...
USED = wp.constant(0.5)
# ... so does what is led no longer along a way that is longer than so many largest trust radii, or
# an edge.
LONG_BEHIND = wp.constant(2.0)
# What reaches farther by this part of its trust radius may touch what was not found: half of the
# radius, at least, lies between them as a step begins.
GROWN = wp.constant(0.1)
# Who gets new regions: those that need one, all, or those that need one in the next step.
SOME = wp.constant(0)
WHOLE = wp.constant(1)
NEXT = wp.constant(2)

# From step to step slack shrinks by this factor, but not below so many times what was used of it.
CALMING = wp.constant(0.5)
AGAIN = wp.constant(2.0)


@wp.struct
class Regions:
    """The trust regions of all vertices and embedded points, [vertex]."""

    x_found: wp.array[wp.vec3]  # where each begins [m]
    path: wp.array[wp.vec3]  # where the vertex may go from there [m], ...
    radius: wp.array[float]  # ... and how far from that way [m]
    ahead: wp.array[wp.vec3]  # what is left of that way [m]
    largest: wp.array[float]  # bounds the radius, for the pairs' sake [m]; infinite for no surface
    slack: wp.array[float]  # what the radius is larger by than what is expected [m], ...
    least_slack: wp.array[float]  # ... at least
    spent: wp.array[float]  # what was used of the radius as the step began [m]
    reach: wp.array[float]  # the multiplier of the vertex when it was found [m]
    renewed: wp.array[int]  # whether the last search gave it a new region, ...
    any_renewed: wp.array[int]  # ... and any


@wp.func
def used_of(i: int, place: wp.vec3, regions: Regions):
    """How far from its way vertex i is at a place [m]."""
    return distance_from_path(place - regions.x_found[i], regions.path[i])


@wp.func
def fraction_in_region(i: int, x: wp.vec3, step: wp.vec3, regions: Regions):
    """The fraction in [0, 1] of a step from x that vertex i may take within its region."""
    offset = x - regions.x_found[i]
    return fraction_within(offset, step, regions.path[i], regions.radius[i])


@wp.kernel
def calm_down(
    first: int,
    x: wp.array[wp.vec3],
    # in and out
    regions: Regions,
):
    """Shrink the slack of each vertex, but not below the least, nor below what it needs if it goes
    on as in the last step: `spent` is what it has used of its region so far, which may be older.
    """
    i = first + wp.tid()
    used = used_of(i, x[i], regions)
    calm = wp.max(CALMING * regions.slack[i], AGAIN * (used - regions.spent[i]))
    regions.slack[i] = wp.max(calm, regions.least_slack[i])
    regions.spent[i] = used


@wp.func
def keeps_region(
    i: int,
    who: int,
    first_led: int,
    x: wp.vec3,
    goal: wp.vec3,
    cut: int,
    multiplier: float,
    regions: Regions,
):
    """Tell if vertex i keeps the region that it has (`set_regions`)."""
    used = used_of(i, x, regions)
    radius = regions.radius[i]
    # A way that lies behind makes lists long. What is left of a step a long one alone is worth it.
    way = wp.length(regions.path[i])
    keeps = i >= first_led or way <= LONG_BEHIND * regions.largest[i]
    if who == NEXT:
        used = wp.max(used, used_of(i, goal, regions))
        keeps = way <= radius and multiplier - regions.reach[i] <= GROWN * radius
    return keeps and used <= USED * radius and cut != BY_TRUST_RADIUS


@wp.kernel
def set_regions(
    first: int,
    who: int,
    first_led: int,
    growth: float,
    x: wp.array[wp.vec3],
    goal: wp.array[wp.vec3],
    expected: wp.array[wp.vec3],
    cut: wp.array[int],
    multiplier: wp.array[float],
    # in and out
    regions: Regions,
):
    """Where each vertex may go until the next search: on its way to `goal`, which those from number
    `first_led` on follow, and round that as far as it is `expected` elsewhere, with some slack.

    The slack of what its region has cut short grows; without an expectation it is infinite. Unless
    it is the WHOLE surface that gets new regions, only those get one that have used up theirs, or
    that are led no longer and have a long way behind them; in the NEXT step also those that will on
    their way, or whose way lies behind them, and what touches what is farther away, as its
    `multiplier` [m] was less when it was found.
    """
    i = first + wp.tid()
    regions.renewed[i] = 1
    if who != WHOLE:
        if keeps_region(i, who, first_led, x[i], goal[i], cut[i], multiplier[i], regions):
            regions.renewed[i] = 0
            return
    largest = regions.largest[i]
    if cut[i] == BY_TRUST_RADIUS:
        regions.slack[i] = wp.min(growth * regions.slack[i], largest)
    way = wp.vec3(0.0)
    if i >= first_led and largest < wp.inf:
        way = goal[i] - x[i]
        if not wp.isfinite(way):
            way = wp.vec3(0.0)
        way = way * wp.min(1.0, LONGEST_PATH * largest / wp.max(wp.length(way), 1.0e-30))
    aside = (1.0 + MORE) * wp.length(expected[i] - x[i] - way)
    # What is no surface may go anywhere.
    room = wp.min(aside + regions.slack[i], largest)
    regions.radius[i] = wp.where(largest < wp.inf, room, wp.inf)
    regions.path[i] = way
    regions.x_found[i] = x[i]
    regions.reach[i] = multiplier[i]
    regions.spent[i] = 0.0
    regions.any_renewed[0] = 1


@wp.kernel
def set_point_regions(
    who: int,
    embedding: Embedding,
    x: wp.array[wp.vec3],
    multiplier: wp.array[float],
    # in and out
    regions: Regions,
):
    """Where embedded points may get when every vertex keeps to its region.

    Corners are somewhere on their paths: Σ w s d, s ∈ [0, 1], lies near the path Σ w d, as far from
    it as the paths d differ from that and negative weights w lead out of it. Where regions of
    corners are of different age, that of the point begins where it has never been.
    """
    p = wp.tid()
    s = embedding.first + p
    begin = p * embedding.width
    number = int(0)
    total = int(0)
    for k in range(begin, begin + embedding.width):
        if embedding.weights[k] != 0.0:
            number += regions.renewed[embedding.corners[k]]
            total += 1
    grown = multiplier[s] - regions.reach[s]
    touches_more = who == NEXT and grown > GROWN * regions.radius[s]
    regions.renewed[s] = int(number > 0 or touches_more)
    if regions.renewed[s] == 0:
        return
    regions.reach[s] = multiplier[s]
    regions.any_renewed[0] = 1
    regions.x_found[s] = x[s]
    if number < total:
        regions.x_found[s] = point_position(s, regions.x_found, embedding)
    way = wp.vec3(0.0)
    for k in range(begin, begin + embedding.width):
        w = embedding.weights[k]
        if w != 0.0:
            way += w * regions.path[embedding.corners[k]]
    farthest = float(0.0)
    for k in range(begin, begin + embedding.width):
        w = embedding.weights[k]
        if w != 0.0:
            corner = embedding.corners[k]
            aside = regions.radius[corner] + wp.length(regions.path[corner] - way)
            farthest += wp.abs(w) * aside + 2.0 * wp.max(-w, 0.0) * wp.length(way)
    regions.radius[s] = farthest
    regions.path[s] = way


@wp.kernel
def look_ahead(
    x: wp.array[wp.vec3],
    # in and out
    regions: Regions,
):
    """Find what is left of the path of each vertex."""
    i = wp.tid()
    regions.ahead[i] = regions.path[i] + (regions.x_found[i] - x[i])
