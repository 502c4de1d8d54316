# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of lists that may get long."""

import gc
import sys

import numpy as np
import pytest
import warp as wp

from vbd.solver.device.memory import zeros_with_reserve
from vbd.solver.kernels.contact.pairs import Pair, Touch

DEVICES = ["cpu", *(["cuda"] if wp.is_cuda_available() else [])]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [int, float, wp.vec3, Pair, Touch])
def test_lists_begin_with_zeros_as_any_other_array(dtype, device):
    array, plain = (
        zeros_with_reserve(1000, dtype, device),
        wp.zeros(1000, dtype=dtype, device=device),
    )
    assert (array.dtype, array.shape, array.strides) == (plain.dtype, plain.shape, plain.strides)
    assert array.is_contiguous and array.device == plain.device
    assert array.numpy().tobytes() == plain.numpy().tobytes()
    part = array[:10]
    del array
    gc.collect()
    np.zeros(1 << 16)  # might take memory that is free
    assert part.numpy().tobytes() == plain[:10].numpy().tobytes()


@pytest.mark.skipif(sys.platform != "linux", reason="reads what a process takes from /proc")
def test_room_that_is_not_used_takes_no_memory():
    def resident():
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * 4096

    before = resident()
    room = zeros_with_reserve(1 << 26, wp.vec3, "cpu")
    assert room.size == 1 << 26
    assert resident() - before < 100e6  # of 805 MB
