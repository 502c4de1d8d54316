# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of this run (tests/conftest.py) reach the kernels and the threads."""

import numpy as np
import pytest
import warp as wp
from shapes import box

from vbd.solver.bodies import Solid
from vbd.solver.kernels.descent.chebyshev import extrapolate
from vbd.solver.settings import Settings
from vbd.solver.simulate import Simulation


def test_a_product_and_a_sum_are_rounded_together_where_that_is_asked_for(pytestconfig):
    a = np.float32(1.0 + 2.0**-12)
    way, start = [a + -(a * a), 0.0, 0.0], [-(a * a), 0.0, 0.0]
    touched = wp.zeros(1, dtype=int, device="cpu")
    x, before_last = (wp.array([place], dtype=wp.vec3, device="cpu") for place in (way, start))
    before = wp.zeros_like(x)
    omega = wp.array([a], dtype=float, device="cpu")
    first = wp.zeros(1, dtype=int, device="cpu")
    inputs, outputs = [first, omega, touched, x], [x, before, before_last]
    wp.launch(extrapolate, dim=1, inputs=inputs, outputs=outputs, device="cpu")
    # a² is 1 + 2⁻¹¹ + 2⁻²⁴, of which float32 loses the last. All processors of today can fuse.
    fused = 2.0**-24 if pytestconfig.getoption("contraction") else 0.0
    assert x.numpy()[0, 0] == fused


def test_the_threads_asked_for_are_those_at_work(pytestconfig):
    threads = pytestconfig.getoption("threads")
    if not threads:
        pytest.skip("for runs with --threads=N")
    simulation = Simulation([Solid(*box((1, 1, 1)))], Settings())
    assert simulation.model.launches.threads.count == threads
