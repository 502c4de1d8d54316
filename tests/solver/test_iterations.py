# SPDX-License-Identifier: GPL-3.0-or-later
"""Initial guesses, over-relaxation, Chebyshev, line search, quasistatic, diagnostics."""

from itertools import pairwise

import numpy as np
import pytest
from shapes import UNIT_TET, box, grid, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Solid
from vbd.solver.report.statistics import CONVERGED
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

PLAIN = {"coarse_correction": False}
GUESSES = ["previous", "inertia", "inertia_acceleration", "adaptive"]


def beam(youngs_modulus=1e6, **options):
    """A horizontal beam held at one end."""
    points, tets = box((10, 2, 2), (0.5, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-6))
    return Solid(points, tets, Material(youngs_modulus=youngs_modulus, **options), pins=held)


def last(bodies, settings, frames=4):
    *_, frame = simulate(bodies, settings, frames)
    return frame


@pytest.mark.parametrize("guess", GUESSES)
def test_every_initial_guess_converges_to_the_same_motion(guess):
    many = {"iterations": 600, "substeps": 4, "accuracy": 0.0}
    wanted = last([beam(2e5)], Settings(**many)).positions[0]
    got = last([beam(2e5)], Settings(**many, initial_guess=guess)).positions[0]
    # The tip moves by 0.1 m; converged to the noise of float32.
    np.testing.assert_allclose(got, wanted, atol=5e-5)


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("count", "relaxation"), [(3, 1.5), (5, 1.5), (3, 1.9), (21, 1.9)])
def test_what_begins_where_it_was_does_not_overshoot_its_way(count, relaxation, coarse):
    # An odd number of sweeps would go (ω − 1)ⁿ too far, and farther in every substep.
    points, tets = box((3, 3, 3), (1.0, 1.0, 1.0))
    middle = points.mean(axis=0)
    soft = Material(youngs_modulus=1e3, self_contact=False)
    body = Solid(points, tets, soft, velocities=0.3 * (points - middle) * [1.0, -1.0, 0.0])
    how = {"gravity": (0.0, 0.0, 0.0), "coarse_correction": coarse, "initial_guess": "previous"}
    moved = [
        frame.positions[0] - points
        for frame in simulate([body], Settings(**how, iterations=count, relaxation=relaxation), 20)
    ]
    many = last([body], Settings(gravity=(0.0, 0.0, 0.0), iterations=100), 20).positions[0] - points
    # It widens by 12 cm meanwhile. So few sweeps leave an error of a few hundredths.
    assert np.abs(moved[-1] - many).max() < 0.1 * np.abs(many).max()


def test_initial_guesses_differ_before_convergence():
    ends = {
        guess: last([beam()], Settings(**PLAIN, iterations=2, initial_guess=guess)).positions[0]
        for guess in GUESSES
    }
    # With few iterations a body guessed at its old position falls slowest.
    depth = {guess: points[:, 2].mean() for guess, points in ends.items()}
    assert depth["previous"] > depth["inertia"] > depth["inertia_acceleration"]


def test_over_relaxation_lowers_the_energy_of_scrambled_tets_in_every_iteration():
    rng = np.random.default_rng(7)
    points, tets = box((3, 3, 3))
    scrambled = rng.standard_normal(points.shape)
    # One iteration is a frame of almost no time: quasistatic, so that G is the elastic energy.
    settings = Settings(
        gravity=(0, 0, 0), quasistatic=True, substeps=1, iterations=1, relaxation=1.9
    )
    body = Solid(scrambled, tets, rest_points=points, pins=Pins([0, 1, 2]))
    before = np.inf
    for frame in simulate([body], settings, 60):
        assert frame.stats.elastic_energy <= before * (1.0 + 1e-6)
        before = frame.stats.elastic_energy


def test_over_relaxation_and_chebyshev_converge_faster_than_plain_sweeps():
    # From a guess that leaves much to the iterations.
    start = {**PLAIN, "iterations": 40, "initial_guess": "inertia_acceleration"}
    residual = {
        name: last([beam(1e6)], Settings(**start, **options), 3).stats.residual
        for name, options in {
            "plain": {"relaxation": 1.0},
            "relaxed": {"relaxation": 1.7},
            "chebyshev": {"acceleration": 0.95},
        }.items()
    }
    assert residual["relaxed"] < 0.7 * residual["plain"]
    assert residual["chebyshev"] < 0.7 * residual["plain"]


def test_chebyshev_leaves_touching_vertices_alone():
    points, tets = box((3, 3, 3), (0.3, 0.3, 0.3))
    body = Solid(points + [0, 0, 0.05], tets, Material(youngs_modulus=5e4, damping=0.01))
    for frame in simulate([body, Collider(*plane())], Settings(acceleration=0.95), 36):
        assert frame.positions[0][:, 2].min() > 0.0
    # It comes to rest as without acceleration.
    assert frame.stats.kinetic_energy < 1e-3


def test_line_search_agrees_with_plain_steps_where_those_are_right():
    wanted = last([beam()], Settings(iterations=300, accuracy=0.0)).positions[0]
    got = last([beam()], Settings(iterations=300, accuracy=0.0, line_search=True)).positions[0]
    np.testing.assert_allclose(got, wanted, atol=5e-5)


def test_line_search_lowers_the_energy_where_plain_steps_raise_it():
    # A membrane squeezed to a fifth: its clamped block is too soft, the plain step overshoots.
    points, triangles = grid(4)
    rng = np.random.default_rng(3)
    crumpled = 0.2 * points + 0.02 * rng.standard_normal(points.shape)
    material = Material(youngs_modulus=1e6, bending_stiffness=1e-3)
    rises = {}
    for search in (False, True):
        cloth = Cloth(crumpled, triangles, material, rest_points=points, pins=Pins([0]))
        settings = Settings(
            gravity=(0, 0, 0),
            quasistatic=True,
            substeps=1,
            iterations=1,
            relaxation=1.0,
            line_search=search,
        )
        energies = [f.stats.elastic_energy for f in simulate([cloth], settings, 40)]
        rises[search] = sum(b > a * (1.0 + 1e-5) for a, b in pairwise(energies))
    assert rises[True] == 0


def test_quasistatic_finds_the_sag_that_dynamics_come_to():
    still = last([beam(1e6)], Settings(quasistatic=True, iterations=2000), 1)
    moving = last([beam(1e6, damping=0.03)], Settings(iterations=200), 72)
    sag = -still.positions[0][:, 2].min()
    assert sag == pytest.approx(-moving.positions[0][:, 2].min(), rel=0.02)
    assert sag > 0.01


def test_quasistatic_follows_pins_and_forgets_speed():
    points, tets = box((2, 2, 2))
    pins = np.flatnonzero((points[:, 0] < 1e-6) | (points[:, 0] > 1.0 - 1e-6))
    stretched = points * [1.5, 1.0, 1.0]
    targets = [points[pins], stretched[pins], stretched[pins]]
    body = Solid(points, tets, pins=Pins(pins, targets), velocities=[3.0, 0.0, 0.0])
    settings = Settings(quasistatic=True, gravity=(0, 0, 0), iterations=300, accuracy=0.0)
    frames = [f.positions[0] for f in simulate([body], settings, 2)]
    np.testing.assert_allclose(frames[0], frames[1], atol=1e-5)


def test_without_inertia_there_is_no_kinetic_energy():
    frame = last([beam()], Settings(quasistatic=True, iterations=5), 1)
    assert np.abs(frame.positions[0] - beam().points).max() > 0.0
    assert frame.stats.kinetic_energy == 0.0


def test_inverted_tets_are_counted():
    turned = UNIT_TET * [1.0, 1.0, -1.0]
    body = Solid(turned, [[0, 1, 2, 3]], rest_points=UNIT_TET, pins=Pins(range(4)))
    assert last([body], Settings(), 1).stats.inverted == 1
    assert last([beam()], Settings(), 1).stats.inverted == 0


def test_the_verdict_names_iterations_that_are_enough():
    few = last([beam(1e6)], Settings(**PLAIN, iterations=30), 2)
    assert few.stats.residual > CONVERGED
    needed = few.stats.iterations_needed
    assert few.stats.verdict == f"under-converged: raise iterations to about {needed}"
    assert 0.5 < few.stats.decay < 1.0
    # Decay is not one number; half as many again must suffice, and half of them must not.
    enough = last([beam(1e6)], Settings(**PLAIN, iterations=3 * needed // 2), 2)
    assert enough.stats.verdict == "converged"
    assert (
        last([beam(1e6)], Settings(**PLAIN, iterations=needed // 2), 2).stats.verdict != "converged"
    )


@pytest.mark.parametrize("membrane", ["stvk", "neo_hookean"])
def test_over_relaxation_does_not_blow_up_a_crumpled_sheet(membrane):
    points, triangles = grid(8)
    crumpled = 0.6 * points + 0.02 * np.random.default_rng(3).standard_normal(points.shape)
    material = Material(
        youngs_modulus=1e6, bending_stiffness=1e-3, membrane=membrane, adapt_folds=False
    )
    cloth = Cloth(crumpled, triangles, material, rest_points=points, pins=Pins([0]))
    settings = Settings(
        gravity=(0, 0, 0), quasistatic=True, substeps=1, iterations=1, relaxation=1.9
    )
    energies = [f.stats.elastic_energy for f in simulate([cloth], settings, 100)]
    # Without stiffness across a compressed triangle it would rise six hundredfold.
    assert max(energies[1:]) <= energies[0]
    assert energies[-1] < 0.01 * energies[0]
