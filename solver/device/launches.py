# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way to launch kernels: recorded once, played often, shared between threads where it pays.

A kernel whose threads may be shared out has the number of its first thread, `first`, as its first
argument, which is filled in here.
"""

from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import warp as wp

from ..kernels.device.barrier import wait
from .conditions import share
from .graph import Graph

# Parts of a list, on the CPU: they are shared evenly by so many threads or fewer.
PARTS = 64
# A range is split between CPU threads when one thread would take longer than this [ns]: to wait for
# each other takes them 1 µs.
WORTH_SPLITTING = 15e3
# Some things take longer than was thought, and what is near them in the range as well. So threads
# take turns at pieces, which take at least so long [ns]; up to so many each.
PIECE, PIECES = 50e3, 4


def refuse_gaps(values):
    """Raise RuntimeError where an array of one dimension, also within a struct, has gaps between
    its numbers: kernels take it for granted that there are none (kernels/device/options.py).
    """
    for value in values:
        if isinstance(value, wp.array):
            if value.ndim == 1 and not value.is_contiguous:
                raise RuntimeError("kernels need arrays without gaps between their numbers")
        elif hasattr(value, "__dict__"):
            refuse_gaps(vars(value).values())


def nothing():
    """What a launch of no threads does."""


class Launch:
    """A launch, in one part or in several that run side by side; call it to play it.

    Each of the `parts` is a list of pieces that are played one after the other: pairs of a function
    of Warp that launches and its arguments. `cuts` is how they were shared out.
    """

    def __init__(self, parts, threads, cuts=None):
        self.parts, self.threads, self.cuts = parts, threads, cuts

    def __call__(self):
        self.play()

    def play(self):
        """Record, and play from now on what is recorded."""
        if len(self.parts) > 1:
            self.play = partial(side_by_side, self.threads, [self.recorded])
        else:
            self.play = self.recorded[0] if self.parts else nothing
        self.play()

    @cached_property
    def recorded(self):
        """Functions that play the parts. Nothing is compiled or loaded before they are needed."""
        return [
            in_turn([launch(**how, record_cmd=True).launch for launch, how in pieces])
            for pieces in self.parts
        ]


class SharedLaunches:
    """Launches in stages, one after the other, which cost less than each by itself: the threads
    that share a stage wait for each other once. Call it to play it.

    The launches of a stage are shared out alike; a thread does its part of all of them without
    waiting for others. A stage may also be functions that share nothing.
    """

    def __init__(self, stages):
        self.stages = stages

    def __call__(self):
        self.play()

    def play(self):
        """Record, and play from now on what is recorded."""
        actions = [action for stage in self.stages for action in stage]
        shared = [a for a in actions if isinstance(a, Launch) and len(a.parts) > 1]
        if shared:
            self.play = partial(side_by_side, shared[0].threads, self._recorded())
        else:
            self.play = in_turn(actions)
        self.play()

    def _recorded(self):
        """The parts of every stage; what one thread does is one stage as long as it goes on."""
        stages = []
        for stage in self.stages:
            parts = parts_of(stage)
            if len(parts) == 1 and stages and len(stages[-1]) == 1:
                stages[-1] = [in_turn([*stages[-1], *parts])]
            elif parts:
                stages.append(parts)
        return stages


def in_turn(functions):
    """A function that calls others one after the other."""
    return functions[0] if len(functions) == 1 else partial(play, functions)


def parts_of(actions):
    """Functions for the parts of a stage: of each launch the same part."""
    if not all(isinstance(action, Launch) for action in actions):
        return [in_turn(actions)]
    recorded = [launch.recorded for launch in actions if launch.parts]
    return [in_turn(list(parts)) for parts in zip(*recorded, strict=True)]


def side_by_side(threads, stages):
    """Do all parts of a stage at the same time, and stages one after the other, now or in the graph
    that is captured.
    """
    if not share(stages):
        for parts in stages:
            threads.run(parts)


class Launches:
    """Launches on a device; on the CPU several `threads` play one together."""

    def __init__(self, device, threads):
        self.device, self.threads = wp.get_device(device), threads
        self.expected = {}
        if self.device.is_cpu and threads is not None and threads.count > 1:
            self.expect(wait)  # where they wait for each other in a graph

    @property
    def are_wide(self):
        """Whether the device is a GPU: it has many threads, each of which is slow."""
        return not self.device.is_cpu

    def expect(self, *kernels):
        """Note kernels that `run` will launch."""
        self.expected.update((kernel.module, None) for kernel in kernels)

    def modules(self):
        """The Warp modules of all kernels that were recorded or are expected."""
        return list(self.expected)

    def record(
        self, kernel, count, inputs, outputs=(), cost=0.0, first=0, tile_threads=0, like=None
    ):
        """The `Launch` of `count` threads of a kernel (a tuple for one of several dimensions).

        `cost` [ns] of a thread, or [count] of each: what takes long is shared out, or it is shared
        out `like` another launch of the same threads. Threads are numbered from `first` on. With
        `tile_threads` so many work on each tile.
        """
        if np.prod(count):
            self.expect(kernel)
        cuts = like and like.cuts
        return self._launch(kernel, count, inputs, outputs, cost, first, tile_threads, cuts)

    def record_list(self, kernel, room, expected, inputs, outputs=(), cost=0.0):
        """A launch over a list whose length the device knows: at most `room`, about `expected`.

        Its threads share the list (kernels/device/thread_shares.py): the kernel gets their number,
        `parts`, first of all inputs. `cost` [ns] of one thing in the list.
        """
        parts = min(room, PARTS) if self.device.is_cpu else room
        each = cost * expected / max(parts, 1)
        return self.record(kernel, parts, [parts, *inputs], outputs, each)

    def record_serial(self, kernel, room, inputs, outputs):
        """The same for a kernel that adds to or joins what others do as well: on the CPU by one
        thread, in order. Thread k of `parts` takes things k, k + parts, and so on.
        """
        parts = 1 if self.device.is_cpu else room
        return self.record(kernel, parts, [parts, *inputs], outputs)

    def run(self, kernel, count, inputs, outputs=(), cost=0.0, first=0):
        """Launch once, with arguments that are others the next time."""
        # Recorded by this thread alone: Warp is not made for several that do.
        self._launch(kernel, count, inputs, outputs, cost, first)()

    def graph(self, function):
        """The `Graph` of all that a function launches."""
        return Graph(self.device, self.threads, function)

    def _launch(self, kernel, count, inputs, outputs, cost, first, tile_threads=0, cuts=None):
        if np.prod(count) == 0:
            return Launch((), None)
        refuse_gaps([*inputs, *outputs])
        how = {"kernel": kernel, "outputs": list(outputs), "device": self.device}
        launch = wp.launch
        if tile_threads:
            how, launch = how | {"block_dim": tile_threads}, wp.launch_tiled
        if kernel.adj.args[0].label != "first":
            return Launch([[(launch, how | {"dim": count, "inputs": list(inputs)})]], self.threads)
        threads, ends = cuts = cuts or self._cuts(first, int(count), cost)
        pieces = [
            (launch, how | {"dim": int(b - a), "inputs": [int(a), *inputs]})
            for a, b in pairwise(ends)
            if b > a
        ]
        parts = [pieces[k::threads] for k in range(min(threads, len(pieces)))]
        return Launch(parts, self.threads, cuts)

    def _cuts(self, first, count, cost):
        """How many threads share a range, and where its pieces begin and end, which take equally
        long as far as is known.
        """
        total = float(np.sum(cost)) if np.ndim(cost) else count * cost
        threads = pieces = 1
        if self.device.is_cpu:
            threads = min(self.threads.count, 1 + int(total / WORTH_SPLITTING))
        if threads > 1:
            pieces = threads * int(np.clip(total / threads / PIECE, 1, PIECES))
        if pieces == 1 or not np.ndim(cost):
            return threads, [first + count * k // pieces for k in range(pieces + 1)]
        inner = np.searchsorted(np.cumsum(cost), np.arange(1, pieces) * total / pieces)
        return threads, [first, *(first + inner).tolist(), first + count]


def play(launches):
    """Play launches one after the other."""
    for launch in launches:
        launch()
