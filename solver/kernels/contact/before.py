# SPDX-License-Identifier: GPL-3.0-or-later
"""What was listed before a search: the pairs of every query, one query behind the other."""

import warp as wp

from ..options import HOT
from .pairs import Anchor

wp.set_module_options(HOT)


@wp.func
def length_of(k: int, end: wp.array[int]):
    """How many things are behind the end of k - 1, up to that of k."""
    return end[k] - wp.where(k > 0, end[wp.max(k - 1, 0)], 0)


@wp.func
def range_of(k: int, end: wp.array[int], offset: int, room: int):
    """Where what query k has found begins and ends in a list."""
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    return wp.clamp(offset + begin, 0, room), wp.clamp(offset + end[k], 0, room)


@wp.func
def found_by(
    k: int,
    j: int,
    slots: int,
    again: wp.array[int],
    found: wp.array[int],
    old: int,
    anchors: wp.array[Anchor],
):
    """Number j of what query k has found: now or, where it was not asked again, before, as it was
    listed from number `old` on.
    """
    if again[k] != 0:
        return found[k * slots + j]
    return anchors[wp.min(old + j, anchors.shape[0] - 1)].other


@wp.func
def pulled_before(v: wp.vec4i, begin: int, end: int, anchors: wp.array[Anchor]):
    """How far A of a pair of the vertices v was pulled aside [m], where it was listed before."""
    for p in range(begin, end):
        if anchors[p].vertices == v:
            return anchors[p].pulled
    return wp.vec3(0.0)
