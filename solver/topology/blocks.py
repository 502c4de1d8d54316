# SPDX-License-Identifier: GPL-3.0-or-later
"""Long arrays in blocks: intermediate results then stay in the cache of a core."""

BLOCK = 8192


def blocks(count, size=BLOCK):
    """Yield slices that cover `count` items, `size` at a time."""
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))
