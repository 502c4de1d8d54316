# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether contact pairs are to be sought again."""

import warp as wp

from ..options import QUICK
from ..shares import share_of
from .truncation import BY_PAIR, BY_TRUST_RADIUS

wp.set_module_options(QUICK)


@wp.kernel
def count_capped(
    parts: int,
    stuck: wp.array[int],
    cut: wp.array[int],
    # in and out
    capped: wp.array[int],
):
    """Count the vertices whose last step their trust radius has cut short, if there are any."""
    if stuck[BY_TRUST_RADIUS] == 0:
        return
    begin, end = share_of(wp.tid(), parts, cut.shape[0])
    mine = int(0)
    for i in range(begin, end):
        mine += int(cut[i] == BY_TRUST_RADIUS)
    if mine > 0:
        wp.atomic_add(capped, 0, mine)


@wp.kernel
def decide(
    stuck: wp.array[int],
    number: wp.array[int],
    every: int,
    many: float,
    most: int,
    # in and out
    capped: wp.array[int],
    rounds: wp.array[int],
    # out
    is_due: wp.array[int],
):
    """A search is due when `many` vertices are capped, and also when one is stuck, wherever
    `every` divides `number` [1] and that is not 0; 0 never does.

    But no more than `most` of these `rounds` in a row. One thread; counts anew from here on.
    """
    rounds[0] = rounds[0] + 1
    wanted = float(capped[0]) > many
    if every > 0:
        if number[0] > 0 and number[0] % every == 0:
            wanted = wanted or stuck[BY_PAIR] + stuck[BY_TRUST_RADIUS] > 0
    is_due[0] = int(wanted and rounds[0] < most)
    capped[0] = 0
