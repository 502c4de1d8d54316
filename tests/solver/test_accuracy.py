# SPDX-License-Identifier: GPL-3.0-or-later
"""The accuracy that ends a substep: its estimate against the truth, and what it decides."""

from itertools import pairwise
from math import isnan
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.descent.accuracy import CYCLE, PART_OF_SIZE, Accuracy, marks
from vbd.solver.kernels.accuracy import CAUTION
from vbd.solver.report.statistics import length
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate

FAR = 400


def beam(youngs_modulus=1e6):
    points, tets = box((10, 2, 2), (0.5, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-6))
    swing = points[:, :1] * [0.0, 0.0, 4.0]
    return [Solid(points, tets, Material(youngs_modulus=youngs_modulus), held, swing)]


def sheet():
    points, triangles = grid(12)
    swing = points[:, 1:2] * [0.0, 0.0, 4.0]
    cotton = Material(youngs_modulus=2e5, density=0.3)
    return [Cloth(points, triangles, cotton, Pins([0, 12]), swing)]


def rope(at=(0.0, 0.0, 0.0)):
    points, edges = chain(20, 0.1)
    swing = points[:, :1] * [0.0, 2.0, 2.0]
    return [Rod(points + at, edges, Material(youngs_modulus=1e6, density=0.1), Pins([0]), swing)]


def falling_cubes():
    """One cube on the ground and one on top of it, which touch from the beginning."""
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    material = Material(youngs_modulus=1e5, collision_thickness=0.005)
    places = ([0.0, 0.0, 0.005], [0.02, 0.0, 0.215])
    return [Solid(points + place, tets, material) for place in places]


def last(bodies, frames=2, **settings):
    *_, frame = simulate(bodies, Settings(**settings), frames)
    return frame


def test_two_moves_that_are_compared_take_equally_many_iterations():
    found = marks(300)
    assert [done for done, _ in found[:8]] == [6, 8, 10, 12, 16, 20, 24, 32]
    first, second = CYCLE, 2 * CYCLE
    for done, doubles in found:
        assert done - second == second - first
        first, second = (first, done) if doubles else (second, done)
    assert all(a < b for (a, _), (b, _) in pairwise(found))


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_an_error_that_shrinks_evenly_is_found(rate):
    points = np.array([[0.0, 0, 0], [1.0, 0, 0]])
    x, start = (wp.array(points, dtype=wp.vec3, device="cpu") for _ in range(2))
    model = Simulation(beam(), Settings(accuracy=0.01), "cpu", None).model
    model.x, model.x_start, model.free_count = x, start, 2
    model.assembly = SimpleNamespace(points=points, vertices=[np.arange(2)])
    due = []
    iterations = SimpleNamespace(
        count=20,
        is_met=wp.zeros(1, dtype=int, device="cpu"),
        when_due=lambda is_due, action: due.append((is_due, action)),
    )
    accuracy = Accuracy(model, iterations)
    for number in range(20):
        x.assign(points + [0.0, 0.0, 0.1 * (1.0 - rate ** (number + 1))])
        for is_due, action in due:
            if is_due(number):
                action()
    numbers = {name: array.numpy() for name, array in accuracy.reported.items()}
    error, goal, decay = accuracy.worst(numbers, 20)
    model.launches.threads.stop()
    assert error == pytest.approx(0.1 * rate**20, rel=0.1, abs=6e-7)
    motion = 0.1 * (1.0 - rate**20)
    assert goal == pytest.approx(max(0.01 * motion, 0.01 * PART_OF_SIZE), rel=1e-3)
    if rate > 0.6:  # else nothing is left but rounding
        assert decay == pytest.approx(rate, rel=0.02)
    assert iterations.is_met.numpy()[0] == (rate < 0.7)


@pytest.mark.parametrize(
    ("make", "iterations"),
    [(make, n) for make in (beam, sheet, rope) for n in (8, 12, 16)]
    + [(falling_cubes, n) for n in (16, 24, 40)],
)
def test_the_estimate_is_the_true_error_within_a_factor(make, iterations):
    """Of the first substep, whose start is the same; accuracy beyond reach."""
    settings = {"substeps": 1, "frame_time": 1.0 / 60.0, "use_ground": make is falling_cubes}
    few = last(make(), 1, iterations=iterations, accuracy=1e-9, **settings)
    far = last(make(), 1, iterations=FAR, accuracy=1e-9, **settings)
    moves = zip(few.exact_positions, far.exact_positions, strict=True)
    apart = [np.sqrt(((a - b) ** 2).sum(axis=1).mean()) for a, b in moves]
    rounding = 3e-7 * max(np.abs(points).max() for points in few.exact_positions)
    assert max(apart) < 3.0 * max(few.stats.error, rounding)
    assert few.stats.error < 3.0 * max(*apart, rounding)


@pytest.mark.parametrize("make", [beam, sheet, rope])
def test_a_substep_ends_when_its_error_is_small(make):
    early, exact = (
        last(make(), 3, iterations=n, accuracy=a) for n, a in ((200, 0.01), (FAR, 1e-6))
    )
    assert early.stats.verdict == "converged"
    assert early.stats.error * CAUTION <= early.stats.error_goal
    away = early.exact_positions[0] - exact.exact_positions[0]
    motion = exact.exact_positions[0] - make()[0].points
    assert np.sqrt((away**2).sum() / (motion**2).sum()) < 0.01


def done_of(bodies, **settings):
    """Iterations that the first substep takes."""
    simulation = Simulation(bodies, Settings(**settings), "cpu", None)
    stepper, _ = simulation._build()
    stepper.begin_frame(1, 1.0 / 24.0)
    stepper.step()
    simulation.model.launches.threads.stop()
    return stepper.convergence.done


def test_the_smaller_the_accuracy_the_more_iterations():
    counts = [done_of(beam(1e8), iterations=100, accuracy=a) for a in (0.05, 0.005, 5e-4)]
    assert counts[0] < counts[1] < counts[2] < 100


def test_all_bodies_have_to_be_accurate():
    stiff = done_of(beam(1e8), iterations=100, accuracy=1e-3)
    assert done_of([*rope([0.0, 1.0, 0.0]), *beam(1e8)], iterations=100, accuracy=1e-3) == stiff
    assert done_of(rope(), iterations=100, accuracy=1e-3) < stiff


def test_the_verdict_names_the_error_and_iterations_that_do():
    few = last(beam(1e8), 1, iterations=8, accuracy=1e-6).stats
    said = f"error about {length(few.error)}: {few.iterations_needed} iterations would bring "
    assert few.verdict == said + length(few.error_goal)
    enough = last(beam(1e8), 1, iterations=2 * few.iterations_needed, accuracy=1e-6).stats
    assert enough.verdict == "converged"


@pytest.mark.parametrize(("metres", "said"), [(3e-3, "3 mm"), (4.2e-4, "0.42 mm"), (2.5, "2.5 m")])
def test_lengths_are_said_in_millimetres(metres, said):
    assert length(metres) == said


def test_too_few_iterations_and_other_methods_tell_nothing():
    assert isnan(last(beam(), 1, iterations=4, accuracy=0.01).stats.error_decay)
    for settings in ({"coarse_correction": False}, {"acceleration": 0.9}):
        assert isnan(last(beam(), 1, accuracy=0.01, **settings).stats.error_decay)


def test_without_an_accuracy_nothing_changes():
    frame = last(sheet(), 1)
    assert isnan(frame.stats.error_decay)
    assert done_of(sheet()) == Settings().iterations
