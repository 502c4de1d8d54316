# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiff bodies with pins, which hardly move, against Newton's method in float64.

A bar of steel, 1 m long and held at one end, sags by 7 to 24 µm. At its tip float32 is spaced by
6e-8 m: no result can be closer.
"""

import numpy as np
import pytest
from shapes import cell_box

from vbd.benchmarks.experiments.quasistatic import bar
from vbd.benchmarks.experiments.quasistatic_cells import settle
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.reference import newton, scene
from vbd.solver.bodies import Cells, Pins, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# Tolerances [m] of bars 1 m long, and of others as a fraction of their motion.
PRECISE, CLOSE = 2e-6, 1e-3


def steel_bar():
    """1 m long, 0.1 m wide, of 480 tets."""
    points, tets = block((20, 2, 2), (1.0, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return Solid(points, tets, Material(youngs_modulus=200e9, density=7850.0), held)


def off(points, goal):
    """Distance [m] of the worst vertex from its goal."""
    return np.linalg.norm(points - goal, axis=1).max()


def still(body, accuracy=0.0):
    """Positions of a body at rest, after 60 iterations or at an accuracy."""
    settings = Settings(quasistatic=True, substeps=1, iterations=60, accuracy=accuracy)
    (frame,) = simulate([body], settings, 1)
    return frame.exact_positions[0]


def test_a_thin_bar_of_cells_hangs_as_it_should():
    body = bar(4, 0.001, 6e6)
    goal = settle(body, 9.81, body.points)
    assert off(still(body), goal) < CLOSE * off(body.points, goal)
    accuracy = Settings().accuracy
    assert off(still(body, accuracy), goal) < accuracy * off(body.points, goal)


def test_a_stiff_bar_of_cells_hangs_as_it_should():
    body = bar(4, youngs_modulus=200e9)
    assert off(still(body), settle(body, 9.81, body.points)) < PRECISE


def test_a_stiff_bar_of_tets_hangs_as_it_should():
    body = steel_bar()
    goal = newton.solve(scene.equilibrium_problem(scene.scene_of(body, "neo_hookean")))
    assert off(still(body), goal) < PRECISE


@pytest.mark.parametrize(
    "how", [{"accuracy": 0.0}, {"accuracy": 1e-3}, {"accuracy": 0.0, "line_search": True}]
)
def test_a_steel_bar_swings_as_it_should(how):
    # Its first period is 12 ms.
    body, step_time, count = steel_bar(), 0.5e-3, 24
    settings = Settings(frame_time=step_time, substeps=1, iterations=100, **how)
    reference = scene.trajectory(scene.scene_of(body, "neo_hookean"), step_time, count)
    for frame, wanted in zip(simulate([body], settings, count), reference, strict=True):
        assert off(frame.exact_positions[0], wanted) < PRECISE
    assert (frame.stats.iterations < 50) == (how["accuracy"] > 0.0)


def test_what_falls_on_a_stiff_bar_lies_on_it():
    points, cells = cell_box((10, 2, 2), (1.0, 0.2, 0.2))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    below = Cells(points, cells, Material(youngs_modulus=1e9), held)
    points, tets = block((3, 3, 3), (0.2, 0.2, 0.2))
    box = Solid(points + [0.7, 0.02, 0.22], tets, Material(youngs_modulus=1e5))
    # It bends by a hundredth of a millimetre; the box falls for a tenth of a second.
    *_, frame = simulate([below, box], Settings(), 12)
    bar_now, box_now = frame.positions
    assert abs(bar_now - below.points).max() < 1e-3
    assert bar_now[:, 2].max() < box_now[:, 2].min() < 0.2 + 0.021
