# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains, a curtain of springs and a twisted block against closed forms and Newton's method."""

import numpy as np
import pytest

from vbd.benchmarks.experiments import chains_scenes as scenes
from vbd.benchmarks.experiments import quasistatic_scenes as blocks
from vbd.benchmarks.reference import newton, problem
from vbd.benchmarks.reference.local_global import local_global
from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate


def largest(path):
    """Largest strain of any link at any time, in percent."""
    return 100.0 * max(scenes.strains(x).max() for x in path)


def test_a_taut_heavy_chain_stretches_no_more_than_the_paper_says():
    body, limit = scenes.swinging_chain()
    assert 100.0 * limit == pytest.approx(0.693, abs=0.02)
    assert largest(scenes.by_vbd(body, 1.0 / 60.0, 36, iterations=100)) <= 0.7


def test_the_strain_of_a_taut_heavy_chain_tends_to_the_closed_form():
    body, limit = scenes.swinging_chain()
    found = [
        largest(scenes.by_vbd(body, 1.0 / rate, round(0.6 * rate), iterations=100))
        for rate in (240, 960)
    ]
    assert found[0] < found[1]
    assert found[1] == pytest.approx(0.693, abs=0.02)
    assert found[1] == pytest.approx(100.0 * limit, rel=0.02)


def test_a_heavy_chain_released_level_pulls_with_three_times_its_weight():
    body, limit = scenes.swinging_chain(share=0.0)
    assert 100.0 * limit == pytest.approx(0.517, abs=0.001)
    assert largest(scenes.by_vbd(body, 1.0 / 60.0, 51, iterations=100)) < 100.0 * limit
    found = largest(scenes.by_vbd(body, 1.0 / 480.0, 408, iterations=100))
    assert found == pytest.approx(100.0 * limit, rel=0.03)


def test_a_heavy_chain_released_above_the_level_goes_slack_and_snaps():
    """Gravity pushes along it first. A straight rod in its place would stretch by 0.69 %."""
    body, h = scenes.released_chain(30.0), 1.0 / 240.0
    newton, vbd = scenes.by_newton(body, h, 130), scenes.by_vbd(body, h, 130, iterations=200)
    assert largest(vbd) == pytest.approx(largest(newton), rel=0.02)
    fine = largest(scenes.by_vbd(body, 1.0 / 960.0, 500, iterations=100))
    assert fine == pytest.approx(100.0 * scenes.snap_strain(), rel=0.03)


def test_a_hundred_times_softer_heavy_chain_stretches_visibly():
    body, _ = scenes.swinging_chain(1e6)
    newton = largest(scenes.by_newton(body, 1.0 / 60.0, 36))
    assert 50.0 < newton < 70.0
    vbd = largest(scenes.by_vbd(body, 1.0 / 60.0, 36, iterations=100))
    assert vbd == pytest.approx(newton, rel=1e-3)


@pytest.mark.parametrize(
    ("order", "both", "closeness"), [("alternate", True, 1e-4), ("halves", False, 5e-3)]
)
def test_multipliers_make_springs_of_a_stiffness_ratio_of_ten_thousand_converge(
    order, both, closeness
):
    body, _ = scenes.mixed_chain(order, both)
    exact = scenes.by_newton(body, 1.0 / 60.0, 30)
    plain = scenes.by_vbd(body, 1.0 / 60.0, 30, iterations=100, augmented=False, relaxation=1.0)
    better = scenes.by_vbd(body, 1.0 / 60.0, 30, iterations=100)
    assert np.abs(plain - exact).max() > 10 * closeness
    assert np.abs(better - exact).max() < closeness


@pytest.mark.parametrize("model", ["neo_hookean", "neo_hookean_log", "corotated"])
def test_a_twisted_block_comes_to_newtons_equilibrium(model):
    body = blocks.twisted_block(model, cells=(8, 2, 2), turn=np.pi)
    path = blocks.newton_path(body, 4)
    how = {"quasistatic": True, "substeps": 1, "frame_time": 1.0, "gravity": (0.0, 0.0, 0.0)}
    last = blocks.last_step(body, path)
    away, residual = [], []
    for omega, count in ((1.0, 6), (1.5, 6), (1.5, 60)):
        (frame,) = simulate([last], Settings(iterations=count, relaxation=omega, **how), 1)
        away.append(np.abs(frame.exact_positions[0] - path[-1]).max())
        residual.append(frame.stats.residual)
    # Within 60 iterations it comes as near as float32 can.
    assert residual[2] < residual[1] < residual[0]
    assert away[2] < 1e-5


def test_a_curtain_of_springs_is_nearer_to_newton_than_with_the_local_global_method():
    pytest.importorskip("matplotlib")
    from vbd.benchmarks.experiments import massspring_curtain as sheets

    body = sheets.curtain(10)
    step, x, v = sheets.next_step(body, 6)
    best = step.loss(newton.solve(step))
    errors, _ = sheets.of_solver(body, step, x, v, best)
    other = problem.relative_losses(problem.iterate(step, local_global, 100), best)
    at_10, at_100 = (sheets.ITERATIONS.index(count) for count in (10, 100))
    assert errors[at_10] < 0.5 * other[10]
    assert errors[at_100] < 0.1 * other[100]
    assert errors[-1] < 1e-5
