# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays for the slopes along the direction of a coarse step (kernels/coarse/line_sums.py)."""

import numpy as np
import warp as wp

from ..kernels.coarse.coarse_step import ComponentSteps, Members
from ..kernels.coarse.line_sums import LineSums, vec6d, vec8
from ..kernels.coarse.step_length import add_up, choose_step_lengths

# Threads that add up the chunks of a component on a GPU, before one thread adds their sums.
SHARES = 64


def make_sums(component, count, model):
    """`LineSums` over chunks; `component` [chunk] is the component of each, of `count` in all."""
    sums = LineSums()
    order = np.argsort(component, kind="stable")
    start = np.searchsorted(component[order], np.arange(count + 1))
    sums.start = model.upload(start.astype(np.int32), int)
    sums.chunk = model.upload(order.astype(np.int32), int)
    for name, dtype in (("slope", vec6d), ("samples", vec8), ("collapsed", int), ("count", int)):
        setattr(sums, name, wp.zeros(len(order), dtype=dtype, device=model.device))
    return sums


def record_choice(model, longest, reach, members, sums, components, counts_skips, is_early):
    """The launches that choose step lengths by the slopes in `members`, sampled up to `reach`, and
    in `sums`, up to `longest`. They count skipped steps unless `counts_skips` is 0.
    """
    record, count = model.launches.record, len(components.island)
    choice, reduction = [components, is_early], []
    if model.launches.are_wide:
        inputs = [SHARES, members, sums, components]
        members, sums, choice[0] = _reduced(model, components)
        reduction = [record(add_up, (count, SHARES), inputs, [members, sums])]
    inputs = [longest, reach, members, sums, counts_skips]
    return [*reduction, record(choose_step_lengths, count, inputs, choice)]


def _reduced(model, components):
    """Arrays for the slopes of every component in SHARES chunks, and its `ComponentSteps`."""
    count, members, reduced = len(components.island), Members(), ComponentSteps()
    for name in components._cls.vars:
        setattr(reduced, name, getattr(components, name))
    first = SHARES * np.arange(count + 1, dtype=np.int32)
    reduced.first_chunk = model.upload(first, int)
    for name, dtype in (("slope", wp.vec2d), ("samples", vec8)):
        setattr(members, name, wp.zeros(SHARES * count, dtype=dtype, device=model.device))
    return members, make_sums(np.repeat(np.arange(count), SHARES), count, model), reduced
