# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory for lists that get as long as nobody knows."""

import numpy as np
import warp as wp


def spacious_zeros(length, dtype, device):
    """An array of zeros of which only a part may be used. On the CPU the system provides that part
    alone, as it is written: to write zeros everywhere would take as long as many searches.
    """
    if not wp.get_device(device).is_cpu:
        return wp.zeros(length, dtype=dtype, device=device)
    rows = np.zeros(length * wp.zeros(1, dtype=dtype, device=device).strides[0], dtype=np.uint8)
    array = wp.array(ptr=rows.ctypes.data, dtype=dtype, shape=length, device=device)
    array.rows = rows  # which live as long
    return array
