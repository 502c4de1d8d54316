# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity that changes in time."""

import numpy as np
import pytest
from shapes import box, grid

from vbd.solver.bodies import Cloth, Pins, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

SETTINGS = Settings(substeps=2, gravity=(0.0, 0.0, -10.0), use_ground=True, ground_height=-100.0)
FRAME = SETTINGS.frame_time


def flips(time):
    """Down for four frames, up from the end of the fifth on."""
    return (0.0, 0.0, -10.0 if time < 4.5 * FRAME else 10.0)


def heights(bodies, count, gravity, settings=SETTINGS):
    frames = simulate(bodies, settings, count, gravity=gravity)
    return np.array([[points[:, 2].mean() for points in f.exact_positions] for f in frames])


@pytest.mark.parametrize("guess", ["adaptive", "inertia_acceleration", "previous"])
def test_what_falls_turns_back_when_gravity_flips(guess):
    """Implicit Euler with the gravity at the end of each step; it is linear within frame 5."""
    points, tets = box((2, 2, 2), (0.3, 0.3, 0.3))
    settings = Settings(substeps=2, gravity=(0.0, 0.0, -10.0), initial_guess=guess)
    h = settings.step_time
    pulls = [-10.0] * 8 + [0.0, 10.0] + [10.0] * 10
    expected = 0.15 + np.cumsum(h * np.cumsum(h * np.array(pulls)))[1::2]
    got = heights([Solid(points, tets)], 10, flips, settings)
    np.testing.assert_allclose(got[:, 0], expected, atol=2e-4)


def test_a_constant_function_is_the_gravity_of_the_settings():
    points, tets = box((2, 2, 2), (0.3, 0.3, 0.3))
    sheet, triangles = grid(4)
    cloth = Material(youngs_modulus=1e5, density=0.2)
    bodies = [Solid(points, tets), Cloth(sheet + [0, 0, 1], triangles, cloth, pins=Pins([0]))]
    led = heights(bodies, 6, lambda _time: (0.0, 0.0, -10.0))
    np.testing.assert_allclose(led, heights(bodies, 6, None), atol=1e-6)


def test_an_equilibrium_follows_gravity():
    points, tets = box((2, 2, 2), (0.3, 0.3, 0.3))
    top = np.flatnonzero(points[:, 2] > 0.29)
    body = Solid(points, tets, Material(youngs_modulus=1e4), pins=Pins(top))
    how = {"quasistatic": True, "substeps": 1, "iterations": 200}
    down, up = (
        heights([body], 1, None, Settings(gravity=(0.0, 0.0, pull), **how))[0, 0]
        for pull in (-10.0, 10.0)
    )
    assert up - down > 1e-3
    led = heights([body], 6, flips, Settings(gravity=(0.0, 0.0, -10.0), **how))[:, 0]
    np.testing.assert_allclose(led[[0, 5]], [down, up], atol=1e-5)


def test_gravity_that_is_no_vector_is_refused():
    points, tets = box((2, 2, 2), (0.3, 0.3, 0.3))
    with pytest.raises(ValueError, match="three finite numbers"):
        heights([Solid(points, tets)], 2, lambda _time: (0.0, np.nan, 0.0))
