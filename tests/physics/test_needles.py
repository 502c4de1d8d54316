# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball of jelly on needles, which press with more than its tets bear."""

import numpy as np
import pytest
from fuzz.run import run_scene
from fuzz.scenes import Scene
from shapes import needles, tet_ball

from vbd.solver.bodies import Collider, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

FRAMES, SECOND = 72, 24


def ball_on_needles(youngs_modulus=1e4):
    points, tets = tet_ball(8, 0.5)
    jelly = Material(youngs_modulus=youngs_modulus)
    ball = Solid(points + [0.0, 0.0, 0.6], tets, jelly, name="Jelly")
    return [ball, Collider(*needles(0.25, 7), name="Needles")]


@pytest.fixture(scope="module")
def landed():
    return list(simulate(ball_on_needles(), Settings(threads=1), FRAMES))


def test_no_needle_gets_through_its_surface():
    outcome = run_scene(Scene("", ball_on_needles(), Settings(threads=1), 24))
    assert outcome.is_scene and not outcome.findings, outcome.findings


def test_it_comes_to_rest_on_them(landed):
    """Far above their feet, but for what is left of its swing."""
    height = [frame.exact_positions[0][:, 2].mean() for frame in landed]
    assert min(height[-SECOND:]) > -0.2
    assert np.ptp(height[-SECOND:]) < 0.02


def test_tets_at_tips_are_inverted_and_known(landed):
    last = landed[-1].stats
    assert last.verdict == "converged"
    assert last.inverted > 50 and last.inverted_bodies == ("Jelly",)


@pytest.mark.parametrize("more", [{"iterations": 100}, {"substeps": 16}])
def test_a_more_exact_solution_has_as_many(landed, more):
    """Within what the swing and the folds round the tips leave."""
    *_, exact = simulate(ball_on_needles(), Settings(threads=1, **more), FRAMES)
    assert landed[-1].stats.inverted == pytest.approx(exact.stats.inverted, rel=0.25)


def test_what_is_stiff_enough_has_none():
    frames = simulate(ball_on_needles(3e5), Settings(threads=1), SECOND)
    assert not any(frame.stats.inverted for frame in frames)
