# SPDX-License-Identifier: GPL-3.0-or-later
"""With the coarse correction a few iterations per step come close to the converged motion."""

import pytest

from vbd.benchmarks.experiments import convergence_scenes as scenes
from vbd.benchmarks.experiments import convergence_small as small


@pytest.fixture(scope="module")
def swinging_bar():
    """A cantilever of 3 × 3 × 30 cells that falls, and its motion by Newton's method."""
    body = scenes.bar(3)
    return body, scenes.by_newton(body, scenes.STEPS, tolerance=1e-5)


@pytest.mark.parametrize(("iterations", "goal"), [(2, 0.05), (5, 0.01)])
def test_a_cantilever_swings_right_with_few_iterations(swinging_bar, iterations, goal):
    body, exact = swinging_bar
    path = scenes.by_solver(body, scenes.STEPS, iterations)
    assert scenes.error(path, exact, body.points) < goal


def test_without_the_correction_many_more_iterations_are_not_enough(swinging_bar):
    body, exact = swinging_bar
    path = scenes.by_solver(body, scenes.STEPS, 100, **scenes.PLAIN)
    assert scenes.error(path, exact, body.points) > 0.1


def test_a_falling_sheet_does_not_stretch_with_five_iterations():
    body = scenes.hanging_sheet(32)
    stretched, converged = (
        scenes.longest_edges(body, scenes.by_solver(body, scenes.STEPS, count)[-1])
        for count in (5, 40)
    )
    assert stretched < 1.05
    assert stretched < converged + 0.01


def test_stiff_segments_do_not_hold_soft_ones_up():
    body = scenes.contrast_bar()
    exact = scenes.by_newton(body, scenes.CONTRAST_STEPS, tolerance=1e-5)
    # 100 plain sweeps are 45 % off; with uneven patches, coarse steps are 23 % off.
    for iterations, most in ((2, 0.06), (5, 0.05)):
        path = scenes.by_solver(body, scenes.CONTRAST_STEPS, iterations)
        assert scenes.error(path, exact, body.points) < most


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("beam, 81 vertices, 10 MPa", 0.03),
        ("sheet, 9² vertices, 1 MPa", 0.005),
        ("rope, 8 vertices, 10 MPa", 0.005),
    ],
)
def test_small_stiff_bodies_move_right_with_the_default_iterations(name, most):
    body = small.BODIES[name]()
    exact = scenes.by_newton(body, small.STEPS, tolerance=1e-5)
    apart = [
        scenes.error(
            scenes.by_solver(body, small.STEPS, small.ITERATIONS, **how), exact, body.points
        )
        for how in ({}, {"coarse_correction": False})
    ]
    assert apart[0] < most
    assert apart[1] > 0.05
