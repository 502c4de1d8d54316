# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix sums on the GPU, tile by tile."""

import warp as wp

from .options import OPTIONS

wp.set_module_options(OPTIONS)

# Number of values in a tile.
TILE = wp.constant(1024)


@wp.kernel
def scan_tiles(
    values: wp.array[int],
    is_inclusive: bool,
    # out
    sums: wp.array[int],
    totals: wp.array[int],
):
    """Find the prefix sums within each tile, inclusive or exclusive, and the totals [tile] of all
    its values.
    """
    number = wp.tid()
    own = wp.tile_load(values, shape=TILE, offset=TILE * number)
    scanned = wp.tile_scan_inclusive(own)
    if is_inclusive:
        wp.tile_store(sums, scanned, offset=TILE * number)
    else:
        wp.tile_store(sums, scanned - own, offset=TILE * number)
    wp.tile_store(totals, wp.tile_sum(own), offset=number)


@wp.kernel
def add_before(
    before: wp.array[int],
    # in and out
    sums: wp.array[int],
):
    """Add to every sum the total of all tiles before its own."""
    k = wp.tid()
    sums[k] = sums[k] + before[k / TILE]
