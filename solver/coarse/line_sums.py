# SPDX-License-Identifier: GPL-3.0-or-later
"""Where slopes along the direction of a coarse step are added up (kernels/coarse/line_sums.py)."""

import numpy as np
import warp as wp

from ..kernels.coarse.coarse_step import Linkages, Members
from ..kernels.coarse.line_sums import LineSums, vec6d, vec8
from ..kernels.coarse.step_length import add_up, choose_step_lengths

# On a GPU every linkage is added up by so many threads before one goes on with their sums.
PARTS = 64


def make_sums(linkage, count, model):
    """`LineSums` over chunks of the linkages with these numbers [chunk], of which there are
    `count`.
    """
    sums = LineSums()
    order = np.argsort(linkage, kind="stable")
    start = np.searchsorted(linkage[order], np.arange(count + 1))
    sums.start = model.upload(start.astype(np.int32), int)
    sums.chunk = model.upload(order.astype(np.int32), int)
    for name, dtype in (("slope", vec6d), ("samples", vec8), ("collapsed", int), ("count", int)):
        setattr(sums, name, wp.zeros(len(order), dtype=dtype, device=model.device))
    return sums


def record_choice(model, longest, reach, members, sums, linkages, counts, is_early):
    """The launches that choose step lengths, by the slopes in `members`, sampled up to `reach`, and
    in `sums`, up to `longest`; whether what is skipped `counts`.
    """
    record, count = model.launches.record, len(linkages.island)
    choice, before = [linkages, is_early], []
    if model.launches.are_wide:
        inputs = [PARTS, members, sums, linkages]
        members, sums, choice[0] = _fewer(model, linkages)
        before = [record(add_up, (count, PARTS), inputs, [members, sums])]
    inputs = [longest, reach, members, sums, counts]
    return [*before, record(choose_step_lengths, count, inputs, choice)]


def _fewer(model, linkages):
    """Room for the slopes of every linkage in PARTS chunks, and its `Linkages` in a list."""
    count, members, fewer = len(linkages.island), Members(), Linkages()
    for name in linkages._cls.vars:
        setattr(fewer, name, getattr(linkages, name))
    first = PARTS * np.arange(count + 1, dtype=np.int32)
    fewer.first_chunk = model.upload(first, int)
    for name, dtype in (("slope", wp.vec2d), ("samples", vec8)):
        setattr(members, name, wp.zeros(PARTS * count, dtype=dtype, device=model.device))
    return members, make_sums(np.repeat(np.arange(count), PARTS), count, model), fewer
