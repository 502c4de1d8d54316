# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement truncation: no vertex moves so far that a pair could pass through itself.

Divide and truncate: the direction between the closest points of a pair, as of its search, separates
its two sides, and each side stays on its own side of a plane between them (Chen et al., "Offset
Geometric Contact", 2025, §3.5, in its planar form). Both sides' vertices that move at the same time
share the gap by how fast they approach. A pair that was not found is farther apart than both
trust radii together, so a vertex within its trust radius cannot reach it.

With embedded surfaces a surface vertex may move with several vertices, each of which may take a
fraction of its own of its step. So its path to the plane of a pair is bounded by the sum of those
steps that go there; those that go back are not counted on.
"""

from dataclasses import dataclass
from functools import cache

import warp as wp

from ..embedding import Embedding, surface_functions
from ..options import HOT
from ..shares import share_of
from .alerts import is_quiet
from .analytic_colliders import ContactModel
from .counts import OF_EDGES, OF_VERTICES
from .pairs import AHEAD, EDGE_EDGE, Pair, PairLists, PairState, Surface, prefetch_pair
from .parting import parts_them
from .planes import fraction_to_plane, fraction_within, toward_plane
from .points_in_front import fraction_function

wp.set_module_options(HOT)


# What has ended a step.
BY_PAIR = wp.constant(1)
BY_TRUST_RADIUS = wp.constant(2)
BY_ANALYTIC = wp.constant(4)
# Between these, whether anything has ended the step of a vertex that animation moves.
KINEMATIC = wp.constant(3)


@dataclass(frozen=True)
class TruncationKernels:
    """The kernels that find what of their steps vertices may take."""

    bound_pairs: wp.Kernel
    truncate: wp.Kernel


@cache
def truncation_kernels(width: int) -> TruncationKernels:
    """The `TruncationKernels` of scenes whose embedded points have so many corners, or 0."""
    surface, embedded = surface_functions(width), width > 0
    surface_fraction = fraction_function(width)

    @wp.func
    def approaches(
        pair: Pair,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
    ):
        """How far each corner of a pair may go towards the other side, along its normal [m]."""
        n, v = pair.found_normal, pair.vertices
        of_second = wp.where(pair.kind == EDGE_EDGE, -1.0, 1.0)
        return wp.vec4(
            surface.path_along(v[0], -n, moving, x, candidate, embedding),
            surface.path_along(v[1], of_second * n, moving, x, candidate, embedding),
            surface.path_along(v[2], n, moving, x, candidate, embedding),
            surface.path_along(v[3], n, moving, x, candidate, embedding),
        )

    @wp.kernel(module="unique", module_options=HOT)
    def bound_pairs(
        first: int,
        parts: int,
        counts: wp.array[int],
        embedding: Embedding,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        lists: PairLists,
        state: wp.array[PairState],
        alert: wp.array[int],
        alarm: wp.array[int],
        # out
        allowed: wp.array[wp.vec4],
    ):
        """The `fraction_to_plane` of each corner that approaches, of pairs with alert ones."""
        if alarm[0] == 0:
            return
        begin, end = share_of(first + wp.tid(), parts, counts[OF_VERTICES] + counts[OF_EDGES])
        for p in range(begin, end):
            v = lists.pairs[p].vertices
            level = wp.max(wp.max(alert[v[0]], alert[v[1]]), wp.max(alert[v[2]], alert[v[3]]))
            if level != 0 and not is_quiet(level, state[p].gap):
                pair = lists.pairs[p]
                approach = approaches(pair, moving, x, candidate, embedding)
                fractions = wp.vec4(1.0)
                for c in range(4):
                    if approach[c] > 0.0:
                        fractions[c] = fraction_to_plane(c, pair, approach, x)
                allowed[p] = fractions

    @wp.func
    def is_rounded_away(
        begin: int,
        end: int,
        step: wp.vec3,
        x: wp.array[wp.vec3],
        lists: PairLists,
        embedding: Embedding,
    ):
        """Whether a step that was cut short, and rounded, takes of the last that is kept between
        the sides of a pair for rounding: again and again that would use it up.
        """
        for slot in range(begin, end):
            s = surface.carried(slot, embedding)
            for k in range(lists.start[s], lists.start[s + 1]):
                if lists.gap[k] < 0.0:
                    pair = lists.pairs[lists.entry[k] / 4]
                    toward = toward_plane(lists.entry[k] % 4, pair)
                    if surface.share(slot, embedding) * wp.dot(toward, step) > 0.0:
                        if not parts_them(pair, pair.found_normal, x):
                            return True
        return False

    @wp.kernel(module="unique", module_options=HOT)
    def truncate(
        first: int,
        model: ContactModel,
        free_count: int,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        x_found: wp.array[wp.vec3],
        trusted: Surface,
        lists: PairLists,
        alert: wp.array[int],
        allowed: wp.array[wp.vec4],
        bound: wp.array[float],
        is_bound: int,
        # out
        fraction: wp.array[float],
        cut: wp.array[int],
    ):
        """The fraction of its step from x to `candidate` that each vertex may take, and what ends
        it. Vertices moving[0] up to moving[1] move at the same time. What animation moves may go
        through analytic colliders.

        Several vertices move an embedded point, so what each pair has `allowed` is found before. If
        it `is_bound`, so is what all pairs leave of a vertex's step, its `bound` (together.py).
        """
        embedding = model.embedding
        i = first + wp.tid()
        x_i = x[i]
        step = candidate[i] - x_i
        least = float(1.0)
        reason = int(0)
        if wp.length_sq(step) > 0.0:
            begin, end = surface.carried_range(i, embedding)
            if alert[i] == 0:
                end = begin
            if wp.static(embedded):
                if lists.listed[i] == 0:
                    end = begin
            elif is_bound != 0:
                end = begin
                least = bound[i]
                reason = wp.where(least < 1.0, BY_PAIR, 0)
            for slot in range(begin, end):
                s = surface.carried(slot, embedding)
                last = lists.start[s]
                level = alert[s]
                if level != 0:
                    last = lists.start[s + 1]
                for k in range(lists.start[s], last):
                    prefetch_pair(lists, k + AHEAD)
                    if is_quiet(level, lists.gap[k]):
                        continue
                    p = lists.entry[k] / 4
                    corner = lists.entry[k] % 4
                    if wp.static(embedded):
                        if allowed[p][corner] >= least:
                            continue
                    pair = lists.pairs[p]
                    share = surface.share(slot, embedding)
                    if share * wp.dot(toward_plane(corner, pair), step) > 0.0:
                        part = float(0.0)
                        if wp.static(embedded):
                            part = allowed[p][corner]
                        else:
                            approach = approaches(pair, moving, x, candidate, embedding)
                            part = fraction_to_plane(corner, pair, approach, x)
                        if part < least:
                            least = part
                            reason = BY_PAIR
            offset = x_i - x_found[i]
            within = fraction_within(offset, step, trusted.path[i], trusted.trust_radius[i])
            if within < least:
                least = within
                reason = BY_TRUST_RADIUS
            if i < free_count and model.colliders.kind.shape[0] > 0:
                in_front = surface_fraction(i, moving, model, x, candidate, x_start)
                if in_front < least:
                    least = in_front
                    reason = BY_ANALYTIC
            if reason != 0 and alert[i] != 0:
                rounded = (x_i + least * step) - x_i
                begin, end = surface.carried_range(i, embedding)
                if is_rounded_away(begin, end, rounded, x, lists, embedding):
                    least = 0.0
        fraction[i] = least
        cut[i] = reason

    return TruncationKernels(bound_pairs, truncate)


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
    travelled: wp.array[int],
):
    """Take the allowed fraction of every step; stuck[reason] tells that a search would help.

    `travelled` tells that one has used up its slack, so that trust radii may be too long by now.
    """
    i = first + wp.tid()
    if wp.length(candidate[i] - x[i]) > slack * radius[i]:
        travelled[0] = 1
    if cut[i] == 0:
        x[i] = candidate[i]
    else:
        x[i] = x[i] + fraction[i] * (candidate[i] - x[i])
        stuck[cut[i]] = 1
        if i >= free_count:
            stuck[KINEMATIC] = 1


@wp.kernel
def make_way(
    first: int,
    kinematic: wp.vec2i,
    x: wp.array[wp.vec3],
    lists: PairLists,
    # in and out
    candidate: wp.array[wp.vec3],
):
    """Let the candidates of free vertices give way to what is moved towards them.

    Vertices kinematic[0] up to kinematic[1] are moved by animation. What they would come closer to
    than the contact distance is carried along the normal: nothing else could move it far enough in
    few iterations.
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
        away = mine * pair.found_normal
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
