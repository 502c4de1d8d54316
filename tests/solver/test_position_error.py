# SPDX-License-Identifier: GPL-3.0-or-later
"""The estimate of the distance of positions from the end of further iterations."""

from math import isnan
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp
from shapes import box

from vbd.solver.bodies import Pins, Solid
from vbd.solver.device.launches import Launches
from vbd.solver.device.threads import Workers
from vbd.solver.report.position_error import (
    FRACTION_OF_MOTION,
    FRACTION_OF_SIZE,
    PositionError,
    last_sweeps,
)
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate

ITERATIONS = 20
# Rounding in float32 of a body of 1 m.
LEAST = 1e-7


def estimate(
    rate,
    amount,
    motion=0.0,
    size=1.0,
    free=2,
    quasistatic=True,
    steps=None,
    slow=0.0,
    slow_rate=1.0,
    flips=0.0,
    touched=(1, 1),
    freed=None,
):
    """Error and goal [m] as estimated when the error of all vertices shrinks by `rate` with every
    iteration, or only with those before coarse steps; its `slow` component shrinks by another rate
    with every iteration, and one that `flips` to and fro not at all. All is `touched`. A search
    before the iteration `freed` releases all of the error that truncation kept until then.
    """
    points = np.array([[0.0, 0, 0], [size, 0, 0]])
    x = wp.array(points, dtype=wp.vec3, device="cpu")
    model = SimpleNamespace(
        x=x,
        x_start=wp.array(points - [motion, 0, 0], dtype=wp.vec3, device="cpu"),
        free_count=free,
        touched=wp.array(touched, dtype=int, device="cpu"),
        settings=Settings(quasistatic=quasistatic),
        launches=Launches("cpu", Workers(1)),
        assembly=SimpleNamespace(points=points, vertices=[np.arange(2)]),
    )
    count = ITERATIONS
    error = PositionError(model, count, range(1, count + 1) if steps is None else steps)
    for done in range(1, count + 1):
        now = points.copy()
        shrunk = done if steps is None else sum(after <= done for after in steps)
        now[:, 2] = amount * rate**shrunk + slow * slow_rate**done + flips * (-1) ** done
        if freed is not None and done < freed:
            now[:, 2] += 100.0 * slow
        x.assign(now)
        if done in error.samples:
            wp.copy(error.samples[done], x)
    error.find()
    found = error.estimate(error.squares.numpy(), count)
    return float(found.error[0]), float(found.goal[0])


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_an_error_that_shrinks_evenly_is_found(rate):
    error, _ = estimate(rate, 0.1)
    assert error == pytest.approx(0.1 * rate**ITERATIONS, rel=0.01, abs=LEAST)


@pytest.mark.parametrize("rate", [0.4, 0.55, 0.7, 0.8])
def test_an_error_that_only_coarse_steps_shrink_is_found_within_a_factor(rate):
    """They come after iterations 1, 2, 3, 5, 9, 17, and take between 60 % and 20 % of it."""
    after = [1, 2, 3, 5, 9, 17]
    error, _ = estimate(rate, 0.1, quasistatic=False, steps=after)
    true = 0.1 * rate ** len(after)
    assert true / 3.0 < error < 3.0 * true


STEPS = [1, 2, 3, 5, 9, 17]


@pytest.mark.parametrize("slow_rate", [0.95, 0.97, 0.99])
def test_what_sweeps_take_slowly_is_found_within_a_factor(slow_rate):
    """Coarse steps reduce errors of sliding or compression hardly more than sweeps."""
    error, _ = estimate(0.3, 1e-3, quasistatic=False, steps=STEPS, slow=0.1, slow_rate=slow_rate)
    true = 0.1 * slow_rate**ITERATIONS
    assert true / 3.0 < error < 3.0 * true


def test_what_moves_freely_does_not_hide_how_slowly_what_is_touched_does():
    """One vertex is touched and slow, the other one is free and swings to and fro."""
    slow, swing = np.array([0.1, 0.0]), np.array([0.0, 0.01])
    how = {"quasistatic": False, "steps": STEPS, "slow": slow, "slow_rate": 0.97, "flips": swing}
    of_touched, of_all = (estimate(0.3, 0.0, **how, touched=who)[0] for who in ((1, 0), (1, 1)))
    true = np.sqrt(np.mean((slow * 0.97**ITERATIONS) ** 2 + swing**2))
    assert true / 2.0 < of_touched < 2.0 * true
    assert of_all < true / 2.0


@pytest.mark.parametrize("freed", [15, 16])
def test_what_a_search_lets_go_is_no_slow_part(freed):
    how = {"quasistatic": False, "steps": STEPS, "slow": 1e-3, "slow_rate": 0.9}
    told, without = (estimate(0.3, 1e-3, **how, freed=when)[0] for when in (freed, None))
    # The release may count as a move, but not as one that continues.
    assert told < without + 3.0 * 0.1


def test_contacts_that_flip_to_and_fro_are_no_slow_part():
    error, _ = estimate(0.3, 1e-3, quasistatic=False, steps=STEPS, flips=1e-4)
    assert error < 3.0 * 1e-4


def test_the_last_sweeps_without_a_coarse_step():
    assert last_sweeps(20, STEPS) == (14, 15, 16)
    assert last_sweeps(30, STEPS) == (28, 29, 30)
    assert last_sweeps(6, [1, 2, 3, 5]) is None
    assert last_sweeps(8, [1, 2, 3, 5]) == (6, 7, 8)
    assert last_sweeps(4, [1, 2, 3]) is None
    for count in range(4, 100):
        found = last_sweeps(count, [1, 2, 3, 5, 9, 17, 33, 65])
        assert found is None or count // 2 <= found[0] < found[1] < found[2] <= count


def test_one_vertex_of_many_hardly_counts():
    alone, _ = estimate(0.8, np.array([0.1, 0.0]))
    assert alone == pytest.approx(estimate(0.8, 0.1)[0] / np.sqrt(2.0), rel=0.01)


def test_the_size_is_that_of_the_body_with_its_pins():
    assert estimate(0.5, 0.0, size=2.0, free=1)[0] == pytest.approx(2.0 * LEAST)
    assert estimate(0.5, 0.1, size=2.0, free=1)[1] == pytest.approx(
        2.0 * FRACTION_OF_SIZE, rel=1e-3
    )


def test_what_hardly_shrinks_may_be_far_off():
    assert estimate(0.999, 0.1)[0] > 0.05


@pytest.mark.parametrize("quasistatic", [True, False])
def test_what_does_not_move_has_the_error_of_float32(quasistatic):
    assert estimate(0.5, 0.0, quasistatic=quasistatic)[0] == pytest.approx(LEAST)


def test_nobody_sees_a_part_of_the_motion_or_of_the_size():
    assert estimate(0.9, 0.01, size=3.0)[1] == pytest.approx(3.0 * FRACTION_OF_SIZE, rel=1e-3)
    assert estimate(0.9, 0.01, motion=2.0)[1] == pytest.approx(2.0 * FRACTION_OF_MOTION, rel=1e-2)


def beam(iterations, **settings):
    """The third frame of a stiff beam that begins to fall, held at one end."""
    points, tets = box((10, 2, 2), (0.5, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-6))
    body = Solid(points, tets, Material(youngs_modulus=1e6), pins=held)
    *_, frame = simulate([body], Settings(iterations=iterations, **settings), 3)
    return frame


def test_a_frame_whose_error_nobody_sees_counts_as_converged():
    frame, exact = beam(5), beam(400)
    assert frame.stats.residual > frame.stats.goal
    assert frame.stats.error < frame.stats.error_goal
    assert frame.stats.verdict == "converged"
    # It really is: twelve substeps together stay below it.
    away = np.abs(frame.exact_positions[0] - exact.exact_positions[0]).max()
    assert away < frame.stats.error_goal


def test_plain_sweeps_tell_nothing_of_their_error():
    stats = beam(20, coarse_correction=False).stats
    assert isnan(stats.error)
    assert stats.verdict != "converged"


def test_too_few_iterations_tell_nothing_either():
    assert isnan(beam(2).stats.error)


def test_what_moves_bodies_after_the_iterations_is_no_error():
    """The momentum that iterations have lost is given back then."""
    cubes = [Solid(*box((1, 1, 1), (0.2, 0.2, 0.2)), Material()) for _ in range(2)]
    cubes[1].points = cubes[1].points + [0.0, 0.0, 0.5]
    told = []
    for shift in (0.0, 0.01):
        simulation = Simulation(cubes, Settings(substeps=1), "cpu", None)
        stepper, measure = simulation.stepper, simulation.measure
        x = simulation.model.x
        stepper.stages.contacts.end_step = lambda x=x, by=shift: x.assign(x.numpy() + by)
        stepper.begin_frame(1, 1.0 / 24.0)
        stepper.step()
        told.append(measure.statistics(measure.read(), 0.0).error)
        simulation.model.launches.threads.stop()
    assert told[1] == told[0] < 1e-6
