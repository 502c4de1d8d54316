# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of the scene and of files while Live runs."""

import time

import bpy
import numpy as np
import pytest
from blender_scenes import frames, sheet, shown, slab, tet_block

from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.live import live_run, watching
from vbd.addon.live.pulls import MousePull
from vbd.addon.live.session import LiveSession
from vbd.addon.playing import preview


@pytest.fixture
def scene(scene, monkeypatch):
    frames(scene, 1, 40)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    monkeypatch.setattr(live_run, "rate", lambda scene: 1e6)  # does not wait for real time
    monkeypatch.setattr(watching, "EVERY", 0.0)
    monkeypatch.setattr(watching, "REST", 0.0)
    scene.frame_set(1)
    return scene


def begun(frame=5):
    """Live that has shown a frame."""
    session = LiveSession(bpy.context)
    while session.newest < frame:
        assert session.advance(0.01)
    return session


def run_out(session):
    while session.advance(0.01):
        pass


def has_left_nothing():
    """Return whether no object has a preview, and nothing tells of a Live."""
    state = bpy.context.window_manager.vbd
    modifiers = [m.name for ob in bpy.data.objects for m in ob.modifiers]
    attributes = [name for mesh in bpy.data.meshes for name in mesh.attributes.keys()]
    is_shown = any(name.startswith(preview.NAME) for name in (*modifiers, *attributes))
    return not (is_shown or state.baking or state.live or LiveSession.current)


def test_it_may_be_paused_before_it_has_begun(scene):
    tet_block()
    session = LiveSession(bpy.context)
    session.pause(True)
    session.pause(False)
    while session.newest < 5:
        assert session.advance(0.01)
    session.finish()
    assert session.outcome.frames >= 5


def test_the_timeline_may_be_dragged_before_a_frame_is_solved(scene):
    tet_block()
    session = LiveSession(bpy.context)
    while session.newest < 0:
        assert session.advance(0.0)
    session.run.solver.cache, cache = None, session.run.solver.cache  # as while kernels compile
    scene.frame_current = 9
    session.pause(True)
    session.run.visit()
    session.pause(False)
    session.run.solver.cache = cache or session.run.solver.cache
    assert scene.frame_current == 1
    session.finish()


def test_an_object_that_is_renamed_starts_over(scene):
    ob = tet_block()
    session = begun()
    ob.name = "Other"
    run_out(session)
    assert session.outcome.frames == 39 and ob.vbd.baked and "Other" in session.notice
    assert has_left_nothing()


def test_an_object_that_is_renamed_at_the_end_keeps_no_preview(scene):
    ob = tet_block()
    session = begun()
    ob.name = "Other"
    session.finish()
    assert has_left_nothing()


def test_a_pulled_object_may_be_deleted(scene):
    block, other = tet_block(), sheet()
    session = begun()
    pull = MousePull(block.name, 0, 0, np.ones(3), 10.0, np.zeros(3))
    session.pulls.begin(pull)
    session.advance(0.01)
    bpy.data.objects.remove(block)
    run_out(session)
    assert session.outcome.frames == 39 and other.vbd.baked and not session.pulls.all
    assert has_left_nothing()


def test_the_only_object_may_be_deleted(scene):
    ob = tet_block()
    slab(height=-0.1)
    session = begun()
    bpy.data.objects.remove(ob)
    run_out(session)
    assert "cannot start over: All objects are colliders" in session.reason
    assert has_left_nothing()


def test_what_cannot_start_over_keeps_the_frames(scene):
    ob = sheet()
    session = begun()
    ob.hide_viewport = session.state.start_over = True
    run_out(session)
    assert session.outcome.frames >= 5 and "cannot start over" in session.outcome.lines()[0].text
    assert has_left_nothing() and ob.vbd.baked


def test_a_mesh_that_is_remeshed_meanwhile_gets_no_keys(scene):
    ob = sheet()
    session = begun()
    ob.data.clear_geometry()
    session.finish()
    assert session.has_failed and session.reason.startswith("Sheet has 0 vertices, but 25 in the")
    assert has_left_nothing() and not ob.vbd.baked and not ob.data.shape_keys


def test_a_scene_may_be_deleted(scene):
    tet_block()
    other = bpy.data.scenes.new("Other")
    session = begun()
    bpy.context.window.scene = other
    bpy.data.scenes.remove(scene)
    run_out(session)
    assert has_left_nothing() and bpy.context.preferences.edit.use_global_undo


def test_saving_tells_that_the_frames_are_lost(scene, tmp_path):
    tet_block()
    session = begun()
    for path in cache_folder(scene).glob("frame_000002*"):
        path.unlink()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert session.generator is None and session.outcome is None
    assert session.reason and "saved" not in session.reason
    assert has_left_nothing()


def test_a_render_ends_it(scene, tmp_path):
    ob = tet_block()
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.render.filepath = "CYCLES", str(tmp_path / "still.png")
    scene.cycles.samples, scene.cycles.device = 1, "CPU"
    scene.render.resolution_x = scene.render.resolution_y = 16
    session = begun()
    at = scene.frame_current
    bpy.ops.render.render(write_still=True)
    assert session.generator is None and "render" in session.outcome.lines()[0].text
    assert ob.vbd.baked and scene.frame_current == at and has_left_nothing()
    assert np.isfinite(shown(ob)).all()


def test_other_programs_do_not_keep_the_solver_from_its_frames(scene):
    tet_block()
    session = begun()
    assert not session.run.solver.gives_way  # as the solver of a bake does
    session.finish()


def test_objects_that_take_no_part_cost_no_time(scene):
    tet_block()
    session = begun()

    def seconds():
        began = time.thread_time()
        for _ in range(20):
            assert not session._obstacle()
        return time.thread_time() - began

    alone = min(seconds() for _ in range(5))
    for number in range(3000):
        scene.collection.objects.link(bpy.data.objects.new(f"Tree {number}", None))
    # Looking at each of them takes 300 times as long.
    assert min(seconds() for _ in range(5)) < 10.0 * alone
    session.finish()


def test_an_edited_object_ends_it_whichever_is_the_active_one(scene):
    ob, other = tet_block(), slab(role="NONE", height=-3.0)
    session = begun()
    for one in (ob, other):
        one.select_set(True)
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    run_out(session)
    assert ob.mode == "OBJECT" and "Edit Mode" in session.outcome.headline


def test_editing_an_object_that_takes_no_part_goes_on(scene):
    tet_block()
    bpy.context.view_layer.objects.active = slab(role="NONE", height=-3.0)
    session = begun()
    bpy.ops.object.mode_set(mode="EDIT")
    run_out(session)
    assert session.outcome.frames == 39
    bpy.ops.object.mode_set(mode="OBJECT")
