# SPDX-License-Identifier: GPL-3.0-or-later
"""Running sums of whole numbers, also where the device decides whether they are needed.

Warp's own scan takes memory on a GPU, which is not allowed behind a decision in a graph.
"""

from functools import partial

import warp as wp

from ..kernels.device import scan as kernels
from ..kernels.device.scan import TILE
from .launches import play

# Threads that work on a tile.
THREADS = 256


def scan(launches, values, sums, inclusive=True):
    """A function that puts the sums of all `values` up to each into `sums`, itself `inclusive` or
    not; both are arrays of ints of the same length.
    """
    if launches.are_wide:
        return partial(play, list(in_tiles(launches, values, sums, inclusive)))
    return partial(wp.utils.array_scan, values, sums, inclusive)


def in_tiles(launches, values, sums, inclusive):
    """The launches of that on a GPU."""
    count = len(values)
    tiles = -(-count // TILE)
    totals = wp.zeros(tiles, dtype=int, device=launches.device)
    inputs, outputs = [values, inclusive], [sums, totals]
    yield launches.record(kernels.scan_tiles, tiles, inputs, outputs, tile_threads=THREADS)
    if tiles > 1:
        before = wp.zeros_like(totals)
        yield from in_tiles(launches, totals, before, False)
        yield launches.record(kernels.add_before, count, [before], [sums])
