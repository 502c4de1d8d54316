# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest of some seeds along the edges of a graph (kernels/coarse/nearest_seeds.py)."""

import numpy as np
import warp as wp

from ..kernels.coarse import nearest_seeds as kernels


class NearestSeeds:
    """The nearest of some seeds along edges, as `dijkstra(min_only=True)` of SciPy finds it.

    `distance` [vertex] to it, infinite for unreachable vertices, and its `number` [vertex], -1 for
    these. When seeds are added, only vertices that are nearer to them are visited. All arrays are
    on the CPU.
    """

    def __init__(self, edges, count, lengths):
        """Take the `edges` [edge, 2] of `count` vertices, all unique, and their `lengths` [m]."""
        self.distance, self.number = np.full(count, np.inf), np.full(count, -1, dtype=np.int32)
        graph = self.graph = kernels.SeedGraph()
        graph.distance, graph.number = _shared(self.distance), _shared(self.number)
        graph.queue, graph.is_queued = (wp.zeros(count, dtype=int, device="cpu") for _ in range(2))
        graph.start = wp.zeros(count + 1, dtype=int, device="cpu")
        graph.neighbor = wp.empty(2 * len(edges), dtype=int, device="cpu")
        graph.length = wp.empty(2 * len(edges), dtype=wp.float64, device="cpu")
        self._launch(kernels.join_neighbors, _shared(edges), _shared(lengths))

    def add(self, seeds, numbers):
        """Add `seeds` [seed] with their `numbers`, and update the nearest seed of every vertex."""
        numbers = np.broadcast_to(numbers, len(seeds))
        self._launch(kernels.add_seeds, _shared(seeds), _shared(numbers))

    def spread(self, members, wanted, first):
        """Add `wanted` seeds, numbered from 0: the vertex `first`, then each time that of the
        `members` [member] which is farthest from all.
        """
        self._launch(kernels.spread_seeds, _shared(members), wanted, int(first))

    def center(self, members, points, wanted):
        """Move the `wanted` seeds to the middle of those of the `members` [member] that are nearest
        to them: to the one nearest to the mean of their `points` [vertex, 3].
        """
        means = wp.zeros(int(wanted), dtype=wp.vec4d, device="cpu")
        seeds = wp.zeros(int(wanted), dtype=int, device="cpu")
        points = wp.array(points, dtype=wp.vec3d, device="cpu", copy=False)
        self._launch(kernels.center_seeds, _shared(members), points, means, seeds)

    def _launch(self, kernel, *inputs):
        wp.launch(kernel, 1, inputs=[*inputs, self.graph], device="cpu")


def _shared(values):
    """Return numbers as an array of the CPU, without a copy where their type is right."""
    is_integer = values.dtype.kind == "i"
    values = np.ascontiguousarray(values, dtype=np.int32 if is_integer else np.float64)
    return wp.array(values, dtype=int if is_integer else wp.float64, device="cpu", copy=False)
