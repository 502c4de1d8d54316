# SPDX-License-Identifier: GPL-3.0-or-later
"""New planes for pairs of rigid bodies that have moved along an arc (advancement.py)."""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import QUIET, PairLists, signed_weights, weighted
from .pair_bounds import Watch
from .separating_planes import better, separating_normal, slack_between

wp.set_module_options(OPTIONS)

# Quiet corners of both sides (pair_bounds.py) can use at most this fraction of the gap of a pair.
UNUSED = wp.constant(4.0 * QUIET)


@wp.kernel
def turn_planes(
    first: int,
    points: wp.vec2i,
    x: wp.array[wp.vec3],
    # in and out
    lists: PairLists,
    watch: Watch,
):
    """Let the planes of pairs that a step of a rigid body has come near to, or gone through, lie
    between their sides again, and those of pairs whose gaps are not known. All corners of such
    pairs check them at every step until gaps are measured again. One thread per point; those from
    points[0] to points[1] have moved.
    """
    s = first + wp.tid()
    for k in range(lists.start[s], lists.start[s + 1]):
        p = lists.entry[k] / 4
        pair = lists.pairs[p]
        v = pair.vertices
        # One corner of a pair acts: the first one that has moved, of the two first ones.
        acts = s == v[0] or (s == v[pair.kind] and not (v[0] >= points[0] and v[0] < points[1]))
        if not acts:
            continue
        is_measured = watch.unknown[0] == 0 and lists.gap[k] >= 0.0
        slack = slack_between(pair.kind, pair, x)
        if not is_measured or slack < UNUSED * lists.gap[k]:
            weights = signed_weights(pair.kind, v, x)
            n = separating_normal(pair.kind, weights, v, x, weighted(weights, v, x))
            lists.pairs[p].plane_normal = better(pair.kind, pair.plane_normal, n, v, x)
            watch.is_stale[0] = 1
            for c in range(4):
                watch.least_gap[v[c]] = -1.0
                for e in range(lists.start[v[c]], lists.start[v[c] + 1]):
                    if lists.entry[e] / 4 == p:
                        lists.gap[e] = -1.0
