# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way to launch kernels: recorded once, played often, shared between threads where it pays.

A kernel whose threads may be shared between CPU threads has the number of its first thread,
`first`, as its first argument, which is filled in here.
"""

from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import warp as wp

from ..kernels.device.shared_stage import play_stage
from .graph import Graph
from .threads import SharedStage

# Shares of a list on the CPU: so many threads or fewer take equal numbers of them.
SHARES = 64
# A range is split between CPU threads when one thread would take longer than this [ns]: to share it
# costs about 1 µs.
WORTH_SPLITTING = 15e3
# Each thread gets up to so many pieces of about that length: costs may be underestimated for a
# whole stretch of the range, and a thread may be interrupted.
PIECES = 4
# Threads of a block on a GPU: Warp's default, for which all modules are compiled anyway.
THREADS = 256


def refuse_gaps(values):
    """Raise RuntimeError if an array of one dimension, also within a struct, has gaps between its
    numbers: kernels assume contiguous arrays (kernels/device/options.py).
    """
    for value in values:
        if isinstance(value, wp.array):
            if value.ndim == 1 and not value.is_contiguous:
                raise RuntimeError("kernels need arrays without gaps between their numbers")
        elif hasattr(value, "__dict__"):
            refuse_gaps(vars(value).values())


def nothing():
    """Play a launch of no threads."""


class Launch:
    """A launch in one piece, or in several that run side by side; call it to play it.

    Each of the `pieces` is a launch function of Warp and its arguments. `ends` are the begin of the
    first one and the ends of all. Launches that are played once share a `history` (SharedStage).
    """

    def __init__(self, pieces, threads, ends=None):
        self.pieces, self.threads, self.ends, self.history = pieces, threads, ends, {}

    def __call__(self):
        self.play()

    def play(self):
        """Record the launch, and play the recorded commands from now on."""
        if len(self.pieces) > 1:
            self.play = stage_of([self])
        else:
            self.play = self.recorded[0].launch if self.pieces else nothing
        self.play()

    @cached_property
    def recorded(self):
        """Recorded launches. Nothing is compiled or loaded before they are needed."""
        return [launch(**how, record_cmd=True) for launch, how in self.pieces]


class SharedLaunches:
    """Launches in consecutive stages. Call it to play it.

    The launches of a stage are split alike; each thread plays its pieces of all of them without
    waiting for others. A stage may also be functions that are not shared.
    """

    def __init__(self, stages):
        self.stages = stages

    def __call__(self):
        self.play()

    def play(self):
        """Record the launches, and play the recorded commands from now on."""
        self.play = in_turn([stage_of(stage) for stage in self.stages])
        self.play()


def in_turn(functions):
    """Return a function that calls others one after the other."""
    return functions[0] if len(functions) == 1 else partial(play, functions)


def stage_of(actions):
    """Return a function that plays a stage: launches split alike, or other functions."""
    if not any(isinstance(action, Launch) and len(action.pieces) > 1 for action in actions):
        return in_turn(actions)
    launches = [launch for launch in actions if launch.pieces]
    pieces = list(zip(*(launch.recorded for launch in launches), strict=True))
    return SharedStage(launches[0].threads, pieces, launches[0].history)


class Launches:
    """Launches on a device; on the CPU several `threads` (Workers) share each of them."""

    def __init__(self, device, threads):
        self.device, self.threads = wp.get_device(device), threads
        self.expected, self.histories = {}, {}
        if self.device.is_cpu and threads is not None and threads.count > 1:
            self.expect(play_stage)

    @property
    def are_wide(self):
        """True on a GPU: it has many threads, each of which is slow."""
        return not self.device.is_cpu

    def expect(self, *kernels):
        """Note kernels that `run` will launch."""
        self.expected.update((kernel.module, None) for kernel in kernels)

    def modules(self):
        """Return the Warp modules of all kernels that were recorded or are expected."""
        return list(self.expected)

    def record(
        self,
        kernel,
        count,
        inputs,
        outputs=(),
        cost=0.0,
        first=0,
        tile_threads=0,
        like=None,
        team=1,
    ):
        """Return the `Launch` of `count` threads of a kernel (a tuple for several dimensions).

        `cost` [ns] is that of one thread, or [count] of each: a long launch is split between CPU
        threads, or split `like` another launch of the same threads. Threads are numbered from
        `first` on. With `tile_threads`, so many threads work on each tile; in place of each thread
        a `team` has several (kernels/device/teams.py).
        """
        if np.prod(count):
            self.expect(kernel)
        ends = like and like.ends
        return self._launch(kernel, count, inputs, outputs, cost, first, tile_threads, ends, team)

    def record_list(self, kernel, capacity, expected, inputs, outputs=(), cost=0.0):
        """Return a launch over a list whose length only the device knows: about `expected`.

        Its threads share the list (kernels/device/thread_shares.py): the kernel gets their number,
        `shares`, as its first input. `cost` [ns] is that of one item of the list.
        """
        shares = capacity if self.are_wide else min(capacity, SHARES)
        each = cost * expected / max(shares, 1)
        return self.record(kernel, shares, [shares, *inputs], outputs, each)

    def record_serial(self, kernel, capacity, inputs, outputs):
        """Return a launch over a list for a kernel whose threads add to shared results or join
        nodes: on the CPU by one thread, in order. Thread k takes items k, k + `shares`, and so on.
        """
        shares = capacity if self.are_wide else 1
        return self.record(kernel, shares, [shares, *inputs], outputs)

    def run(self, kernel, count, inputs, outputs=(), cost=0.0, first=0):
        """Launch once, with arguments that change from call to call."""
        # Only this thread records: recording in Warp is not thread-safe.
        launch = self._launch(kernel, count, inputs, outputs, cost, first)
        launch.history = self.histories.setdefault(kernel, {})
        launch()

    def graph(self, function):
        """Return the `Graph` of all launches of a function."""
        return Graph(self.device, function)

    def _launch(
        self, kernel, count, inputs, outputs, cost, first, tile_threads=0, ends=None, team=1
    ):
        if np.prod(count) == 0:
            return Launch((), None)
        refuse_gaps([*inputs, *outputs])
        how = {"kernel": kernel, "outputs": list(outputs), "device": self.device}
        launch = wp.launch
        if tile_threads:
            how, launch = how | {"block_dim": tile_threads}, wp.launch_tiled
        if kernel.adj.args[0].label != "first":
            return Launch([(launch, how | {"dim": count, "inputs": list(inputs)})], self.threads)
        ends = ends or self._ends(first, int(count), cost)
        pieces = [
            (launch, how | {"dim": team * int(b - a), "inputs": [int(a), *inputs]})
            for a, b in pairwise(ends)
            if b > a
        ]
        return Launch(pieces, self.threads, ends)

    def _ends(self, first, count, cost):
        """Return the begin of a range and the ends of its pieces, which take equally long by their
        estimated costs.
        """
        total = float(np.sum(cost)) if np.ndim(cost) else count * cost
        pieces = 1
        if self.device.is_cpu and self.threads.count > 1:
            pieces = min(PIECES * self.threads.count, 1 + int(total / WORTH_SPLITTING))
        if pieces == 1 or not np.ndim(cost):
            return [first + count * k // pieces for k in range(pieces + 1)]
        inner = np.searchsorted(np.cumsum(cost), np.arange(1, pieces) * total / pieces)
        return [first, *(first + inner).tolist(), first + count]


def play(launches):
    """Play launches one after the other."""
    for launch in launches:
        launch()
