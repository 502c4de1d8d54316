# SPDX-License-Identifier: GPL-3.0-or-later
"""What pairs leave of the steps of many vertices that move at the same time, pair by pair.

A vertex that moves alone, but for others of its color, is truncated with its own pairs
(truncation.py). Where all four corners of most pairs move, each of them would find what the others
of it have found: here each pair is looked at once, in the order in which pairs lie in memory.
"""

import warp as wp

from ..embedding import Embedding, surface_functions
from ..options import HOT
from ..shares import share_of
from .alerts import is_quiet
from .counts import OF_EDGES, OF_VERTICES
from .pairs import PairLists, PairState
from .planes import fraction_to_plane, toward_plane

wp.set_module_options(HOT)

# Warp's own atomics are none on the CPU. Fractions are not negative: they lie in the order of their
# bits.
LOWER = """
#if defined(__CUDA_ARCH__)
    atomicMin((int*)&fractions.data[at], __float_as_int(fraction));
#else
    auto* place = (int*)&fractions.data[at];
    int to;
    __builtin_memcpy(&to, &fraction, sizeof(to));
    auto now = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (now > to
           && !__atomic_compare_exchange_n(
               place, &now, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
"""


@wp.func_native(LOWER)
def lower(fractions: wp.array[float], at: int, fraction: float):
    """Lower a fraction ≥ 0 to at most `fraction`, whoever does so at the same time."""
    ...


path_along = surface_functions(0).path_along  # of vertices that are their own surface


@wp.kernel
def bound_together(
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
    # in and out
    bound: wp.array[float],
):
    """Lower the fraction of its step, `bound` [vertex], that each vertex may take to what its pairs
    let it; of those pairs that it is alert to.
    """
    if alarm[0] == 0:
        return
    begin, end = share_of(first + wp.tid(), parts, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        v = lists.pairs[p].vertices
        level = wp.vec4i(alert[v[0]], alert[v[1]], alert[v[2]], alert[v[3]])
        gap = state[p].gap
        highest = wp.max(wp.max(level[0], level[1]), wp.max(level[2], level[3]))
        if highest == 0 or is_quiet(highest, gap):
            continue
        pair = lists.pairs[p]
        approach = wp.vec4(
            path_along(v[0], toward_plane(0, pair), moving, x, candidate, embedding),
            path_along(v[1], toward_plane(1, pair), moving, x, candidate, embedding),
            path_along(v[2], toward_plane(2, pair), moving, x, candidate, embedding),
            path_along(v[3], toward_plane(3, pair), moving, x, candidate, embedding),
        )
        for c in range(4):
            if approach[c] > 0.0 and level[c] != 0 and not is_quiet(level[c], gap):
                fraction = fraction_to_plane(c, pair, approach, x)
                if fraction < 1.0:
                    lower(bound, v[c], fraction)
