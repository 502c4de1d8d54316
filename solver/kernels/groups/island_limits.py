# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of the rigid steps of islands: pairs with other bodies, trust regions, colliders.

An island that moves as a whole changes no distance inside itself. If the boxes that it sweeps meet
neither those of other islands nor those of colliders, it needs no trust regions either.
"""

from functools import cache

import warp as wp

from ..contact.analytic_colliders import ContactModel
from ..contact.detection.bvh import COLLIDER_TRIANGLES, WHOLE_BODIES, first_in, meets_any, next_in
from ..contact.detection.pair_counts import OF_EDGES, OF_VERTICES
from ..contact.feasibility.embedded_collider_bounds import fraction_function
from ..contact.feasibility.pair_bounds import lower
from ..contact.feasibility.plane_bounds import fraction_to_plane, toward_plane
from ..contact.feasibility.separating_planes import LOST, ROUNDING, gap_along
from ..contact.feasibility.sliding_planes import approach_along
from ..contact.feasibility.trust_regions import BY_TRUST_RADIUS, Regions, fraction_in_region
from ..contact.pairs import Pair, SurfaceArrays, bodies_may_touch
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from ..device.thread_shares import share_of
from ..device.union_find import join
from .free_flight import Boxes
from .islands import Islands

wp.set_module_options(OPTIONS)


@wp.kernel
def join_meeting(
    shares: int,
    x: wp.array[wp.vec3],
    displacement: wp.array[wp.vec3],
    counts: wp.array[int],
    pairs: wp.array[Pair],
    body: wp.array[int],
    # in and out
    islands: Islands,
    # out
    joined: wp.array[int],
):
    """Join free islands whose displacements [m] would lead them within contact distance of each
    other, and set `joined` if there are any.

    Not if one of them stands and approaches by more than that distance, in an impact: it exchanges
    momentum with colliders, so a shortened step loses none, and a stack that lands would lean as a
    whole by the error of the iterations.
    """
    for p in range(wp.tid(), counts[OF_VERTICES] + counts[OF_EDGES], shares):
        pair = pairs[p]
        v = pair.vertices
        one = islands.island[body[v[0]]]
        other = islands.island[body[v[3]]]
        if one != other and islands.held[one] == 0 and islands.held[other] == 0:
            approach = approach_along(pair.kind, pair.plane_normal, v, displacement)
            gap = gap_along(pair.kind, pair.plane_normal, v, x)
            stands = islands.stands[one] != 0 or islands.stands[other] != 0
            lands = stands and approach > pair.radius
            if approach > 0.0 and gap - approach < pair.radius and not lands:
                join(one, other, islands.parent)
                joined[0] = 1


@wp.kernel
def find_fractions_to_planes(
    shares: int,
    x: wp.array[wp.vec3],
    displacement: wp.array[wp.vec3],
    counts: wp.array[int],
    pairs: wp.array[Pair],
    body: wp.array[int],
    islands: Islands,
    # in and out
    least: wp.array[float],
    # out
    stopped: wp.array[int],
    meet: wp.array[int],
):
    """Lower `least` to the fraction of displacements that planes between islands allow; set
    `stopped` if they limit any, and `meet` if they do so between free islands.
    """
    begin, end = share_of(wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        v = pair.vertices
        one = islands.island[body[v[0]]]
        other = islands.island[body[v[3]]]
        if one != other:
            approach = wp.vec4(0.0)
            for c in range(4):
                approach[c] = wp.max(wp.dot(toward_plane(c, pair), displacement[v[c]]), 0.0)
            for c in range(4):
                fraction = float(1.0)
                if approach[c] > 0.0:
                    fraction = fraction_to_plane(c, pair, approach, wp.vec2(0.0), x)
                if fraction < 1.0:
                    lower(least, islands.island[body[v[c]]], fraction)
                    stopped[0] = 1
                    if islands.held[one] == 0 and islands.held[other] == 0:
                        meet[0] = 1


@wp.func
def reach_of_turn(turn: wp.mat33d):
    """Return an upper bound of the distance that a rotation moves a point 1 m from its center."""
    turned = turn - wp.identity(n=3, dtype=wp.float64)
    return float(wp.sqrt(wp.ddot(turned, turned)))


@cache
def fractions_in_regions_kernel(width: int) -> wp.Kernel:
    """The kernel for scenes whose embedded points have `width` corners, or 0."""
    fraction_in_front = fraction_function(width)

    @wp.kernel(module="unique", module_options=OPTIONS)
    def find_fractions_in_regions(
        first: int,
        model: ContactModel,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        regions: Regions,
        islands: Islands,
        meets: wp.array[int],
        largest_offset: wp.array[float],
        # in and out
        least: wp.array[float],
        # out
        cut: wp.array[int],
        leaves: wp.array[int],
        stopped: wp.array[int],
    ):
        """Lower `least` to the fraction of the step to `candidate` where an island stays in front
        of analytic colliders and, if it `meets` anything, in its trust regions; set `leaves` if any
        leaves these. They also hold where rounding, or offsets of smooth skins, which do not
        turn, exceed the contact distance, as unlisted pairs could pass through. One thread per
        free vertex.
        """
        i = first + wp.tid()
        step = candidate[i] - x[i]
        cut[i] = 0
        if wp.length_sq(step) > 0.0:
            island = islands.island[model.body[i]]
            fraction = float(1.0)
            rounding = LOST * ROUNDING * wp.dot(wp.abs(candidate[i]), wp.vec3(1.0))
            rounding += 2.0 * reach_of_turn(islands.turn[island]) * largest_offset[0]
            if meets[island] != 0 or rounding > model.state.radius[i]:
                fraction = fraction_in_region(i, x[i], step, regions)
            if fraction < 1.0:
                cut[i] = BY_TRUST_RADIUS
                leaves[0] = 1
            if model.colliders.kind.shape[0] > 0:
                moving = wp.vec2i(0, candidate.shape[0])
                before_colliders = fraction_in_front(i, moving, model, x, candidate, x_start)
                fraction = wp.min(fraction, before_colliders)
            if fraction < 1.0:
                lower(least, island, fraction)
                stopped[0] = 1

    return find_fractions_in_regions


@wp.kernel
def sweep_boxes(
    chunks: Chunks,
    chunk_boxes: Boxes,
    islands: Islands,
    # in and out
    boxes: Boxes,
    # out
    meets: wp.array[int],
):
    """Set the box that every body sweeps with its island. One thread per body."""
    b = wp.tid()
    low = wp.vec3(wp.inf)
    high = wp.vec3(-wp.inf)
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        low = wp.min(low, chunk_boxes.low[chunk])
        high = wp.max(high, chunk_boxes.high[chunk])
    island = islands.island[b]
    meets[b] = 0
    if islands.held[island] == 0:
        arm = 0.5 * (low + high) - wp.vec3(islands.center[island])
        farthest = wp.length(arm) + 0.5 * wp.length(high - low)
        size = reach_of_turn(islands.turn[island])
        reach = wp.vec3(float(wp.length(islands.shift[island])) + size * farthest)
        low -= reach
        high += reach
    boxes.low[b] = low
    boxes.high[b] = high


@wp.kernel
def find_obstacles(
    surface: SurfaceArrays,
    travel: wp.array[float],
    boxes: Boxes,
    islands: Islands,
    # in and out
    meets: wp.array[int],
):
    """Mark islands that may meet another one on their rigid steps, whose boxes are in the tree of
    bodies, or the box of a collider at the last search; colliders move by `travel` [m] at most
    within the frame.
    """
    b = wp.tid()
    island = islands.island[b]
    low = boxes.low[b]
    high = boxes.high[b]
    if not wp.isfinite(low + high):
        meets[island] = 1
        return
    reach = wp.vec3(travel[0])
    is_met = meets_any(surface.trees, COLLIDER_TRIANGLES, low - reach, high + reach)
    walk = first_in(surface.trees, WHOLE_BODIES, low, high)
    while walk.entry >= 0 and not is_met:
        if islands.island[walk.entry] != island:
            is_met = bodies_may_touch(b, walk.entry, surface)
        walk = next_in(surface.trees, walk)
    if is_met:
        meets[island] = 1
