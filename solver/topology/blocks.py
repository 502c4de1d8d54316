# SPDX-License-Identifier: GPL-3.0-or-later
"""Long arrays in blocks: intermediate results then stay in the cache of a core."""

BLOCK = 8192


def blocks(count):
    """Yield slices that cover `count` items, `BLOCK` at a time."""
    for first in range(0, count, BLOCK):
        yield slice(first, min(first + BLOCK, count))
