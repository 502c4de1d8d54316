# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays for the slopes along the direction of a coarse step (kernels/coarse/line_sums.py)."""

import numpy as np
import warp as wp

from ..device.launches import THREADS
from ..kernels.coarse.line_sums import LineSums, vec6d, vec8
from ..kernels.coarse.step_length import ReducedSums, choose_step_lengths

# Chunks of a component that a block sums up on a GPU.
PER_BLOCK = 16 * THREADS


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


def record_choice(model, chunks, longest, counts_skips, members, sums, state):
    """The launch that chooses step lengths by the slopes in `members`, in so many `chunks`, and in
    `sums`; `state` are reach, `ComponentSteps` and is_early (kernels/coarse/step_length.py). It
    counts skipped steps unless `counts_skips` is 0.
    """
    reach, components, is_early = state
    count, shares = len(components.island), 1
    if model.launches.are_wide:
        shares = -(-(chunks + len(sums.chunk)) // (PER_BLOCK * count))
    reduced, ended = _reduced(count, shares, model.device), wp.zeros_like(is_early)
    inputs = [longest, counts_skips, members, sums]
    outputs = [reduced, ended, reach, components, is_early]
    each = count, shares
    return model.launches.record(choose_step_lengths, each, inputs, outputs, tile_threads=THREADS)


def _reduced(count, shares, device):
    """`ReducedSums` of so many components."""
    reduced = ReducedSums()
    reduced.shares = shares
    for name, dtype in (
        ("vertices", wp.vec2d),
        ("contacts", vec8),
        ("polynomial", vec6d),
        ("elements", vec8),
        ("collapsed", int),
        ("count", int),
    ):
        setattr(reduced, name, wp.zeros(count * shares, dtype=dtype, device=device))
    return reduced
