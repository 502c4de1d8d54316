# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that start collapsed recover with the coarse correction, never worse than without."""

import numpy as np
import pytest
from shapes import RUINS, box

from vbd.solver.bodies import Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def elastic_energy(start, rest, tets, **settings):
    """After 40 steps [J]; every frame has to be finite."""
    body = Solid(start, tets, Material(youngs_modulus=1e6), rest_points=rest)
    settings = Settings(frame_time=1 / 60, substeps=1, gravity=(0, 0, 0), **settings)
    for frame in simulate([body], settings, 40):
        assert np.isfinite(frame.exact_positions[0]).all()
        assert np.isfinite(frame.stats.residual)
    return frame.stats.elastic_energy


@pytest.mark.parametrize("iterations", [1, 2, 10])
@pytest.mark.parametrize("name", RUINS)
def test_a_ruined_solid_recovers_no_worse_than_without(name, iterations):
    points, tets = box((12, 6, 6), (1.0, 0.5, 0.5))
    assert len(points) >= 500  # it has a coarse correction
    points = points - points.mean(axis=0)
    start = RUINS[name](points, np.random.default_rng(0))
    with_it, without = (
        elastic_energy(start, points, tets, iterations=iterations, coarse_correction=wanted)
        for wanted in (True, False)
    )
    # Recovered states differ by their vibration; collapsed ones have an energy of 10⁴ J and more.
    assert with_it <= 1.1 * without + 10.0


def test_a_box_stretched_fourfold_springs_back():
    points, tets = box((12, 6, 6), (1.0, 0.5, 0.5))
    energies = [
        elastic_energy(points * [4.0, 1.0, 1.0], points, tets, iterations=iterations)
        for iterations in (1, 2, 10)
    ]
    stretched = 0.5 * 1e6 * 0.25 * 9.0
    assert max(energies) < 0.1 * stretched
