# SPDX-License-Identifier: GPL-3.0-or-later
"""With the coarse correction a few iterations per step come close to the converged motion."""

import pytest

from vbd.benchmarks.experiments import convergence_scenes as scenes

BAR_STEPS, SHEET_STEPS = 40, 40


@pytest.fixture(scope="module")
def swinging_bar():
    """A cantilever of 4 × 4 × 40 cells that falls, and its motion by Newton's method."""
    body = scenes.bar(4)
    return body, scenes.by_newton(body, BAR_STEPS, tolerance=1e-5)


@pytest.mark.parametrize(("iterations", "goal"), [(2, 0.05), (5, 0.01)])
def test_a_cantilever_swings_right_with_few_iterations(swinging_bar, iterations, goal):
    body, exact = swinging_bar
    path = scenes.by_solver(body, BAR_STEPS, iterations)
    assert scenes.error(path, exact, body.points) < goal


def test_without_the_correction_many_more_iterations_are_not_enough(swinging_bar):
    body, exact = swinging_bar
    path = scenes.by_solver(body, BAR_STEPS, 100, **scenes.PLAIN)
    assert scenes.error(path, exact, body.points) > 0.1


def test_a_falling_sheet_does_not_stretch_with_five_iterations():
    body = scenes.hanging_sheet(32)
    *_, end = scenes.by_solver(body, SHEET_STEPS, 5)
    assert scenes.longest_edges(body, end) < 1.05
    *_, converged = scenes.by_solver(body, SHEET_STEPS, 50)
    assert scenes.longest_edges(body, end) < scenes.longest_edges(body, converged) + 0.01


def test_stiff_segments_do_not_hold_soft_ones_up():
    body = scenes.contrast_bar()
    exact = scenes.by_newton(body, scenes.CONTRAST_STEPS, tolerance=1e-5)
    path = scenes.by_solver(body, scenes.CONTRAST_STEPS, 2)
    assert scenes.error(path, exact, body.points) < 0.06
