# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory for lists of unknown length."""

import numpy as np
import warp as wp


def zeros_with_reserve(length, dtype, device):
    """Return an array of zeros with reserve: on the CPU the system provides its pages as they are
    written, for writing zeros everywhere would take as long as many searches.
    """
    if not wp.get_device(device).is_cpu:
        return wp.zeros(length, dtype=dtype, device=device)
    rows = np.zeros(length * wp.zeros(1, dtype=dtype, device=device).strides[0], dtype=np.uint8)
    array = wp.array(ptr=rows.ctypes.data, dtype=dtype, shape=length, device=device)
    array.rows = rows  # keeps the memory alive
    return array
