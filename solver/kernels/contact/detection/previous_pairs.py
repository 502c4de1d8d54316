# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that were listed before a search, one query behind the other."""

import warp as wp

from ...device.options import OPTIONS
from ..pairs import Anchor

wp.set_module_options(OPTIONS)


@wp.func
def range_of(k: int, end: wp.array[int], offset: int, capacity: int):
    """Return the begin and end of the results of query k in a list."""
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    return wp.clamp(offset + begin, 0, capacity), wp.clamp(offset + end[k], 0, capacity)


@wp.func
def place_of(other: int, begin: int, end: int, anchors: wp.array[Anchor]):
    """Return the place of the pair with number `other`, or where it would be inserted, among those
    of a query, which are in the order of these numbers.
    """
    at = int(begin)
    while at < end and anchors[at].other < other:
        at += 1
    return at


@wp.func
def anchor_at(other: int, at: int, end: int, anchors: wp.array[Anchor]):
    """Return the anchor of the pair with number `other`, whose place is `at`; one without
    displacement and with the number −1, if it was not listed.
    """
    anchor = Anchor()
    anchor.other = -1
    if at < end and anchors[at].other == other:
        anchor = anchors[at]
    return anchor
