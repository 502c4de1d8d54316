# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays for the slopes along the direction of a coarse step (kernels/coarse/line_sums.py)."""

import numpy as np
import warp as wp

from ..kernels.coarse import step_length as kernels
from ..kernels.coarse.line_sums import LineSums, vec6d, vec8
from ..kernels.coarse.step_length import ReducedSums
from ..kernels.device.turns import TURNS

# Chunks of a component that a block sums up on a GPU.
PER_BLOCK = 16 * int(kernels.THREADS)


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


def record_choice(model, chunks, longest, members, sums, state, counts_skips):
    """The launch that chooses step lengths by the slopes in `members`, in so many `chunks`, and in
    `sums`; `state` are reach, `ComponentSteps` and is_early (kernels/coarse/step_length.py). It
    counts skipped steps unless `counts_skips` is 0.
    """
    reach, components, is_early = state
    reduced, ended = _reduced(chunks, components, sums, model)
    inputs = [longest, counts_skips, members, sums]
    outputs = [reduced, ended, reach, components, is_early]
    each, threads = (len(components.island), reduced.shares), int(kernels.THREADS)
    record = model.launches.record
    return record(kernels.choose_step_lengths, each, inputs, outputs, tile_threads=threads)


def record_choice_and_move(model, chunks, longest, members, sums, state, moves):
    """The launch that chooses step lengths as in `record_choice`, counts skipped steps, and
    then gives `moves` to all vertices.
    """
    reach, components, is_early = state
    reduced, ended = _reduced(chunks, components, sums, model)
    turns, threads = wp.zeros(TURNS, dtype=int, device=model.device), int(kernels.THREADS)
    inputs = [longest, members, sums]
    outputs = [reduced, ended, turns, reach, components, moves, is_early]
    count = len(components.island) * reduced.shares - (-len(members.vertex) // threads)
    record = model.launches.record
    return record(kernels.choose_and_move, count, inputs, outputs, tile_threads=threads)


def _reduced(chunks, components, sums, model):
    """`ReducedSums` of components, and a count of blocks that have ended."""
    count, shares = len(components.island), 1
    if model.launches.are_wide:
        shares = -(-(chunks + len(sums.chunk)) // (PER_BLOCK * count))
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
        setattr(reduced, name, wp.zeros(count * shares, dtype=dtype, device=model.device))
    return reduced, wp.zeros(1, dtype=int, device=model.device)
