# SPDX-License-Identifier: GPL-3.0-or-later
"""The accuracy that ends a substep: its estimate against the truth, and its decisions."""

from dataclasses import replace
from itertools import pairwise
from math import isnan
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.descent.accuracy import (
    CYCLE,
    Accuracy,
    begins_cycle,
    begins_growing_cycle,
    check_schedule,
)
from vbd.solver.descent.body_errors import FRACTION_OF_SIZE
from vbd.solver.descent.convergence import ENOUGH_TO_HOLD
from vbd.solver.kernels.descent.accuracy import SECOND_CHECK
from vbd.solver.kernels.descent.body_errors import CAUTION, CAUTION_IN_CONTACT
from vbd.solver.report.lengths import length
from vbd.solver.scene.attachments import Attachment
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
    found = check_schedule(300)
    assert [done for done, _ in found[:8]] == [6, 8, 10, 12, 16, 20, 24, 32]
    first, second = CYCLE, 2 * CYCLE
    for done, doubles in found:
        assert done - second == second - first
        first, second = (first, done) if doubles else (second, done)
    assert all(a < b for (a, _), (b, _) in pairwise(found))


class Iterations:
    """Iterations of a substep as input of the rules."""

    def __init__(self, count):
        self.count = count
        self.number, self.is_met, self.has_fixed_period = (
            wp.zeros(1, dtype=int, device="cpu") for _ in range(3)
        )

    def when_due(self, is_due, action, when_fixed=None):
        def act():
            due = when_fixed if when_fixed and self.has_fixed_period.numpy()[0] else is_due
            if due(self.number.numpy()[0]):
                action()

        return act


def watched(
    path,
    start,
    guess=None,
    inertial=None,
    iterations=None,
    ruined=None,
    before=(),
    touched=False,
    cut=False,
    chooses=False,
    slowest=0.0,
):
    """`BodyErrors` of a body, the goal [m] of its `iterations`, and whether they end early. Its
    `path` [iteration, vertex, 3] is given, with its start, its initial guess and its inertial
    position; perhaps those of the substeps before, too. It may be `touched` or `cut` short, and the
    accuracy `chooses` cycles. `slowest` is the remembered fraction that a cycle leaves.
    """
    iterations = iterations or Iterations(20)
    count = iterations.count
    start = np.asarray(start, float)
    model = Simulation(beam(), Settings(accuracy=0.01), "cpu", None).model
    states = (start if state is None else state for state in (guess, start, inertial))
    model.x, model.x_start, model.inertial = (
        wp.array(state, dtype=wp.vec3, device="cpu") for state in states
    )
    model.free_count = len(start)
    model.touched.fill_(int(touched))
    model.assembly = SimpleNamespace(points=start, vertices=[np.arange(len(start))])
    held = wp.full(len(start), int(cut), dtype=int, device="cpu")
    model.contact = SimpleNamespace(truncation=SimpleNamespace(cut=held))
    ruined = ruined or wp.zeros(1, dtype=int, device="cpu")
    accuracy, met = Accuracy(model, iterations, ruined, chooses), False
    accuracy.errors.slowest.fill_(slowest)
    for one in [*before, path]:
        accuracy.begin()
        met = False
        for number in range(min(count, len(one))):
            iterations.number.fill_(number)
            model.x.assign(one[number])
            accuracy.check()
            met = met or bool(iterations.is_met.numpy()[0])
    numbers = {name: array.numpy() for name, array in accuracy.reported.items()}
    model.launches.threads.stop()
    goal = numbers["body_goal"][0]
    return accuracy.estimate(numbers, min(count, len(path))), goal, met


LINE = np.array([[0.0, 0, 0], [1.0, 0, 0]])


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_an_error_that_shrinks_evenly_is_found(rate):
    path = [LINE + [0.0, 0.0, 0.1 * (1.0 - rate**done)] for done in range(1, 21)]
    found, goal, is_met = watched(path, LINE)
    assert found.error[0] == pytest.approx(0.1 * rate**20, rel=0.1, abs=2e-7)
    motion = 0.1 * (1.0 - rate**20)
    assert found.motion[0] == pytest.approx(motion, rel=0.01)
    assert found.goal[0] == goal == pytest.approx(0.01 * motion, rel=1e-3)
    if rate > 0.6:  # else nothing is left but rounding
        assert found.decay[0] == pytest.approx(rate, rel=0.02)
    assert is_met == (rate < 0.7)


def test_what_is_slow_is_remembered():
    """A slow component of the error hides behind a fast one unless the last substep reports it."""
    slow = [LINE + [0.0, 0.0, -0.1 * 0.95**done] for done in range(1, 21)]
    hidden = [LINE - [0.0, 0.0, 0.1 * 0.4**done + 0.003 * 0.95**done] for done in range(1, 9)]
    true = 0.1 * 0.4**8 + 0.003 * 0.95**8
    alone, _, _ = watched(hidden, LINE, iterations=Iterations(8))
    assert alone.error[0] < true / 3.0
    after, _, _ = watched(hidden, LINE, iterations=Iterations(8), before=[slow])
    assert true / 3.0 < after.error[0] < 3.0 * true
    # But a path that shows a slow component itself is not taken to be slower than that.
    again, _, _ = watched(slow, LINE, before=[slow])
    assert again.error[0] == pytest.approx(0.1 * 0.95**20, rel=0.1)


def test_a_substep_that_ends_too_soon_to_tell_is_no_reason_to_forget():
    slow = [LINE + [0.0, 0.0, -0.1 * 0.95**done] for done in range(1, 21)]
    short = [LINE - [0.0, 0.0, 0.1 * 0.4**done + 0.01 * 0.95**done] for done in range(1, 7)]
    true = 0.1 * 0.4**6 + 0.01 * 0.95**6
    once, _, _ = watched(short, LINE, before=[slow])
    often, _, _ = watched(short, LINE, before=[slow, *[short] * 9])
    assert often.error[0] == once.error[0] < 3.0 * true


def test_as_long_as_nothing_is_remembered_a_typical_part_is_slow():
    short = [LINE - [0.0, 0.0, 0.1 * 0.2**done + 0.01 * 0.8**done] for done in range(1, 7)]
    true = 0.1 * 0.2**6 + 0.01 * 0.8**6
    found, _, _ = watched(short, LINE)
    assert true / 3.0 < found.error[0] < 3.0 * true


def test_what_may_be_above_the_goal_is_not_said_to_be_below():
    path = [LINE + [0.0, 0.0, 0.1 * (1.0 - 0.6**done)] for done in range(1, 11)]
    found, _, is_met = watched(path, LINE, iterations=Iterations(10), touched=True)
    assert not is_met
    assert found.goal[0] < found.error[0] < CAUTION_IN_CONTACT.value * found.goal[0]


def test_what_lies_or_sticks_may_not_creep_by_a_part_of_its_size():
    """It has no such floor, and is judged with more caution."""
    still = LINE + [0.0, 0.0, 1e-6]
    _, goal, is_met = watched([still] * 20, LINE, inertial=LINE + [0.0, 0.0, 1e-3])
    _, less, _ = watched([still] * 20, LINE, inertial=LINE + [0.0, 0.0, 1e-3], touched=True)
    assert is_met and less < 0.1 * goal
    assert less == pytest.approx(CAUTION_IN_CONTACT.value * 1e-7, rel=1e-3)  # rounding
    path = [LINE + [0.0, 0.0, 0.1 * (1.0 - 0.6**done)] for done in range(1, 21)]
    ends = [watched(path[:n], LINE, iterations=Iterations(n), touched=t)[2] for n, t in ENDS]
    assert ends == [True, False, True]


# Iterations, and whether the body is touched: it then needs more.
ENDS = ((10, False), (10, True), (12, True))


def test_what_has_collapsed_is_given_all_iterations():
    end = LINE + [0.05, 0.0, 0.0]
    assert watched([end] * 20, LINE)[2]
    ruined = wp.ones(1, dtype=int, device="cpu")
    assert not watched([end] * 20, LINE, ruined=ruined)[2]


def test_what_contact_holds_back_is_not_still():
    end = LINE + [0.05, 0.0, 0.0]
    assert watched([end] * 20, LINE, touched=True)[2]
    assert not watched([end] * 20, LINE, touched=True, cut=True)[2]


def test_cycles_are_the_same_up_to_the_second_look():
    even, growing = (
        [n for n in range(40) if rule(n)] for rule in (begins_cycle, begins_growing_cycle)
    )
    assert growing == [1, 2, 3, 5, 9, 17, 33]
    assert even == [1, 2, *range(3, 40, 2)]
    assert [n for n in even if n < SECOND_CHECK] == [n for n in growing if n < SECOND_CHECK]


@pytest.mark.parametrize(("rate", "are_even"), [(0.3, True), (0.9, False)])
def test_cycles_are_even_where_that_leads_to_the_goal(rate, are_even):
    """Growing cycles have no further checks: the error is that of the second one."""
    path = [LINE + [0.0, 0.0, 0.1 * (1.0 - rate**done)] for done in range(1, 21)]
    iterations = Iterations(20)
    found, _, is_met = watched(path, LINE, iterations=iterations, chooses=True)
    assert bool(iterations.has_fixed_period.numpy()[0]) == is_met == are_even
    told, _, _ = watched(path[:6], LINE, iterations=Iterations(6))
    assert (found.error[0] < 0.1 * told.error[0]) == are_even


def test_what_is_remembered_fades_where_cycles_grow_so_that_even_ones_are_tried_again():
    path = [LINE + [0.0, 0.0, 0.1 * (1.0 - 0.6**done)] for done in range(1, 21)]
    chosen = []
    for substeps in (1, 2, 40):
        iterations, before = Iterations(20), [path] * (substeps - 1)
        watched(path, LINE, iterations=iterations, chooses=True, before=before, slowest=0.97)
        chosen.append(bool(iterations.has_fixed_period.numpy()[0]))
    assert chosen == [False, False, True]


def test_cycles_are_not_even_where_contact_holds_anything_back():
    path = [LINE + [0.0, 0.0, 0.1 * (1.0 - 0.3**done)] for done in range(1, 21)]
    iterations = Iterations(20)
    watched(path, LINE, iterations=iterations, chooses=True, cut=True)
    assert not iterations.has_fixed_period.numpy()[0]


def test_what_flies_fast_may_not_be_more_wrong_for_that():
    """The goal is a fraction of the effect of forces or, where there are none, of gravity's."""
    end = LINE + [0.05, 0.0, 0.0]
    _, goal, _ = watched([end] * 20, LINE, guess=end, inertial=end)
    settings = Settings()
    weight = np.linalg.norm(settings.gravity) * settings.step_time**2
    assert goal == pytest.approx(0.01 * weight, rel=1e-3)
    forced = end + [0.0, 0.0, 0.004]
    _, goal, _ = watched([forced] * 20, LINE, guess=forced, inertial=end)
    assert goal == pytest.approx(0.01 * 0.004, rel=1e-3)


def test_what_hardly_moves_may_be_off_by_a_part_of_its_size_or_of_what_gravity_does():
    far = LINE + [0.0, 0.0, 1.0]  # something holds it
    small = 0.01 * LINE
    for points, inertial in ((LINE, far), (small, far)):
        found, goal, _ = watched([points] * 20, points, inertial=inertial)
        settings = Settings()
        weight = np.linalg.norm(settings.gravity) * settings.step_time**2
        size = np.ptp(points[:, 0])
        assert goal == pytest.approx(0.01 * min(FRACTION_OF_SIZE * size, weight), rel=1e-3)
        # Iterations that end later for the weight do not make it less converged.
        assert found.goal[0] == pytest.approx(0.01 * FRACTION_OF_SIZE * size, rel=1e-3)


@pytest.mark.parametrize(
    ("make", "iterations"),
    [(make, n) for make in (beam, sheet, rope) for n in (8, 12, 16)]
    + [(falling_cubes, n) for n in (24, 32, 40)],
)
def test_the_estimate_is_the_true_error_within_a_factor(make, iterations):
    """In the first substep, which has a fixed start; the accuracy is out of reach."""
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
    """After twelve of them the sum of their errors is below the accuracy, too, as a fraction of the
    largest motion so far.
    """
    early, exact = (
        list(simulate(make(), Settings(iterations=n, accuracy=a), 3))
        for n, a in ((200, 0.01), (FAR, 1e-6))
    )
    assert early[-1].stats.verdict == "converged"
    assert early[-1].stats.error * CAUTION.value <= early[-1].stats.error_goal
    away = early[-1].exact_positions[0] - exact[-1].exact_positions[0]
    motions = [((frame.exact_positions[0] - make()[0].points) ** 2).sum() for frame in exact]
    assert np.sqrt((away**2).sum() / max(motions)) < 0.01


def done_of(bodies, **settings):
    """Iterations that the first substep takes."""
    simulation = Simulation(bodies, Settings(**settings), "cpu", None)
    stepper = simulation.stepper
    stepper.begin_frame(1, 1.0 / 24.0)
    stepper.step()
    simulation.model.launches.threads.stop()
    return stepper.convergence.done


def test_the_smaller_the_accuracy_the_more_iterations():
    counts = [done_of(beam(1e8), iterations=100, accuracy=a) for a in (0.05, 0.005, 5e-4)]
    assert counts[0] < counts[1] < counts[2] < 100


def test_all_bodies_have_to_be_accurate():
    counts = [
        done_of(bodies, iterations=100, accuracy=1e-3)
        for bodies in (rope(), beam(1e8), [*rope([0.0, 1.0, 0.0]), *beam(1e8)])
    ]
    assert counts[0] < counts[1] <= counts[2] < 100


def test_the_verdict_names_the_error_and_iterations_that_do():
    few = last(beam(1e8), 1, iterations=8, accuracy=1e-6).stats
    said = (
        f"error about {length(few.error)}: {few.iterations_needed} iterations would reduce it to "
    )
    assert few.verdict == said + length(few.error_goal)
    enough = last(beam(1e8), 1, iterations=2 * few.iterations_needed, accuracy=1e-6).stats
    assert enough.verdict == "converged"


def test_what_nobody_sees_is_not_poor_though_the_accuracy_is_not_reached():
    fine = last(beam(1e8), 1, iterations=16, accuracy=1e-6).stats
    assert fine.verdict != "converged"
    assert fine.error_goal < fine.error < fine.error_seen
    assert not fine.is_poor
    stats = last(beam(1e9), 1, iterations=6, accuracy=1e-6).stats
    assert stats.is_poor == (stats.error > stats.error_seen)


@pytest.mark.parametrize(
    ("metres", "said"),
    [(3e-3, "3 mm"), (4.2e-4, "0.42 mm"), (0.0994, "99 mm"), (0.187, "0.19 m"), (2.5, "2.5 m")],
)
def test_lengths_are_said_without_powers_of_ten(metres, said):
    assert length(metres) == said


def test_too_few_iterations_and_other_methods_tell_nothing():
    assert isnan(last(beam(), 1, iterations=5, accuracy=0.01).stats.error_decay)
    for settings in ({"coarse_correction": False}, {"acceleration": 0.9}):
        assert isnan(last(beam(), 1, accuracy=0.01, **settings).stats.error_decay)


def test_without_an_accuracy_all_iterations_are_done():
    frame = last(sheet(), 1, accuracy=0.0)
    assert isnan(frame.stats.error_decay)
    assert done_of(sheet(), accuracy=0.0) == Settings().iterations


@pytest.mark.parametrize("iterations", [ENOUGH_TO_HOLD - 1, ENOUGH_TO_HOLD])
def test_surfaces_that_may_touch_are_given_what_they_need(iterations):
    counts = [
        done_of(falling_cubes(), iterations=iterations, accuracy=accuracy, use_ground=True)
        for accuracy in (1.0, 0.1, 1e-6)
    ]
    assert counts[0] < counts[1] < counts[2] == iterations


def test_surfaces_that_may_touch_go_on_as_without_an_accuracy_where_few_iterations_do_not_do():
    """Equal to the last bit, with equal errors reported."""
    few = {"iterations": ENOUGH_TO_HOLD - 1, "use_ground": True}
    without, with_it = (last(falling_cubes(), 8, accuracy=a, **few) for a in (0.0, 1e-6))
    assert with_it.stats.iterations == few["iterations"]
    for a, b in zip(without.exact_positions, with_it.exact_positions, strict=True):
        np.testing.assert_array_equal(a, b)
    assert with_it.stats.error == without.stats.error


def test_what_touches_tells_its_error_where_few_iterations_end_early():
    """An invisible error counts as none, as it does with all iterations."""
    frame = last(falling_cubes(), 2, accuracy=0.1, use_ground=True)
    assert frame.stats.iterations < Settings().iterations
    assert 0.0 < frame.stats.error < 0.1 * frame.stats.error_motion
    assert frame.stats.error_goal == frame.stats.error_seen
    assert frame.stats.verdict == "converged"


def test_multipliers_hide_the_error_so_all_iterations_are_done():
    left = Solid(*box((2, 2, 2), (0.2, 0.2, 0.2)))
    tie = Attachment(left, [0], 1e9, points=left.points[:1])
    assert done_of([left, tie], accuracy=0.01) == Settings().iterations


def test_the_first_look_comes_after_three_iterations():
    assert done_of(sheet(), accuracy=0.1) == 3


def test_what_is_enough_not_to_be_seen_is_less_than_the_accuracy_needs():
    stats = last(sheet(), 1, iterations=6, accuracy=1e-5).stats
    poor = replace(stats, error=4.0 * stats.error_seen, error_decay=0.5)
    assert poor.is_poor and poor.iterations_enough == 6 + 2
    without = last(sheet(), 1, iterations=6, accuracy=0.0).stats
    assert without.iterations_enough == without.iterations_needed


def test_every_body_has_its_error():
    stats = last([*rope([0.0, 1.0, 0.0]), *beam(1e8)], 1, iterations=20, accuracy=1e-6).stats
    assert len(stats.errors) == 2
    assert max(stats.errors) == stats.error
    without = last([*rope([0.0, 1.0, 0.0]), *beam(1e8)], 1, accuracy=0.0).stats
    assert len(without.errors) == 2 and np.isfinite(without.errors).all()
