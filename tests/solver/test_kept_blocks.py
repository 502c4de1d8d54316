# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of the coarse matrix, which are kept while their body turns, but not as it strains."""

import numpy as np
import pytest
from coarse_scenes import AXIS, SCENES, bar, put, shaken, stepper_of
from shapes import rotation

from vbd.solver.coarse import kept_blocks
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate


@pytest.fixture
def keeps_small(monkeypatch):
    """Small bodies keep their blocks, too."""
    monkeypatch.setattr(kept_blocks, "FEWEST", 0)


def step_at(stepper, points, forgets):
    """The direction [vertex, 3] of a coarse step from `points` with a matrix assembled there."""
    model, coarse = stepper.model, stepper.coarse
    put(stepper, points)
    model.x_start.assign(model.x)
    model.inertial.assign(model.x)
    if model.contact:
        model.contact.search()
        model.contact.refresh()
    if forgets:
        coarse.kept.forget()
    coarse.assemble()
    coarse.step()
    return coarse.direction.numpy()[: len(points)].astype(float)


def needs_blocks(stepper, points):
    """Return whether a matrix at `points` needs the blocks of any body."""
    put(stepper, points)
    kept = stepper.coarse.kept
    kept.check()
    return not kept.keeps or bool(kept.is_due.numpy()[0])


@pytest.mark.usefixtures("keeps_small")
@pytest.mark.parametrize("name", ["solid", "cells", "attached", "two bodies"])
def test_a_turned_body_takes_the_step_of_a_new_matrix(name):
    """With springs and contacts, which are added anew; the body is shaken, so forces act."""
    stepper, _frames = stepper_of(SCENES[name](), gravity=(0, 0, 0))
    turn = rotation(AXIS, 0.7)
    shape = shaken(stepper, 1e-3)
    step_at(stepper, shape, forgets=True)
    assert not needs_blocks(stepper, shape @ turn.T)
    kept = step_at(stepper, shape @ turn.T, forgets=False)
    new = step_at(stepper, shape @ turn.T, forgets=True)
    # Relative to forces that have lost 1e-4 in the strains by float32.
    assert abs(kept - new).max() < 0.01 * abs(new).max()


@pytest.mark.usefixtures("keeps_small")
@pytest.mark.parametrize("name", ["solid", "cells"])
def test_a_strained_body_needs_new_blocks(name):
    stepper, _frames = stepper_of(SCENES[name](), gravity=(0, 0, 0))
    rest = stepper.model.assembly.rest_points
    step_at(stepper, shaken(stepper, 1e-3), forgets=True)
    assert not needs_blocks(stepper, rest)
    assert not needs_blocks(stepper, rest * [1.05, 1.0, 1.0])
    assert needs_blocks(stepper, rest * [1.15, 1.0, 1.0])


@pytest.mark.usefixtures("keeps_small")
@pytest.mark.parametrize(("name", "settings"), [("cloth", {}), ("solid", {"quasistatic": True})])
def test_cloth_and_equilibria_need_new_blocks_each_time(name, settings):
    stepper, _frames = stepper_of(SCENES[name](), **settings)
    points = shaken(stepper, 1e-4)
    step_at(stepper, points, forgets=True)
    assert needs_blocks(stepper, points)
    assert not stepper.coarse.groups.patches.is_kept.numpy().any()


@pytest.mark.usefixtures("keeps_small")
def test_a_frame_begins_with_new_blocks():
    """A resumed run has no others."""
    stepper, _frames = stepper_of(SCENES["solid"]())
    kept = stepper.coarse.groups.patches.is_kept
    assert kept.numpy().all()
    stepper.begin_frame(2, 1.0)
    assert not kept.numpy().any()
    kept.fill_(1)
    stepper.checkpoints._notify()
    assert not kept.numpy().any()


@pytest.mark.usefixtures("keeps_small")
def test_a_resumed_run_has_the_same_bits():
    settings = Settings(substeps=3, iterations=6)
    frames = []
    for frame in simulate([bar()], settings, 4):
        frames.append(frame.exact_positions[0])
        if frame.index == 2:
            restart = Restart(2, {k: v.copy() for k, v in frame.state().items()})
    *_, resumed = simulate([bar()], settings, 4, restart=restart)
    np.testing.assert_array_equal(resumed.exact_positions[0], frames[3])


@pytest.mark.usefixtures("keeps_small")
def test_a_step_that_is_cut_short_brings_new_blocks():
    stepper, _frames = stepper_of(SCENES["solid"](), gravity=(0, 0, 0))
    points = shaken(stepper, 1e-3)
    step_at(stepper, points, forgets=True)
    stepper.coarse.components.step_length.fill_(0.3)
    assert needs_blocks(stepper, points)


def test_small_bodies_need_new_blocks_each_time():
    stepper, _frames = stepper_of(SCENES["solid"]())
    points = shaken(stepper, 1e-4)
    step_at(stepper, points, forgets=True)
    assert needs_blocks(stepper, points)
