# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix sums by the method of a GPU, on any device."""

import numpy as np
import pytest
import warp as wp

from vbd.solver.device.launches import Launches, play
from vbd.solver.device.scan import in_tiles, scan
from vbd.solver.device.threads import Workers
from vbd.solver.kernels.device.scan import TILE

DEVICES = ["cpu", *(["cuda"] if wp.is_cuda_available() else [])]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("inclusive", [True, False])
# One tile, full and not; several; more tiles than one tile has values.
@pytest.mark.parametrize("count", [1, TILE, TILE + 1, 5000, TILE * TILE + 3])
def test_sums_in_tiles_are_those_of_numpy(count, inclusive, device):
    values = np.random.default_rng(count).integers(0, 9, count).astype(np.int32)
    launches = Launches(device, Workers(1))
    given, sums = (wp.array(part, dtype=int, device=device) for part in (values, 0 * values - 1))
    exact = np.cumsum(values) - (0 if inclusive else values)
    play(list(in_tiles(launches, given, sums, inclusive)))
    np.testing.assert_array_equal(sums.numpy(), exact)
    sums.zero_()
    scan(launches, given, sums, inclusive)()
    np.testing.assert_array_equal(sums.numpy(), exact)
