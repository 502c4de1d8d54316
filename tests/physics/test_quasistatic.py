# SPDX-License-Identifier: GPL-3.0-or-later
"""Quasistatic frames come to the equilibrium of Newton's method in float64 within few cycles."""

from dataclasses import replace

import numpy as np
import pytest
from references import cell_center, hourglass, neo_hookean, slope
from shapes import cell_box, plane

from vbd.benchmarks.experiments import quasistatic, quasistatic_cells
from vbd.solver.bodies import Cells, Collider, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate

CYCLES = 60


@pytest.mark.parametrize(
    "scene", ["bar 2", "sheet 12 1", "sheet 12 10", "sheet 12 50", "sheet 24 10"]
)
def test_a_frame_reaches_the_equilibrium(scene):
    body = quasistatic.SCENES[scene]()
    path, _ = quasistatic.watched(body, CYCLES)
    left = quasistatic.errors(body, path, quasistatic.equilibrium(body, path[-1]))
    assert left[-1] < quasistatic.GOAL
    # It is the equilibrium that the body falls to, not another one near its last positions.
    assert path[-1][:, 2].min() < -0.1 * np.ptp(body.points[:, 0])
    assert abs(path[-1] - body.points)[body.pins.indices].max() < 1e-6


def test_what_rounding_leaves_of_the_residual_hides_no_error():
    body = quasistatic.SCENES["bar 4"]()
    found = []
    for iterations in (CYCLES, 40, 20, 10):
        settings = Settings(quasistatic=True, substeps=1, iterations=iterations, accuracy=0.0)
        simulation = Simulation([body], settings)
        (frame,) = simulation.frames(1)
        x, residual = frame.exact_positions[0], simulation.stepper.residual
        found.append((x, residual.norm.numpy()[0] < residual.least.numpy()[0]))
    assert found[0][1]
    goal = quasistatic.equilibrium(body, found[0][0])
    for x, is_rounding in found:
        assert not is_rounding or quasistatic.errors(body, [x], goal)[0] < 1e-3


@pytest.mark.parametrize("scene", ["bar 2", "bar 4", "sheet 12 10"])
def test_a_frame_ends_at_the_accuracy(scene):
    body = quasistatic.SCENES[scene]()
    settings = Settings(quasistatic=True, substeps=1, iterations=500)
    first, second, third = simulate([body], settings, 3)
    assert third.stats.iterations <= second.stats.iterations <= first.stats.iterations <= 64
    goal = quasistatic.equilibrium(body, third.exact_positions[0])
    motion, error, left = (
        np.sqrt(np.mean(np.sum((a - b) ** 2, axis=1)))
        for a, b in (
            (first.exact_positions[0], body.points),
            (first.exact_positions[0], goal),
            (third.exact_positions[0], goal),
        )
    )
    assert error < settings.accuracy * motion
    # What is left is invisible: 0.005 of the size, times the accuracy.
    assert left < 0.005 * settings.accuracy * np.ptp(body.points, axis=0).max()


@pytest.mark.parametrize("iterations", [7, 8, 12])
def test_few_iterations_leave_an_error_that_is_known(iterations):
    body = quasistatic.SCENES["bar 4"]()
    (frame,) = simulate([body], Settings(quasistatic=True, substeps=1, iterations=iterations), 1)
    goal = quasistatic.equilibrium(body, frame.exact_positions[0])
    left, motion = (
        np.sqrt(np.mean(np.sum((frame.exact_positions[0] - start) ** 2, axis=1)))
        for start in (goal, body.points)
    )
    # The rate is not yet constant: estimates may be much too large, but hardly too small.
    assert left / 5.0 < frame.stats.error < motion


@pytest.mark.parametrize("ground", ["plane", "mesh"])
def test_a_bar_comes_to_lie_on_the_ground(ground):
    # 118 times as heavy as stiff: the first step aims 15 m below the ground. Vertex by vertex it
    # would end there, and press the bar flat.
    points, cells = cell_box((30, 3, 3), (1.0, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] == 0))
    bar = Cells(points + [0.0, 0.0, 0.12], cells, Material(youngs_modulus=1e5), held)
    below = [Collider(*plane())] if ground == "mesh" else []
    how = Settings(quasistatic=True, substeps=1, iterations=CYCLES, use_ground=ground == "plane")
    (exact,) = simulate([bar, *below], replace(how, accuracy=0.0), 1)
    assert exact.stats.residual < 0.01
    (early,) = simulate([bar, *below], how, 1)
    for frame in (exact, early):
        x = frame.exact_positions[0]
        assert frame.stats.inverted == 0
        assert 0.0 < x[:, 2].min() < 0.005
        # The free half of it lies flat.
        assert x[points[:, 0] > 0.7][:, 2].max() < 0.11


def test_the_reference_has_the_energy_of_cells():
    rest, _ = cell_box((1, 1, 1), (0.3, 0.3, 0.3))
    x = rest + 0.03 * np.random.default_rng(1).standard_normal(rest.shape)
    mu, lam = 2.0, 3.0

    def energy(x):
        center = cell_center(lambda a, b: neo_hookean(a, b, mu, lam + mu), rest, x)
        return center + hourglass(rest, x, mu, lam)

    map_ = np.kron(quasistatic_cells.weights(0.3), np.eye(3))
    state = (map_ @ x.ravel()).reshape(7, 3, 1)
    assert 0.3**3 * quasistatic_cells.density(state, mu, lam)[0] == pytest.approx(energy(x))
    force = 0.3**3 * map_.T @ quasistatic_cells.slope(state, mu, lam)[:, 0]
    np.testing.assert_allclose(force.reshape(8, 3), slope(energy, x), atol=1e-8)
