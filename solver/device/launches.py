# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way to launch kernels: recorded once, played often, shared between threads where it pays.

A kernel whose threads may be shared out has the number of its first thread, `first`, as its first
argument, which is filled in here.
"""

from itertools import pairwise

import numpy as np
import warp as wp

# A range is split between CPU threads when one thread would take longer than this [ns].
WORTH_SPLITTING = 150e3


class Launch:
    """A recorded launch, in one part or in several that run side by side; call it to play it."""

    def __init__(self, parts, threads):
        self.parts, self.threads = parts, threads

    def __call__(self):
        if len(self.parts) > 1:
            self.threads.run(self.parts)
        elif self.parts:
            self.parts[0]()


class Launches:
    """Records launches for a device; on the CPU several `threads` play one together."""

    def __init__(self, device, threads):
        self.device, self.threads = wp.get_device(device), threads

    def record(self, kernel, count, inputs, outputs=(), cost=0.0, first=0, tile_threads=0):
        """The `Launch` of `count` threads of a kernel (a tuple for one of several dimensions).

        `cost` [ns] of a thread, or [count] of each: what takes long is shared out. Threads are
        numbered from `first` on. With `tile_threads` so many work on each tile.
        """
        is_ranged = kernel.adj.args[0].label == "first"
        if np.prod(count) == 0:
            return Launch([], self.threads)
        if not is_ranged:
            return Launch([self._record(kernel, count, inputs, outputs, tile_threads)], None)
        return Launch(
            [
                self._record(kernel, b - a, [a, *inputs], outputs, tile_threads)
                for a, b in pairwise(self._cuts(first, int(count), cost))
            ],
            self.threads,
        )

    def run(self, kernel, count, inputs, outputs=(), cost=0.0, first=0):
        """Launch once."""
        self.record(kernel, count, inputs, outputs, cost, first)()

    def _record(self, kernel, count, inputs, outputs, tile_threads):
        how = {"dim": count, "inputs": inputs, "outputs": outputs, "device": self.device}
        if tile_threads:
            launch = wp.launch_tiled(kernel, **how, block_dim=tile_threads, record_cmd=True)
        else:
            launch = wp.launch(kernel, **how, record_cmd=True)
        return launch.launch

    def _cuts(self, first, count, cost):
        """Where ranges begin and end that take equally long."""
        total = float(np.sum(cost)) if np.ndim(cost) else count * cost
        number = 1
        if self.device.is_cpu:
            number = min(self.threads.count, 1 + int(total / WORTH_SPLITTING))
        if number == 1 or not np.ndim(cost):
            return [first + count * k // number for k in range(number + 1)]
        inner = np.searchsorted(np.cumsum(cost), np.arange(1, number) * total / number)
        return [first, *(first + inner).tolist(), first + count]
