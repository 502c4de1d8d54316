# SPDX-License-Identifier: GPL-3.0-or-later
"""The first bake of a session imports the solver in a thread; the window stays responsive."""

from threading import Event

import bpy
import pytest
from blender_scenes import sheet

from vbd.addon.baking import solver_import
from vbd.addon.baking.bake_steps import bake_steps
from vbd.solver.messages import message


@pytest.fixture
def slow_import(monkeypatch):
    """An import that ends when this event is set."""
    arrived = Event()
    monkeypatch.setattr(solver_import._Import, "run", lambda _self: arrived.wait(60.0))
    yield arrived
    arrived.set()


def test_a_bake_waits_for_the_import_without_holding_the_window(scene, slow_import):
    sheet()
    state = bpy.context.window_manager.vbd
    steps = bake_steps(bpy.context, wait=0.0)
    for _ in range(3):
        assert next(steps) is None
        assert state.baking and state.status == message("progress.solver")
    slow_import.set()
    while state.status == message("progress.solver"):
        next(steps)
    steps.close()


def test_esc_works_during_the_import(scene, slow_import):
    ob = sheet()
    steps = bake_steps(bpy.context, wait=0.0)
    next(steps)
    bpy.ops.vbd.cancel_bake()
    with pytest.raises(StopIteration) as end:
        next(steps)
    outcome = end.value.value
    assert outcome.cancelled and not outcome.frames
    assert outcome.report()[1].endswith("then cancelled")
    assert ob.data.shape_keys is None
    assert not bpy.context.window_manager.vbd.baking


def test_an_import_that_fails_is_raised_in_the_main_thread(scene, monkeypatch):
    sheet()

    def broken(name, *_):
        raise ImportError(f"no {name} here")

    monkeypatch.setattr(solver_import, "import_module", broken)
    with pytest.raises(ImportError, match="no warp here"):
        for _ in bake_steps(bpy.context):
            pass
    assert not bpy.context.window_manager.vbd.baking
