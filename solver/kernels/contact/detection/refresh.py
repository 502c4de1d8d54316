# SPDX-License-Identifier: GPL-3.0-or-later
"""Refresh of contact pairs: near ones, their closest points and normals, and their corners."""

import warp as wp

from ...device.options import OPTIONS
from ...device.thread_shares import share_of
from ..feasibility.pair_bounds import Watch
from ..feasibility.separating_planes import better, separating_normal, slack_between
from ..initial.initial_orientation import is_separated
from ..pairs import (
    EDGE_EDGE,
    VERTEX_TRIANGLE,
    Pair,
    PairLists,
    PairState,
    Touch,
    signed_weights,
    weighted,
)
from .pair_activity import (
    LEAST_NEAR,
    LEFT,
    NEAR,
    NOWHERE,
    STILL,
    PairActivity,
    activity_of,
    is_unchanged,
)
from .pair_counts import OF_EDGES, OF_VERTICES
from .touches import edge_edge_touch, vertex_triangle_touch

wp.set_module_options(OPTIONS)

# Near pairs reach at most this many times as far beyond the contact distance as their vertices have
# gone since the last check or, some sweeps ago, ...
HASTE = wp.constant(4.0)
# ... of which each check remembers this fraction.
REMEMBERED = wp.constant(0.7)


# Four numbers at once: the `max` of Warp also tests each for NaN.
PAIR_DISPLACEMENTS = """
#if defined(__CUDA_ARCH__)
    wp::vec_t<3, float> r;
    for (int i = 0; i < 3; ++i) {
        float a = ways.data[v[0]][i], b = ways.data[v[1]][i];
        float last = fmaxf(ways.data[v[2]][i], ways.data[v[3]][i]);
        float own = kind == 2 ? fmaxf(a, b) : a, other = kind == 2 ? last : fmaxf(b, last);
        r[i] = i == 0 ? fmaxf(own, other) : own + other;
    }
    return r;
#else
    typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
    auto larger = [](four a, four b) { return a > b ? a : b; };
    auto at = [&](int c) { return *(const four*)&ways.data[v[c]]; };
    four a = at(0), b = at(1), last = larger(at(2), at(3));
    four own = kind == 2 ? larger(a, b) : a, other = kind == 2 ? last : larger(b, last);
    four both = own + other;
    return wp::vec_t<3, float>(larger(own, other)[0], both[1], both[2]);
#endif
"""


@wp.func_native(PAIR_DISPLACEMENTS)
def pair_displacements(kind: int, v: wp.vec4i, ways: wp.array[wp.vec4]) -> wp.vec3:
    """Return the displacements of a pair [m]: the longest first one of all, and of each other one
    the longest on either side, added up.
    """
    ...


@wp.func
def reach_if_near(radius: float, gap: float, stride: float):
    """Return the gap [m] below which a pair is near whose sides go by `stride` [m] together between
    two checks; 0 if it is not near, with at least this `gap`.
    """
    reach = float(0.0)
    if gap < NEAR * radius:
        reach = radius + wp.clamp(HASTE * stride, LEAST_NEAR * radius, (NEAR - 1.0) * radius)
        if gap >= reach:
            reach = 0.0
    return reach


@wp.func
def note_near(p: int, v: wp.vec4i, near: int, state: wp.array[PairState], changed: wp.array[int]):
    """Note the corners, of the vertices v, on which pair p may act now."""
    if near != state[p].near:
        for c in range(4):
            changed[v[c]] = 1
        state[p].near = near


@wp.kernel
def find_displacements(
    first: int,
    x: wp.array[wp.vec3],
    radius: wp.array[float],
    # in and out
    x_checked: wp.array[wp.vec3],
    stride: wp.array[float],
    watch: Watch,
):
    """Find the displacements of each vertex [m]: since its last check, since the slack of its pairs
    was measured, and its stride so far. Notes the `stride` since the last check; it is infinite
    before the first one of a step. A vertex at rest, within its contact `radius` [m], keeps its
    place of the last check.
    """
    i = first + wp.tid()
    here = x[i]
    moved = wp.length(here - x_checked[i])
    before = stride[i]
    watch.displacements[i] = wp.vec4(moved, wp.length(here - watch.x_measured[i]), before, 0.0)
    stride[i] = wp.max(moved, REMEMBERED * wp.where(before < wp.inf, before, 0.0))
    if moved > STILL * radius[i]:
        x_checked[i] = here


@wp.kernel
def refresh_pairs(
    first: int,
    shares: int,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    pairs: wp.array[Pair],
    pulled: wp.array[wp.vec3],
    counts: wp.array[int],
    # in and out
    watch: Watch,
    activities: wp.array[PairActivity],
    # out
    touches: wp.array[Touch],
    state: wp.array[PairState],
):
    """Update the closest points and normals of near pairs.

    The slack between their sides and their cached activity are measured where they are stale, as
    after every search; otherwise slack shrinks by the `displacements` of vertices since.
    `changed` vertices get other lists.
    """
    is_stale = watch.is_stale[0] != 0
    of_vertices = counts[OF_VERTICES]
    begin, end = share_of(first + wp.tid(), shares, of_vertices + counts[OF_EDGES])
    for p in range(begin, end):
        kind = wp.where(p < of_vertices, VERTEX_TRIANGLE, EDGE_EDGE)
        slack = state[p].gap
        activity = activities[p]
        v = activity.vertices
        if is_stale:
            pair = pairs[p]
            v = pair.vertices
            slack = slack_between(kind, pair, x)
            state[p].gap = slack
            activity = activity_of(pair, slack)
            activities[p] = activity
        elif v[0] == NOWHERE:
            continue
        displacement = pair_displacements(kind, v, watch.displacements)
        is_still = bool(False)
        if not is_stale:
            is_still = displacement[0] <= STILL * activity.radius
            if is_still and is_unchanged(activity, state[p]):
                continue
            slack = wp.max(LEFT * slack, slack - displacement[1])
        near = int(0)
        reach = reach_if_near(activity.radius, slack, displacement[2])
        if reach > 0.0:
            if is_still:
                continue
            if kind == VERTEX_TRIANGLE:
                touch, near = vertex_triangle_touch(p, pairs[p], reach, pulled, x, x_start)
                if near != 0:
                    touches[p] = touch
            else:
                across, near = edge_edge_touch(p, pairs[p], reach, pulled, x, x_start)
                if near != 0:
                    touches[p] = across
        note_near(p, v, near, state, watch.changed)


@wp.kernel
def gather_near(
    first: int,
    x: wp.array[wp.vec3],
    lists: PairLists,
    state: wp.array[PairState],
    # in and out
    watch: Watch,
    # out
    near_entry: wp.array[int],
    near_end: wp.array[int],
    gap: wp.array[float],
):
    """Gather the entries of each vertex that may act on it, from lists.start[i] up to near_end[i];
    those behind are unused.

    Where gaps are stale, also find the smallest slack [m] of all its pairs, as measured at x.
    """
    is_stale = watch.is_stale[0] != 0
    if not is_stale and watch.changed[first + wp.tid()] == 0:
        return
    i = first + wp.tid()
    end = lists.start[i]
    least = float(1.0e30)
    for k in range(lists.start[i], lists.start[i + 1]):
        e = lists.entry[k]
        of_pair = state[e >> 2]
        least = wp.where(of_pair.gap < least, of_pair.gap, least)
        if is_stale:
            gap[k] = of_pair.gap
        # Written in any case: branches on near pairs are unpredictable.
        near_entry[end] = e
        end += (of_pair.near >> (e & 3)) & 1
    near_end[i] = end
    watch.changed[i] = 0
    if is_stale:
        watch.least_gap[i] = least
        watch.x_measured[i] = x[i]
        watch.farthest[i] = 0.0


@wp.kernel
def renew_planes(
    first: int,
    shares: int,
    x: wp.array[wp.vec3],
    counts: wp.array[int],
    # in and out
    pairs: wp.array[Pair],
):
    """Let the normals of all pairs of surfaces separate their sides as they are now, where that
    leaves more between them than the old ones do.
    """
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        v = pair.vertices
        weights = signed_weights(pair.kind, v, x)
        gap = weighted(weights, v, x)
        n = separating_normal(pair.kind, weights, v, x, gap)
        if is_separated(pair, gap, n, x):
            pairs[p].plane_normal = better(pair.kind, pair.plane_normal, n, v, x)
