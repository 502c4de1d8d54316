# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix sums of integers, also behind decisions on the device.

Warp's own scan allocates memory on a GPU, which is not allowed behind a decision in a graph.
"""

from functools import partial

import warp as wp

from ..kernels.device import scan as kernels
from ..kernels.device.scan import TILE
from .launches import play

# Number of threads per tile.
THREADS = 256


def scan(launches, values, sums, inclusive=True):
    """Return a function that puts the prefix sums of `values`, `inclusive` or exclusive, into
    `sums`; both are arrays of ints of the same length.
    """
    if launches.are_wide:
        return partial(play, list(in_tiles(launches, values, sums, inclusive)))
    return partial(wp.utils.array_scan, values, sums, inclusive)


def in_tiles(launches, values, sums, inclusive):
    """Yield the launches of a scan on a GPU."""
    count = len(values)
    tiles = -(-count // TILE)
    totals = wp.zeros(tiles, dtype=int, device=launches.device)
    inputs, outputs = [values, inclusive], [sums, totals]
    yield launches.record(kernels.scan_tiles, tiles, inputs, outputs, tile_threads=THREADS)
    if tiles > 1:
        before = wp.zeros_like(totals)
        yield from in_tiles(launches, totals, before, False)
        yield launches.record(kernels.add_before, count, [before], [sums])
