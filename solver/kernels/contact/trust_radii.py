# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust regions: where every vertex may go until contact pairs are sought again.

The region of a vertex is all within its trust radius of its path, a straight one from where it was
found: a capsule, which holds a long way without holding much.
"""

import warp as wp

from ..embedding import Embedding, point_position
from ..options import QUICK
from .planes import distance_from_path
from .truncation import BY_TRUST_RADIUS

wp.set_module_options(QUICK)

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


@wp.kernel
def calm_down(
    first: int,
    least: wp.array[float],
    x: wp.array[wp.vec3],
    x_found: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
    # in and out
    slack: wp.array[float],
    spent: wp.array[float],
):
    """What needed much slack in the last step gets less of it, but not less than `least` [m], nor
    than what will do if it goes on like that: `spent` [m] is what it has used of its region so far,
    which may be older.
    """
    i = first + wp.tid()
    used = distance_from_path(x[i] - x_found[i], path[i])
    slack[i] = wp.max(wp.max(CALMING * slack[i], AGAIN * (used - spent[i])), least[i])
    spent[i] = used


@wp.kernel
def set_trust_regions(
    first: int,
    who: int,
    first_led: int,
    growth: float,
    x: wp.array[wp.vec3],
    goal: wp.array[wp.vec3],
    expected: wp.array[wp.vec3],
    largest: wp.array[float],
    cut: wp.array[int],
    multiplier: wp.array[float],
    # in and out
    slack: wp.array[float],
    spent: wp.array[float],
    # out
    trust_radius: wp.array[float],
    path: wp.array[wp.vec3],
    x_found: wp.array[wp.vec3],
    reach: wp.array[float],
    renewed: wp.array[int],
    any_renewed: wp.array[int],
):
    """Where each vertex may go until the next search: on its way to `goal`, which those from number
    `first_led` on follow, and round that as far as it is `expected` elsewhere, with some slack.

    `largest` [m] bounds the trust radius, for the pairs' sake. The slack of what its region has cut
    short grows; without an expectation it is infinite. Unless it is the WHOLE surface that gets
    new regions, only those get one that have used up theirs, or that are led no longer and have a
    long way behind them; in the NEXT step also those that will on their way, or whose way lies
    behind them, and what touches what is farther away, as its
    `multiplier` [m] was less when it was found, `reach`.
    """
    i = first + wp.tid()
    used = distance_from_path(x[i] - x_found[i], path[i])
    renewed[i] = 1
    # A way that lies behind makes lists long. What is left of a step a long one alone is worth it.
    keeps = i >= first_led or wp.length(path[i]) <= LONG_BEHIND * largest[i]
    if who == NEXT:
        keeps = wp.length(path[i]) <= trust_radius[i]
        used = wp.max(used, distance_from_path(goal[i] - x_found[i], path[i]))
        keeps = keeps and multiplier[i] - reach[i] <= GROWN * trust_radius[i]
    keeps = keeps and used <= USED * trust_radius[i] and cut[i] != BY_TRUST_RADIUS
    if who != WHOLE and keeps:
        renewed[i] = 0
        return
    if cut[i] == BY_TRUST_RADIUS:
        slack[i] = wp.min(growth * slack[i], largest[i])
    way = wp.vec3(0.0)
    if i >= first_led and largest[i] < wp.inf:
        way = goal[i] - x[i]
        if not wp.isfinite(way):
            way = wp.vec3(0.0)
        way = way * wp.min(1.0, LONGEST_PATH * largest[i] / wp.max(wp.length(way), 1.0e-30))
    aside = (1.0 + MORE) * wp.length(expected[i] - x[i] - way)
    # What is no surface may go anywhere.
    room = wp.min(aside + slack[i], largest[i])
    trust_radius[i] = wp.where(largest[i] < wp.inf, room, wp.inf)
    path[i] = way
    x_found[i] = x[i]
    reach[i] = multiplier[i]
    spent[i] = 0.0
    any_renewed[0] = 1


@wp.kernel
def set_point_trust_regions(
    who: int,
    embedding: Embedding,
    x: wp.array[wp.vec3],
    multiplier: wp.array[float],
    # in and out
    trust_radius: wp.array[float],
    path: wp.array[wp.vec3],
    x_found: wp.array[wp.vec3],
    reach: wp.array[float],
    renewed: wp.array[int],
    any_renewed: wp.array[int],
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
            number += renewed[embedding.corners[k]]
            total += 1
    touches_more = who == NEXT and multiplier[s] - reach[s] > GROWN * trust_radius[s]
    renewed[s] = int(number > 0 or touches_more)
    if renewed[s] == 0:
        return
    reach[s] = multiplier[s]
    any_renewed[0] = 1
    x_found[s] = x[s]
    if number < total:
        x_found[s] = point_position(s, x_found, embedding)
    way = wp.vec3(0.0)
    for k in range(begin, begin + embedding.width):
        w = embedding.weights[k]
        if w != 0.0:
            way += w * path[embedding.corners[k]]
    farthest = float(0.0)
    for k in range(begin, begin + embedding.width):
        w = embedding.weights[k]
        if w != 0.0:
            corner = embedding.corners[k]
            farthest += wp.abs(w) * (trust_radius[corner] + wp.length(path[corner] - way))
            farthest += 2.0 * wp.max(-w, 0.0) * wp.length(way)
    trust_radius[s] = farthest
    path[s] = way


@wp.kernel
def look_ahead(
    x: wp.array[wp.vec3],
    x_found: wp.array[wp.vec3],
    path: wp.array[wp.vec3],
    # out
    ahead: wp.array[wp.vec3],
):
    """What is left of the path of each vertex."""
    i = wp.tid()
    ahead[i] = path[i] + (x_found[i] - x[i])
