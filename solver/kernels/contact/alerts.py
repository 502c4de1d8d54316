# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may have come near since gaps were measured, and has to be truncated by its pairs.

A vertex that gets far from where it was then tells its partners how far. That is a level: the
exponent of a power of two above it, so that it tells no more than once per octave. A pair of which
no vertex has gone beyond a little of its own gap is quiet, whatever the other pairs are.
"""

from functools import cache

import warp as wp

from ..embedding import Embedding, surface_functions
from ..options import HOT
from .pairs import AHEAD, QUIET, PairLists, prefetch_pair

wp.set_module_options(HOT)

# Bits of the fraction of a float32, in front of which stands its exponent.
FRACTION_BITS = wp.constant(23)
# The level of what may be anywhere: the exponent of infinity.
ANYWHERE = wp.constant(255)
# The lowest level.
LEAST = wp.constant(1)

# Warp's own atomics are none on the CPU, where threads may alert the same vertex.
RAISE = """
#if defined(__CUDA_ARCH__)
    atomicMax(&levels.data[at], level);
#else
    auto* place = &levels.data[at];
    auto now = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (now < level
           && !__atomic_compare_exchange_n(
               place, &now, level, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
"""


@wp.func_native(RAISE)
def raise_level(levels: wp.array[int], at: int, level: int):
    """Raise a level to at least `level`, whoever does so at the same time."""
    ...


@wp.func
def level_of(path: float):
    """The level of a path [m] ≥ 0: it is shorter than `longest_at` that."""
    return wp.min((wp.cast(path, int) >> FRACTION_BITS) + LEAST, ANYWHERE)


@wp.func
def longest_at(level: int):
    """How far a vertex may have gone at a level [m]."""
    return wp.cast(level << FRACTION_BITS, float)


@wp.func
def is_quiet(level: int, gap: float):
    """Whether a pair, one of whose vertices is alert by a level, is out of danger: it had `gap` [m]
    of room.
    """
    return longest_at(level) <= QUIET * gap


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
                raise_level(alert, embedding.corners[k], LEAST)

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
        told: wp.array[int],
        # out
        alert: wp.array[int],
        alarm: wp.array[int],
    ):
        """Alert all surface vertices that share a pair with one that gets far from `x_seen`, and
        what moves them. `told` is the level that a vertex has told its partners, 0 for none.

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
            far = wp.length(candidate[i] - x_seen[i])
            if wp.static(embedded):
                path = wp.abs(surface.share(slot, embedding)) * step
                if alone == 0:
                    path = surface.longest_path(s, moving, x, candidate, embedding)
                far = wp.length(x[s] - x_seen[s]) + path
            level = level_of(far)
            if level > told[s] and far > QUIET * least_gap[s]:
                alarm[0] = 1
                for k in range(lists.start[s], lists.start[s + 1]):
                    prefetch_pair(lists, k + AHEAD)
                    if is_quiet(level, lists.gap[k]):
                        continue
                    v = lists.pairs[lists.entry[k] / 4].vertices
                    for c in range(4):
                        if alert[v[c]] < level:
                            raise_level(alert, v[c], level)
                            if wp.static(embedded):
                                alert_corners(v[c], embedding, alert)
                told[s] = level

    return alert_partners
