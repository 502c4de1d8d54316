# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains, a curtain of springs and a twisted block against closed forms and Newton's method."""

import numpy as np
import pytest

from vbd.benchmarks.experiments import chains_scenes as scenes
from vbd.benchmarks.experiments import quasistatic_scenes as blocks
from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate


def largest(path):
    """Largest strain of all links and times, in percent."""
    return 100.0 * max(scenes.strains(x).max() for x in path)


def test_a_taut_heavy_chain_stretches_no_more_than_the_paper_says():
    body, limit = scenes.swinging_chain()
    assert 100.0 * limit == pytest.approx(0.693, abs=0.02)
    assert largest(scenes.by_vbd(body, 1.0 / 60.0, 36, iterations=100)) <= 0.7


def test_a_heavy_chain_released_above_the_level_goes_slack_and_snaps():
    """Gravity pushes along it first. A straight rod in its place would stretch by 0.69 %."""
    body, h = scenes.released_chain(30.0), 1.0 / 240.0
    newton, vbd = scenes.by_newton(body, h, 130), scenes.by_vbd(body, h, 130, iterations=200)
    assert largest(vbd) == pytest.approx(largest(newton), rel=0.02)
    fine = largest(scenes.by_vbd(body, 1.0 / 960.0, 500, iterations=100))
    assert fine == pytest.approx(100.0 * scenes.snap_strain(), rel=0.03)


@pytest.mark.parametrize("model", ["neo_hookean", "neo_hookean_log", "corotated"])
def test_a_twisted_block_comes_to_newtons_equilibrium(model):
    body = blocks.twisted_block(model, cells=(8, 2, 2), turn=np.pi)
    path = blocks.newton_path(body, 4)
    how = {"quasistatic": True, "substeps": 1, "accuracy": 0.0, "gravity": (0.0, 0.0, 0.0)}
    last = blocks.last_step(body, path)
    away, residual = [], []
    for omega, count in ((1.0, 6), (1.5, 6), (1.5, 60)):
        (frame,) = simulate([last], Settings(iterations=count, relaxation=omega, **how), 1)
        away.append(np.abs(frame.exact_positions[0] - path[-1]).max())
        residual.append(frame.stats.residual)
    # Within 60 iterations its error falls to float32.
    assert residual[2] < residual[1] < residual[0]
    assert away[2] < 1e-5
