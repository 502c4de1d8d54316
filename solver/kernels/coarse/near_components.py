# SPDX-License-Identifier: GPL-3.0-or-later
"""Components that contact pairs bring near each other, for the islands of the coarse step."""

import warp as wp

from ..contact.detection.pair_counts import ALL, SEARCHES
from ..contact.pairs import Pair
from ..device.options import OPTIONS
from .step_groups import WORD, word_of

wp.set_module_options(OPTIONS)


@wp.kernel
def check_for_search(
    counts: wp.array[int],
    # in and out
    last_search: wp.array[int],
    # out
    is_due: wp.array[int],
):
    """Set `is_due` if a search for pairs has run since the islands were found."""
    is_due[0] = wp.where(counts[SEARCHES] != last_search[0], 1, 0)
    last_search[0] = counts[SEARCHES]


@wp.func
def mark(one: int, other: int, component_count: int, near: wp.array[int]):
    """Mark two components as near each other, with the bit of the first for the other."""
    word = word_of(one, other, component_count)
    bit = 1 << (other % WORD)
    if one >= 0 and other > one and near[word] & bit == 0:
        wp.atomic_or(near, word, bit)


@wp.kernel
def mark_neighbors(
    shares: int,
    counts: wp.array[int],
    pairs: wp.array[Pair],
    component: wp.array[int],
    component_count: int,
    # in and out
    near: wp.array[int],
):
    """Mark components with a contact pair between them; most pairs have two at most."""
    for k in range(wp.tid(), counts[ALL], shares):
        v = pairs[k].vertices
        of = wp.vec4i(component[v[0]], component[v[1]], component[v[2]], component[v[3]])
        last = wp.max(of)
        if last != wp.min(of):
            for a in range(4):
                mark(of[a], last, component_count, near)
                if of[a] >= 0 and of[a] != last:
                    for b in range(a):
                        mark(wp.min(of[a], of[b]), wp.max(of[a], of[b]), component_count, near)
