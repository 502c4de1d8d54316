# SPDX-License-Identifier: GPL-3.0-or-later
"""Dents: cloth that is stretched too far stays longer by what is beyond."""

import numpy as np
import pytest
from shapes import grid

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

YIELD = 0.05
STILL = Settings(quasistatic=True, iterations=60, gravity=(0.0, 0.0, 0.0))


def length_after(stretch, membrane="stvk", **material):
    """Length of a sheet of 1 m that is stretched, and let go but for one side of it."""
    points, triangles = grid(4)
    made = Material(
        poisson_ratio=0.0, density=0.2, membrane=membrane, yield_strain=YIELD, **material
    )
    start, side = points * [stretch, 1.0, 1.0], np.flatnonzero(points[:, 0] < 1e-9)
    sheet = Cloth(start, triangles, made, Pins(side), rest_points=points, uv=points[:, :2])
    *_, frame = simulate([sheet], STILL, 3)
    return np.ptp(frame.positions[0][:, 0])


def green(stretch):
    return 0.5 * (stretch**2 - 1.0)


@pytest.mark.parametrize("membrane", ["stvk", "orthotropic"])
def test_what_is_stretched_too_far_stays_longer_by_what_is_beyond(membrane):
    wanted = np.sqrt(1.0 + 2.0 * (green(1.2) - YIELD))
    assert length_after(1.2, membrane) == pytest.approx(wanted, abs=1e-4)


def test_what_is_stretched_less_becomes_as_long_as_it_was():
    assert length_after(1.04) == pytest.approx(1.0, abs=1e-4)


def test_nothing_becomes_longer_than_four_times():
    assert 3.0 < length_after(6.0) <= 4.0
