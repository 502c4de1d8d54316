# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way to launch kernels: recorded once, played often, shared between threads where it pays.

A kernel whose threads may be shared between CPU threads has the number of its first thread,
`first`, as its first argument, which is filled in here.
"""

from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import warp as wp

from ..kernels.device.barrier import wait
from .conditions import share
from .graph import Graph

# Shares of a list on the CPU: so many threads or fewer take equal numbers of them.
SHARES = 64
# A range is split between CPU threads when one thread would take longer than this [ns]: a barrier
# costs them 1 µs.
WORTH_SPLITTING = 15e3
# Costs may be underestimated for a whole stretch of the range. So pieces of it are dealt out to the
# threads in turn; each takes at least so long [ns], and each thread gets up to so many.
PIECE, PIECES = 50e3, 4


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
    """A launch in one share or in several that run side by side; call it to play it.

    Each of the `shares` is a list of pieces that are played one after the other: pairs of a launch
    function of Warp and its arguments. `cuts` are the thread count and the ends of the pieces.
    """

    def __init__(self, shares, threads, cuts=None):
        self.shares, self.threads, self.cuts = shares, threads, cuts

    def __call__(self):
        self.play()

    def play(self):
        """Record the launch, and play the recorded commands from now on."""
        if len(self.shares) > 1:
            self.play = partial(side_by_side, self.threads, [self.recorded])
        else:
            self.play = self.recorded[0] if self.shares else nothing
        self.play()

    @cached_property
    def recorded(self):
        """Functions that play the shares. Nothing is compiled or loaded before they are needed."""
        return [
            in_turn([launch(**how, record_cmd=True).launch for launch, how in pieces])
            for pieces in self.shares
        ]


class SharedLaunches:
    """Launches in consecutive stages, with one barrier per stage. Call it to play it.

    The launches of a stage are split alike; each thread plays its share of all of them without
    waiting for others. A stage may also be functions that are not shared.
    """

    def __init__(self, stages):
        self.stages = stages

    def __call__(self):
        self.play()

    def play(self):
        """Record the launches, and play the recorded commands from now on."""
        actions = [action for stage in self.stages for action in stage]
        shared = [a for a in actions if isinstance(a, Launch) and len(a.shares) > 1]
        if shared:
            self.play = partial(side_by_side, shared[0].threads, self._recorded())
        else:
            self.play = in_turn(actions)
        self.play()

    def _recorded(self):
        """Return the shares of every stage; consecutive stages of a single thread become one."""
        stages = []
        for stage in self.stages:
            shares = shares_of(stage)
            if len(shares) == 1 and stages and len(stages[-1]) == 1:
                stages[-1] = [in_turn([*stages[-1], *shares])]
            elif shares:
                stages.append(shares)
        return stages


def in_turn(functions):
    """Return a function that calls others one after the other."""
    return functions[0] if len(functions) == 1 else partial(play, functions)


def shares_of(actions):
    """Return functions that play the shares of a stage: the same share of each launch."""
    if not all(isinstance(action, Launch) for action in actions):
        return [in_turn(actions)]
    recorded = [launch.recorded for launch in actions if launch.shares]
    return [in_turn(list(shares)) for shares in zip(*recorded, strict=True)]


def side_by_side(threads, stages):
    """Play all shares of a stage at the same time, and stages one after the other, now or in the
    graph being captured.
    """
    if not share(stages):
        for shares in stages:
            threads.run(shares)


class Launches:
    """Launches on a device; on the CPU several `threads` share each of them."""

    def __init__(self, device, threads):
        self.device, self.threads = wp.get_device(device), threads
        self.expected = {}
        if self.device.is_cpu and threads is not None and threads.count > 1:
            self.expect(wait)  # the barrier within graphs

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
        self, kernel, count, inputs, outputs=(), cost=0.0, first=0, tile_threads=0, like=None
    ):
        """Return the `Launch` of `count` threads of a kernel (a tuple for several dimensions).

        `cost` [ns] is that of one thread, or [count] of each: a long launch is split between CPU
        threads, or split `like` another launch of the same threads. Threads are numbered from
        `first` on. With `tile_threads`, so many threads work on each tile.
        """
        if np.prod(count):
            self.expect(kernel)
        cuts = like and like.cuts
        return self._launch(kernel, count, inputs, outputs, cost, first, tile_threads, cuts)

    def record_list(self, kernel, capacity, expected, inputs, outputs=(), cost=0.0):
        """Return a launch over a list whose length only the device knows: about `expected`.

        Its threads share the list (kernels/device/thread_shares.py): the kernel gets their number,
        `shares`, as its first input. `cost` [ns] is that of one item of the list.
        """
        shares = min(capacity, SHARES) if self.device.is_cpu else capacity
        each = cost * expected / max(shares, 1)
        return self.record(kernel, shares, [shares, *inputs], outputs, each)

    def record_serial(self, kernel, capacity, inputs, outputs):
        """Return a launch over a list for a kernel whose threads add to shared results or join
        nodes: on the CPU by one thread, in order. Thread k takes items k, k + `shares`, and so on.
        """
        shares = 1 if self.device.is_cpu else capacity
        return self.record(kernel, shares, [shares, *inputs], outputs)

    def run(self, kernel, count, inputs, outputs=(), cost=0.0, first=0):
        """Launch once, with arguments that change from call to call."""
        # Only this thread records: recording in Warp is not thread-safe.
        self._launch(kernel, count, inputs, outputs, cost, first)()

    def graph(self, function):
        """Return the `Graph` of all launches of a function."""
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
        shares = [pieces[k::threads] for k in range(min(threads, len(pieces)))]
        return Launch(shares, self.threads, cuts)

    def _cuts(self, first, count, cost):
        """Return the number of threads that share a range, and the ends of its pieces, which take
        equally long by their estimated costs.
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
