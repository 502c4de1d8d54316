# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists whose length only the device knows, shared between a fixed number of threads."""

import warp as wp


@wp.func
def share_of(part: int, parts: int, count: int):
    """Where the share of one of `parts` in `count` things begins and ends.

    Without fewer parts than things each has one of them or none, and the first ones have them.
    """
    begin = part
    end = wp.min(part + 1, count)
    if parts < count:
        begin = int(wp.int64(count) * wp.int64(part) / wp.int64(parts))
        end = int(wp.int64(count) * wp.int64(part + 1) / wp.int64(parts))
    return begin, end


# Warp's own atomics are none on the CPU, where threads may count side by side.
@wp.func_native("""
#if defined(__CUDA_ARCH__)
    atomicAdd(&total.data[0], number);
#else
    __atomic_fetch_add(&total.data[0], number, __ATOMIC_RELAXED);
#endif
""")
def count_together(total: wp.array[int], number: int):
    """Add to total[0] what others may add to at the same time."""
    ...
