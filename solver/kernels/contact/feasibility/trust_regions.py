# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust region of every vertex: a capsule around its predicted path until the next search.

It holds all points within the trust radius of a straight path from where the vertex was at the last
search: a long path in a small volume.
"""

import warp as wp

from ...device.options import OPTIONS
from ...lattice.embedding import Embedding, point_position
from ...lattice.skin_arrays import Skin, is_used_up, renewed_reach
from .plane_bounds import distance_from_path, fraction_within

wp.set_module_options(OPTIONS)

# The limit of a step, where it is the region (truncation.py).
BY_TRUST_RADIUS = wp.constant(2)

# Distance beyond the expected one that a vertex may go, as a fraction of that.
MORE = wp.constant(0.2)
# The longest path, in largest trust radii.
LONGEST_PATH = wp.constant(4.0)
# A vertex gets a new region if others need one and it has used this fraction of its radius, ...
USED = wp.constant(0.5)
# ... or no longer follows a path longer than so many largest trust radii, or an edge.
LONG_BEHIND = wp.constant(2.0)
# Farther reach by this fraction of the trust radius may touch unlisted elements: at least half of
# the radius lies between them as a step begins.
GROWN = wp.constant(0.1)
# Scope of new regions: vertices that need one, all, or those that need one in the next step.
SOME = wp.constant(0)
WHOLE = wp.constant(1)
NEXT = wp.constant(2)

# From step to step slack shrinks by this factor, but not below so many times the used slack.
SLACK_DECAY = wp.constant(0.5)
NEEDED_SLACK = wp.constant(2.0)


@wp.struct
class Regions:
    """Trust regions of all vertices and embedded points, [vertex]."""

    x_search: wp.array[wp.vec3]  # position at the last search [m]
    path: wp.array[wp.vec3]  # where the vertex may go from there [m], ...
    radius: wp.array[float]  # ... and how far from that path [m]
    remaining_path: wp.array[wp.vec3]  # the rest of that path [m]
    largest: wp.array[float]  # bounds the radius, to limit pairs [m]; infinite without a surface
    slack: wp.array[float]  # radius beyond the expected distance [m], ...
    least_slack: wp.array[float]  # ... at least
    spent: wp.array[float]  # used radius as the step began [m]
    reach: wp.array[float]  # the multiplier of the vertex at its search [m]
    moved: wp.array[int]  # 1 if the last search gave it a new region, ...
    any_moved: wp.array[int]  # ... and any


@wp.func
def used_of(i: int, place: wp.vec3, regions: Regions):
    """Return how far from its path vertex i is at a place [m]."""
    return distance_from_path(place - regions.x_search[i], regions.path[i])


@wp.func
def fraction_in_region(i: int, x: wp.vec3, step: wp.vec3, regions: Regions):
    """Return the fraction in [0, 1] of a step from x that vertex i may take within its region."""
    offset = x - regions.x_search[i]
    return fraction_within(offset, step, regions.path[i], regions.radius[i])


@wp.kernel
def shrink_slack(
    first: int,
    x: wp.array[wp.vec3],
    # in and out
    regions: Regions,
):
    """Shrink the slack of each vertex, but not below the least, nor below its need if the last step
    repeats: `spent` is what it has used of its region so far, which may be older.
    """
    i = first + wp.tid()
    used = used_of(i, x[i], regions)
    calm = wp.max(SLACK_DECAY * regions.slack[i], NEEDED_SLACK * (used - regions.spent[i]))
    regions.slack[i] = wp.max(calm, regions.least_slack[i])
    regions.spent[i] = used


@wp.func
def keeps_region(
    i: int,
    scope: int,
    first_following: int,
    x: wp.vec3,
    goal: wp.vec3,
    cut: int,
    multiplier: float,
    regions: Regions,
):
    """Return whether vertex i keeps its present region (`set_regions`)."""
    used = used_of(i, x, regions)
    radius = regions.radius[i]
    # A path behind a vertex makes lists long. For the rest of a step only a long one matters.
    length = wp.length(regions.path[i])
    stays = i >= first_following or length <= LONG_BEHIND * regions.largest[i]
    if scope == NEXT:
        used = wp.max(used, used_of(i, goal, regions))
        stays = length <= radius and multiplier - regions.reach[i] <= GROWN * radius
    return stays and used <= USED * radius and cut != BY_TRUST_RADIUS


@wp.kernel
def set_regions(
    first: int,
    scope: int,
    first_following: int,
    growth: float,
    x: wp.array[wp.vec3],
    goal: wp.array[wp.vec3],
    expected: wp.array[wp.vec3],
    cut: wp.array[int],
    multiplier: wp.array[float],
    # in and out
    regions: Regions,
):
    """Set where each vertex may go until the next search: on its path to `goal`, which those from
    number `first_following` on follow, and around it as far as it is `expected` elsewhere, with
    slack.

    Slack grows for vertices that their region has stopped; without an expectation it is infinite.
    Unless the WHOLE surface gets new regions, only vertices get one that have used up theirs, or
    follow no path any more and have a long one behind them; in the NEXT step also those that will
    on their path, or have it behind them, and those that touch at a greater distance, as their
    `multiplier` [m] has grown.
    """
    i = first + wp.tid()
    regions.moved[i] = 1
    if scope != WHOLE:
        if keeps_region(i, scope, first_following, x[i], goal[i], cut[i], multiplier[i], regions):
            regions.moved[i] = 0
            return
    largest = regions.largest[i]
    if cut[i] == BY_TRUST_RADIUS:
        regions.slack[i] = wp.min(growth * regions.slack[i], largest)
    path = wp.vec3(0.0)
    if i >= first_following and largest < wp.inf:
        path = goal[i] - x[i]
        if not wp.isfinite(path):
            path = wp.vec3(0.0)
        path = path * wp.min(1.0, LONGEST_PATH * largest / wp.max(wp.length(path), 1.0e-30))
    aside = (1.0 + MORE) * wp.length(expected[i] - x[i] - path)
    # Vertices without a surface may go anywhere.
    radius = wp.min(aside + regions.slack[i], largest)
    regions.radius[i] = wp.where(largest < wp.inf, radius, wp.inf)
    regions.path[i] = path
    regions.x_search[i] = x[i]
    regions.reach[i] = multiplier[i]
    regions.spent[i] = 0.0
    regions.any_moved[0] = 1


@wp.kernel
def set_point_regions(
    scope: int,
    embedding: Embedding,
    x: wp.array[wp.vec3],
    multiplier: wp.array[float],
    # in and out
    skin: Skin,
    regions: Regions,
):
    """Set where embedded points may get when every vertex keeps to its region.

    Corners are somewhere on their paths: Σ w s d, s ∈ [0, 1], lies near the path Σ w d, as far from
    it as the paths d differ from that and negative weights w leave it. Where regions of corners are
    of different age, that of the point begins where it has never been. The offsets of smooth skins
    may change besides.
    """
    p = wp.tid()
    s = embedding.first + p
    begin = p * embedding.width
    number = int(0)
    total = int(0)
    for k in range(begin, begin + embedding.width):
        if embedding.weights[k] != 0.0:
            number += regions.moved[embedding.corners[k]]
            total += 1
    grown = multiplier[s] - regions.reach[s]
    touches_more = scope == NEXT and grown > GROWN * regions.radius[s]
    used_up = scope != WHOLE and is_used_up(p, embedding, skin)
    regions.moved[s] = int(number > 0 or touches_more or used_up)
    if regions.moved[s] == 0:
        return
    regions.reach[s] = multiplier[s]
    regions.any_moved[0] = 1
    regions.x_search[s] = x[s]
    if number < total:
        regions.x_search[s] = point_position(s, regions.x_search, embedding)
    path = wp.vec3(0.0)
    for k in range(begin, begin + embedding.width):
        w = embedding.weights[k]
        if w != 0.0:
            path += w * regions.path[embedding.corners[k]]
    farthest = renewed_reach(p, embedding, skin)
    for k in range(begin, begin + embedding.width):
        w = embedding.weights[k]
        if w != 0.0:
            corner = embedding.corners[k]
            aside = regions.radius[corner] + wp.length(regions.path[corner] - path)
            farthest += wp.abs(w) * aside + 2.0 * wp.max(-w, 0.0) * wp.length(path)
    regions.radius[s] = farthest
    regions.path[s] = path


@wp.kernel
def find_remaining_paths(
    x: wp.array[wp.vec3],
    # in and out
    regions: Regions,
):
    """Find the rest of the path of each vertex."""
    i = wp.tid()
    regions.remaining_path[i] = regions.path[i] + (regions.x_search[i] - x[i])
