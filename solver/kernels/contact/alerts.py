# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may have come near since gaps were measured, and has to be truncated by its pairs."""

from functools import cache

import warp as wp

from ..embedding import Embedding, surface_functions
from ..options import HOT
from .pairs import QUIET, PairLists

wp.set_module_options(HOT)

# Who has alerted its partners. Others are alert since they share a pair with one that has.
RAISED = wp.constant(2)


@cache
def alert_kernel(width: int) -> wp.Kernel:
    """The kernel for scenes whose embedded points have so many corners, or 0."""
    surface, embedded = surface_functions(width), width > 0

    @wp.func
    def alert_corners(s: int, embedding: Embedding, alert: wp.array[int]):
        """Alert what moves surface vertex s."""
        if s >= embedding.first:
            begin = (s - embedding.first) * embedding.width
            for k in range(begin, begin + embedding.width):
                alert[embedding.corners[k]] = 1

    @wp.kernel(module="unique", module_options=HOT)
    def alert_partners(
        first: int,
        embedding: Embedding,
        moving: wp.vec2i,
        alone: int,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_seen: wp.array[wp.vec3],
        least_gap: wp.array[float],
        room: wp.array[float],
        lists: PairLists,
        all_alert: wp.array[int],
        # in and out
        awake: wp.array[int],
        # out
        alert: wp.array[int],
        alarm: wp.array[int],
    ):
        """Alert all surface vertices that share a pair with one that gets far from `x_seen`, and
        what moves them.

        That is where it was when the gaps were measured. The others are out of danger: their steps
        need no truncation by pairs. As long as all vertices that move an embedded point keep within
        their `room`, it gets nowhere near that far. Nothing is to do where `all_alert` says so.
        With `alone` no point has more than one corner that moves.
        """
        if all_alert[0] != 0:
            return
        i = first + wp.tid()
        if wp.static(embedded):
            if lists.listed[i] == 0:
                return
            if wp.length(candidate[i] - x_seen[i]) > room[i]:
                for k in range(embedding.first_neighbor[i], embedding.first_neighbor[i + 1]):
                    awake[embedding.neighbor[k]] = 1
            elif awake[i] == 0:
                return
        step = wp.length(candidate[i] - x[i])
        begin, end = surface.carried_range(i, embedding)
        for slot in range(begin, end):
            s = surface.carried(slot, embedding)
            if alert[s] == RAISED:
                continue
            far = wp.length(candidate[i] - x_seen[i])
            if wp.static(embedded):
                path = wp.abs(surface.share(slot, embedding)) * step
                if alone == 0:
                    path = surface.longest_path(s, moving, x, candidate, embedding)
                far = wp.length(x[s] - x_seen[s]) + path
            if far > QUIET * least_gap[s]:
                alarm[0] = 1
                for k in range(lists.start[s], lists.start[s + 1]):
                    v = lists.pairs[lists.entry[k] / 4].vertices
                    for c in range(4):
                        if alert[v[c]] == 0:
                            alert[v[c]] = 1
                            if wp.static(embedded):
                                alert_corners(v[c], embedding, alert)
                alert[s] = RAISED

    return alert_partners
