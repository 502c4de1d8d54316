# SPDX-License-Identifier: GPL-3.0-or-later
"""What was listed before a search: the pairs of every query, one query behind the other."""

import warp as wp

from ...device.options import HOT
from ..pairs import Anchor

wp.set_module_options(HOT)


@wp.func
def range_of(k: int, end: wp.array[int], offset: int, room: int):
    """Where what query k has found begins and ends in a list."""
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    return wp.clamp(offset + begin, 0, room), wp.clamp(offset + end[k], 0, room)


@wp.func
def place_of(other: int, begin: int, end: int, anchors: wp.array[Anchor]):
    """Where the pair with number `other` stands, or would stand, among those of a query, which are
    in the order of these numbers.
    """
    at = int(begin)
    while at < end and anchors[at].other < other:
        at += 1
    return at


@wp.func
def anchor_at(other: int, at: int, end: int, anchors: wp.array[Anchor]):
    """What is remembered of the pair with number `other`, whose place is `at`; of one that was not
    listed, that nothing has pulled it, and the number −1.
    """
    anchor = Anchor()
    anchor.other = -1
    if at < end and anchors[at].other == other:
        anchor = anchors[at]
    return anchor
