# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of several arrays side by side in one."""

from typing import Any

import warp as wp

from .options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.kernel
def put(
    values: wp.array[Any],
    at: int,
    # out
    block: wp.array[wp.float64],
):
    """Copy values into a block, from index `at` on. One thread per value."""
    k = wp.tid()
    block[at + k] = wp.float64(values[k])


# The kernels by the type of the values; float64 represents all of them exactly.
PUT = {
    dtype: wp.overload(put, [wp.array(dtype=dtype), int, wp.array(dtype=wp.float64)])
    for dtype in (wp.int32, wp.float32, wp.float64)
}
