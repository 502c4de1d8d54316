# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares of a fixed number of threads in a list whose length only the device knows."""

import warp as wp


@wp.func
def share_of(share: int, shares: int, count: int):
    """Return begin and end of one of `shares` equal shares of `count` items.

    With at least as many shares as items, each of the first shares has one item, the rest none.
    """
    begin = share
    end = wp.min(share + 1, count)
    if shares < count:
        begin = int(wp.int64(count) * wp.int64(share) / wp.int64(shares))
        end = int(wp.int64(count) * wp.int64(share + 1) / wp.int64(shares))
    return begin, end


# Warp's own atomics are not atomic on the CPU, where threads may count side by side.
@wp.func_native("""
#if defined(__CUDA_ARCH__)
    atomicAdd(&total.data[0], number);
#else
    __atomic_fetch_add(&total.data[0], number, __ATOMIC_RELAXED);
#endif
""")
def count_together(total: wp.array[int], number: int):
    """Add a number to total[0] atomically."""
    ...
