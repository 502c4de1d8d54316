# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement truncation: vertices take the fraction of their steps that all limits allow.

These are the planes of contact pairs (pair_bounds.py), trust regions and analytic colliders. A pair
that is not listed is farther apart than both trust radii together, so a vertex within its trust
radius cannot reach it.
"""

from functools import cache

import warp as wp

from ...device.options import OPTIONS
from ...lattice.embedding import Embedding, is_rigid_point, surface_functions
from ..analytic_colliders import ContactModel
from ..pairs import PairLists
from .embedded_collider_bounds import fraction_function
from .pair_bounds import Watch, bounds_function
from .plane_bounds import toward_plane
from .separating_planes import is_separating
from .trust_regions import BY_TRUST_RADIUS, Regions, fraction_in_region

wp.set_module_options(OPTIONS)


# Limits that end a step, besides BY_TRUST_RADIUS.
BY_PAIR = wp.constant(1)
BY_ANALYTIC = wp.constant(4)
# Between these, the slot for any limit that has ended the step of a kinematic vertex, ...
KINEMATIC = wp.constant(3)
# ... and before them that for a pair that has ended the step of a rigid body.
RIGID = wp.constant(0)


@wp.struct
class Settling:
    """Arrays that end the steps of vertices, and in which that is noted."""

    regions: Regions
    lists: PairLists
    watch: Watch
    slack: float
    free_count: int
    points: wp.vec2i  # the first embedded point and the end
    followers: wp.array[int]  # numbers of points that follow a color, color by color
    fraction: wp.array[float]  # [vertex]
    cut: wp.array[int]  # [vertex]
    stuck: wp.array[int]
    needs_search: wp.array[int]


@cache
def truncation_function(width: int) -> wp.Function:
    """Make `truncate_step` for scenes whose embedded points have `width` corners; 0 without any."""
    surface, surface_fraction = surface_functions(width), fraction_function(width)

    @wp.func
    def is_rounded_away(
        begin: int,
        end: int,
        step: wp.vec3,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        lists: PairLists,
        watch: Watch,
        embedding: Embedding,
    ):
        """Return whether a truncated step, as rounded, uses up the last distance that is kept
        between the sides of a pair for rounding: repeated steps would exhaust it.
        """
        for slot in range(begin, end):
            s = surface.carried(slot, embedding)
            if watch.unknown[0] == 0 and watch.least_gap[s] >= 0.0:
                continue
            for k in range(lists.start[s], lists.start[s + 1]):
                if lists.gap[k] < 0.0:
                    pair = lists.pairs[lists.entry[k] / 4]
                    toward = toward_plane(lists.entry[k] % 4, pair)
                    approach = surface.share(slot, embedding) * wp.dot(toward, step)
                    if wp.static(width > 0):
                        if s >= embedding.first and is_rigid_point(s, embedding):
                            approach = surface.displacement_along(
                                s, toward, moving, x, candidate, embedding
                            )
                    if approach > 0.0:
                        if not is_separating(pair, pair.plane_normal, x):
                            return True
        return False

    @wp.func
    def truncate_step(
        i: int,
        model: ContactModel,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        regions: Regions,
        lists: PairLists,
        watch: Watch,
        fraction: wp.array[float],
        cut: wp.array[int],
    ):
        """Find the fraction of its step from x to `candidate` that vertex i may take, and its
        limit. Its bound has been lowered to what pairs allow.
        """
        embedding = model.embedding
        x_i = x[i]
        step = candidate[i] - x_i
        moves = wp.length_sq(step) > 0.0
        # One point of a rigid body, which may stand still, has the bound of all.
        least = watch.bound[i]
        watch.bound[i] = 1.0
        reason = int(wp.where(least < 1.0, BY_PAIR, 0))
        if moves:
            within = fraction_in_region(i, x_i, step, regions)
            if within < least:
                least = within
                reason = BY_TRUST_RADIUS
            if i < watch.kinematic_start and model.colliders.kind.shape[0] > 0:
                in_front = surface_fraction(i, moving, model, x, candidate, x_start)
                if in_front < least:
                    least = in_front
                    reason = BY_ANALYTIC
            if reason != 0:
                rounded = (x_i + least * step) - x_i
                begin, end = surface.carried_range(i, embedding)
                if is_rounded_away(
                    begin, end, rounded, moving, x, candidate, lists, watch, embedding
                ):
                    least = 0.0
        fraction[i] = least
        cut[i] = reason

    return truncate_step


@cache
def truncation_kernel(width: int) -> wp.Kernel:
    """Make the kernel for scenes whose embedded points have `width` corners; 0 without any."""
    truncate_step, lower_bounds = truncation_function(width), bounds_function(width)

    @wp.kernel(module="unique", module_options=OPTIONS)
    def truncate(
        first: int,
        model: ContactModel,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        regions: Regions,
        lists: PairLists,
        # in and out
        watch: Watch,
        # out
        fraction: wp.array[float],
        cut: wp.array[int],
    ):
        """Find the fraction of its step from x to `candidate` that each vertex may take, and its
        limit. Vertices moving[0] up to moving[1] move at the same time. Kinematic ones may go
        through analytic colliders. The pairs of embedded points have lowered bounds before.
        """
        i = first + wp.tid()
        if wp.length_sq(candidate[i] - x[i]) > 0.0:
            lower_bounds(i, moving, x, candidate, lists, model.embedding, watch)
        truncate_step(i, model, moving, x, candidate, x_start, regions, lists, watch, fraction, cut)

    return truncate


@wp.func
def commit_step(
    i: int,
    fraction: wp.array[float],
    candidate: wp.array[wp.vec3],
    cut: wp.array[int],
    radius: wp.array[float],
    slack: float,
    free_count: int,
    x: wp.array[wp.vec3],
    stuck: wp.array[int],
    needs_search: wp.array[int],
):
    """Take the allowed fraction of the step of vertex i."""
    if wp.length(candidate[i] - x[i]) > slack * radius[i]:
        needs_search[0] = 1
    if cut[i] == 0:
        x[i] = candidate[i]
    else:
        x[i] = x[i] + fraction[i] * (candidate[i] - x[i])
        stuck[cut[i]] = 1
        if i >= free_count:
            stuck[KINEMATIC] = 1


@wp.kernel
def commit(
    first: int,
    fraction: wp.array[float],
    candidate: wp.array[wp.vec3],
    cut: wp.array[int],
    radius: wp.array[float],
    slack: float,
    free_count: int,
    # out
    x: wp.array[wp.vec3],
    stuck: wp.array[int],
    needs_search: wp.array[int],
):
    """Take the allowed fraction of every step; stuck[reason] shows that a search would help.

    `needs_search` is 1 if one has used up its slack, so that trust radii may be too long by now.
    """
    i = first + wp.tid()
    commit_step(i, fraction, candidate, cut, radius, slack, free_count, x, stuck, needs_search)


@wp.kernel
def yield_to_kinematic(
    first: int,
    kinematic: wp.vec2i,
    x: wp.array[wp.vec3],
    lists: PairLists,
    # in and out
    candidate: wp.array[wp.vec3],
):
    """Let the candidates of free vertices yield to approaching kinematic ones.

    Vertices kinematic[0] up to kinematic[1] are moved by animation. Vertices that they would
    approach below the contact distance are carried along the normal: nothing else could move them
    far enough in few iterations.
    """
    i = first + wp.tid()
    x_i = x[i]
    farthest = float(0.0)
    shift = wp.vec3(0.0)
    for k in range(lists.start[i], lists.start[i + 1]):
        pair = lists.pairs[lists.entry[k] / 4]
        corner = lists.entry[k] % 4
        mine = float(1.0)
        if corner >= pair.kind:
            mine = -1.0
        away = mine * pair.plane_normal
        gap = float(1.0e30)
        approach = float(0.0)
        for c in range(4):
            j = pair.vertices[c]
            if (c < pair.kind) != (corner < pair.kind):
                gap = wp.min(gap, wp.dot(away, x_i - x[j]))
                if j >= kinematic[0] and j < kinematic[1]:
                    approach = wp.max(approach, wp.dot(away, candidate[j] - x[j]))
        if approach > 0.0:
            own = wp.dot(away, candidate[i] - x_i)
            push = approach - own - wp.max(gap - pair.radius, 0.0)
            if push > farthest:
                farthest = push
                shift = push * away
    candidate[i] = candidate[i] + shift
