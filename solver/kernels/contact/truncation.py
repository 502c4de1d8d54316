# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement truncation: no vertex moves so far that a pair could pass through itself.

Divide and truncate: the direction between the closest points of a pair, as of its search, separates
its two sides, and each side stays on its own side of a plane between them (Chen et al., "Offset
Geometric Contact", 2025, §3.5, in its planar form). Both sides' vertices that move at the same time
share the gap by how fast they approach. A pair that was not found is farther apart than both caps
together, so a vertex within its cap cannot reach it.
"""

import warp as wp

from ..options import HOT
from .pairs import QUIET, Pair

wp.set_module_options(HOT)

# Part of the way to the plane that a vertex may go.
KEPT = wp.constant(0.9)
# A plane leaves either side this part of the gap.
LEAST_SHARE = wp.constant(0.05)
# Pairs stay this part of their contact distance apart, and this part of the coordinates' size.
FLOOR = wp.constant(1.0e-3)
ROUNDING = wp.constant(1.0e-6)

# What has ended a step.
BY_PAIR = wp.constant(1)
BY_CAP = wp.constant(2)


@wp.func
def way_to_plane(
    own_gap: float,
    other_gap: float,
    own_approach: float,
    other_approach: float,
    distance: float,
):
    """How far a vertex may go towards the plane of a pair [m].

    `own_gap` ≤ 0 is how far the nearest point of its own side lies ahead of it, `other_gap` how far
    that of the other side does; both sides approach, and stay `distance` apart.
    """
    gap = own_gap + other_gap
    way = float(wp.inf)
    if own_approach + other_approach >= KEPT * gap:
        share = own_approach / (own_approach + other_approach)
        share = wp.clamp(share, LEAST_SHARE, 1.0 - LEAST_SHARE)
        way = KEPT * (other_gap - (1.0 - share) * gap)
        if gap <= distance:
            way = KEPT * (other_gap - distance)
    return way


@wp.func
def part_to_plane(
    i: int,
    corner: int,
    pair: Pair,
    step: wp.vec3,
    color_first: int,
    color_last: int,
    distance: float,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
):
    """The part in [0, 1] of `step` that keeps vertex i on its side of the pair's plane."""
    normal = pair.found_normal
    mine = float(1.0)  # i is on side A
    if corner >= pair.kind:
        mine = -1.0
    approach = -mine * wp.dot(normal, step)
    if approach <= 0.0:
        return 1.0
    x_i = x[i]
    own_gap = float(1.0e30)  # how far the nearest point of each side is from x_i along the normal
    other_gap = float(1.0e30)
    own_approach = float(0.0)
    other_approach = float(0.0)
    for c in range(4):
        j = pair.vertices[c]
        along = mine * wp.dot(normal, x[j] - x_i)
        moving = float(0.0)
        if j >= color_first and j < color_last:
            moving = -mine * wp.dot(normal, candidate[j] - x[j])
        if (c < pair.kind) == (corner < pair.kind):
            own_gap = wp.min(own_gap, along)
            own_approach = wp.max(own_approach, moving)
        else:
            other_gap = wp.min(other_gap, -along)
            other_approach = wp.max(other_approach, -moving)
    way = way_to_plane(own_gap, other_gap, own_approach, other_approach, distance)
    return wp.clamp(way / approach, 0.0, 1.0)


@wp.func
def part_within_cap(offset: wp.vec3, step: wp.vec3, cap: float):
    """The part in [0, 1] of `step` after which |offset + part · step| is at most `cap`."""
    part = float(1.0)
    if wp.length(offset + step) > cap:
        a = wp.length_sq(step)
        b = wp.dot(offset, step)
        c = wp.length_sq(offset) - cap * cap
        root = wp.sqrt(wp.max(b * b - a * c, 0.0))
        part = wp.clamp((root - b) / a, 0.0, 1.0)
    return part


@wp.kernel
def alert_partners(
    first: int,
    candidate: wp.array[wp.vec3],
    x_seen: wp.array[wp.vec3],
    least_gap: wp.array[float],
    start: wp.array[int],
    entry: wp.array[int],
    pairs: wp.array[Pair],
    # out
    alert: wp.array[int],
    alarm: wp.array[int],
):
    """Alert all vertices that share a pair with one that gets far from `x_seen`.

    That is where it was when the gaps were measured. The others are out of danger: their steps need
    no truncation by pairs.
    """
    i = first + wp.tid()
    if wp.length(candidate[i] - x_seen[i]) > QUIET * least_gap[i]:
        alarm[0] = 1
        for k in range(start[i], start[i + 1]):
            v = pairs[entry[k] / 4].vertices
            for c in range(4):
                alert[v[c]] = 1


@wp.kernel
def truncate(
    first: int,
    color_first: int,
    color_last: int,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    x_found: wp.array[wp.vec3],
    cap: wp.array[float],
    start: wp.array[int],
    entry: wp.array[int],
    pairs: wp.array[Pair],
    alert: wp.array[int],
    # out
    part: wp.array[float],
    cut: wp.array[int],
):
    """The part of its step from x to `candidate` that each vertex may take, and what ends it.

    Vertices `color_first` up to `color_last` move at the same time.
    """
    i = first + wp.tid()
    x_i = x[i]
    step = candidate[i] - x_i
    least = float(1.0)
    reason = int(0)
    if wp.length_sq(step) > 0.0:
        rounding = ROUNDING * wp.length(x_i)
        last = start[i]
        if alert[i] != 0:
            last = start[i + 1]
        for k in range(start[i], last):
            pair = pairs[entry[k] / 4]
            distance = FLOOR * pair.radius + rounding
            allowed = part_to_plane(
                i, entry[k] % 4, pair, step, color_first, color_last, distance, x, candidate
            )
            if allowed < least:
                least = allowed
                reason = BY_PAIR
        within = part_within_cap(x_i - x_found[i], step, cap[i])
        if within < least:
            least = within
            reason = BY_CAP
    part[i] = least
    cut[i] = reason


@wp.kernel
def commit(
    first: int,
    part: wp.array[float],
    candidate: wp.array[wp.vec3],
    cut: wp.array[int],
    radius: wp.array[float],
    slack: float,
    # out
    x: wp.array[wp.vec3],
    stuck: wp.array[int],
    travelled: wp.array[int],
):
    """Take the allowed part of every step; stuck[reason] tells that a search would help.

    `travelled` tells that one has used up its slack, so that the caps of now may be too long.
    """
    i = first + wp.tid()
    if wp.length(candidate[i] - x[i]) > slack * radius[i]:
        travelled[0] = 1
    if cut[i] == 0:
        x[i] = candidate[i]
    else:
        x[i] = x[i] + part[i] * (candidate[i] - x[i])
        stuck[cut[i]] = 1


@wp.kernel
def set_caps(
    x: wp.array[wp.vec3],
    expected: wp.array[wp.vec3],
    radius: wp.array[float],
    largest: wp.array[float],
    cut: wp.array[int],
    growth: float,
    # in and out
    slack: wp.array[float],
    # out
    cap: wp.array[float],
    x_found: wp.array[wp.vec3],
):
    """How far each vertex may move until the next search: what it is expected to, and some slack.

    `largest` [m] bounds it, for the pairs' sake. The slack of what a cap has cut short grows;
    without an expectation it is infinite.
    """
    i = wp.tid()
    if cut[i] == BY_CAP:
        slack[i] = growth * slack[i]
    way = 1.2 * wp.length(expected[i] - x[i]) + slack[i] * radius[i]
    # What is no surface may go anywhere.
    cap[i] = wp.where(largest[i] < wp.inf, wp.min(way, largest[i]), wp.inf)
    x_found[i] = x[i]


@wp.kernel
def make_way(
    first: int,
    led_from: int,
    led_end: int,
    x: wp.array[wp.vec3],
    start: wp.array[int],
    entry: wp.array[int],
    pairs: wp.array[Pair],
    # in and out
    candidate: wp.array[wp.vec3],
):
    """Let the candidates of free vertices give way to what is led towards them.

    Vertices `led_from` up to `led_end` are led. What they would come closer to than the contact
    distance is carried along the normal: nothing else could move it far enough in few iterations.
    """
    i = first + wp.tid()
    x_i = x[i]
    farthest = float(0.0)
    way = wp.vec3(0.0)
    for k in range(start[i], start[i + 1]):
        pair = pairs[entry[k] / 4]
        corner = entry[k] % 4
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
                if j >= led_from and j < led_end:
                    approach = wp.max(approach, wp.dot(away, candidate[j] - x[j]))
        if approach > 0.0:
            own = wp.dot(away, candidate[i] - x_i)
            push = approach - own - wp.max(gap - pair.radius, 0.0)
            if push > farthest:
                farthest = push
                way = push * away
    candidate[i] = candidate[i] + way
