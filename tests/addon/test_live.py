# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: frames are shown as they are solved, and are those of a bake."""

import time

import bpy
import numpy as np
import pytest
from blender_scenes import empty_object, frames, pin, sheet, shown, slab, slide, tet_block

from vbd.addon.baking.bake_steps import EVERY_FRAME, bake_steps, run_to_end
from vbd.addon.baking.resuming import saved_frames
from vbd.addon.live import live_run, watching
from vbd.addon.live.pace import AHEAD, Pace
from vbd.addon.live.session import LiveSession
from vbd.addon.playing import preview


@pytest.fixture
def scene(scene, monkeypatch):
    frames(scene, 1, 30)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    monkeypatch.setattr(live_run, "rate", lambda scene: 1e6)  # does not wait for real time
    monkeypatch.setattr(watching, "EVERY", 0.0)
    monkeypatch.setattr(watching, "REST", 0.0)
    return scene


def quietly(steps):
    return run_to_end(steps, show=lambda _: None)


def live(until=None, act=None, seconds=100.0):
    """Run Live to its end; call `act` once when frame `until` is shown, `act` by default stops."""
    state, session = bpy.context.window_manager.vbd, LiveSession(bpy.context)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not session.advance(0.01):
            return session
        if until is not None and session.newest >= until:
            until = None
            if act is None:
                state.cancel_requested = True
            else:
                act(session)
    session.finish()
    raise TimeoutError(state.status)


def motion(ob, count=30):
    return [shown(ob, frame) for frame in range(1, count + 1)]


def swinging_sheet():
    ob = sheet()
    pin(ob, [0, 4])
    slide(ob, 0, 1, 30, 0.5)
    return ob


@pytest.mark.parametrize("make", [tet_block, swinging_sheet])
def test_stop_and_resume_give_the_bits_of_a_plain_bake(scene, make):
    ob = make()
    slab(height=-0.1)
    scene.frame_set(1)
    quietly(bake_steps(bpy.context))
    plain = motion(ob)
    bpy.ops.vbd.free_bake()
    scene.frame_set(1)
    session = live(until=4)
    assert 4 <= session.newest <= session.outcome.frames <= session.newest + AHEAD + 1
    assert scene.frame_current >= 5 and scene.vbd.frames_missing
    scene.frame_set(3)  # what is solved is played, then it goes on
    session, last = live(until=4), saved_frames(scene).last
    assert session.outcome.frames == last <= session.newest + AHEAD + 1
    assert scene.frame_current < 8
    live(until=9)
    assert 9 <= saved_frames(scene).last < 29
    quietly(bake_steps(bpy.context, after=EVERY_FRAME))
    for frame, points in enumerate(plain, 1):
        np.testing.assert_array_equal(shown(ob, frame), points)


def test_every_frame_is_shown_and_the_timeline_follows(scene, monkeypatch):
    ob, seen, show = tet_block(), {}, preview.Preview.show

    def see(self, index, points):
        show(self, index, points)
        seen[scene.frame_current] = shown(ob)

    monkeypatch.setattr(preview.Preview, "show", see)
    scene.frame_set(1)
    live()
    assert set(seen) >= set(range(2, 30)) and scene.frame_current == 30
    for frame in range(2, 30):
        np.testing.assert_allclose(seen[frame], shown(ob, frame), atol=1e-6)


def test_a_changed_number_acts_from_the_next_frame_on_and_is_told(scene):
    frames(scene, 1, 60)
    ob = tet_block()
    scene.frame_set(1)

    def change(_session):
        scene.gravity = (0.0, 0.0, 20.0)

    session = live(until=5, act=change)
    heights = [points[:, 2].mean() for points in motion(ob, 60)]
    assert heights[5] < heights[0] and heights[59] > heights[20]
    edited = session.run.solver.cache.header.edited
    assert 5 <= edited <= 20  # as many as are solved before the change is seen
    text = f"from frame {1 + edited} on: Bake gives another result"
    assert any(text in line.text for line in session.outcome.lines())


def test_what_cannot_change_says_so_and_the_frames_stay(scene):
    frames(scene, 1, 60)
    ob = hanging_sheet()
    scene.frame_set(1)

    def change(_session):
        ob.vbd.keep_volume = True  # the mesh is open

    session = live(until=5, act=change)
    assert session.outcome.frames >= 5 and ob.vbd.baked
    assert "cannot change" in session.outcome.lines()[0].text


def test_other_vertices_start_over(scene):
    bpy.ops.mesh.primitive_cube_add()
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", 3
    frames(scene, 1, 150)  # more than a fast machine solves until the change is seen
    scene.frame_set(1)

    def change(_session):
        ob.vbd.resolution = 4

    session = live(until=5, act=change)
    assert session.outcome.frames == 149 and not session.run.solver.cache.header.edited
    assert "started over, since Cells Along of Cube changed" in session.notice


def test_start_over_uses_the_settings_of_now(scene):
    frames(scene, 1, 12)
    ob, state = tet_block(), bpy.context.window_manager.vbd
    scene.frame_set(1)

    def change(_session):
        scene.gravity, state.start_over = (0.0, 0.0, 5.0), True

    session = live(until=5, act=change)
    edited = motion(ob, 12)
    assert not session.run.solver.cache.header.edited and session.outcome.frames == 11
    bpy.ops.vbd.free_bake()
    quietly(bake_steps(bpy.context))
    np.testing.assert_array_equal(edited, motion(ob, 12))


def test_loop_starts_over_until_it_is_stopped(scene):
    tet_block()
    scene.frame_set(1)
    state, rounds = bpy.context.window_manager.vbd, []
    session, state.loop = LiveSession(bpy.context), True
    while session.advance(0.01):
        if session.run and session.run not in rounds:
            rounds.append(session.run)
        if len(rounds) == 4:
            state.cancel_requested = True
    state.loop = False
    assert len(rounds) == 4 and rounds[2].outcome.frames == 29


def test_a_solved_frame_that_the_user_goes_to_is_held(scene):
    frames(scene, 1, 40)
    ob, state = tet_block(), bpy.context.window_manager.vbd
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    while session.newest < 8:
        session.advance(0.01)
    newest = session.newest  # one visit may show several frames
    scene.frame_current = 4
    for _ in range(50):
        session.advance(0.01)
    assert state.paused and scene.frame_current == 4
    held = shown(ob)
    assert session.run.newest == newest
    session.pause(False)
    assert scene.frame_current == 1 + newest
    session.advance(0.1)
    session.finish()
    np.testing.assert_allclose(held, shown(ob, 4), atol=1e-6)


def test_the_coarse_preview_never_becomes_the_bake(scene):
    bpy.ops.mesh.primitive_cube_add()
    ob = bpy.context.object
    ob.vbd.role = "SOFT"
    scene.vbd.live_coarse = True
    scene.frame_set(1)
    session = live()
    assert session.outcome.settings.iterations == 5 and ob.vbd.resolution == 8
    assert not ob.vbd.is_property_set("resolution") and saved_frames(scene) is None
    coarse = motion(ob)
    scene.vbd.live_coarse = False
    bpy.ops.vbd.bake(mode="NEW")
    assert not np.array_equal(coarse, motion(ob))
    bpy.ops.vbd.free_bake()
    assert not session.folder.exists()


@pytest.mark.parametrize("end", ["drop", "finish"])
def test_nothing_is_left_behind(scene, end):
    ob, state = swinging_sheet(), bpy.context.window_manager.vbd
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    while session.newest < 3:
        session.advance(0.01)
    undo = bpy.context.preferences.edit.use_global_undo
    getattr(session, end)()
    assert not undo and bpy.context.preferences.edit.use_global_undo
    assert preview.NAME not in ob.modifiers and not session.run.solver.is_alive()
    assert not (state.baking or state.live) and LiveSession.current is None
    assert ob.vbd.baked == (end == "finish")


def test_saving_stops_it_and_the_file_has_the_frames(scene, tmp_path):
    ob = tet_block()
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    while session.newest < 3:
        session.advance(0.01)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert session.generator is None and "saved" in session.outcome.lines()[0].text
    name = ob.name
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    ob = bpy.data.objects[name]
    assert ob.vbd.baked and not ob.modifiers


def test_a_new_file_ends_it(scene):
    tet_block()
    session = LiveSession(bpy.context)
    while session.newest < 0:
        session.advance(0.01)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert session.generator is None and not session.run.solver.is_alive()


def test_frames_are_shown_in_real_time_at_most():
    now = [0.0]
    pace, shows = Pace(24.0, clock=lambda: now[0]), []
    for tick in range(1000):
        now[0] = 0.008 * tick
        if pace.is_due():
            pace.shown(len(shows) + 1)
            shows.append(now[0])
    assert len(shows) == pytest.approx(24.0 * now[0], abs=2) and pace.allowed == len(shows) + AHEAD
    assert pace.measured() == pytest.approx(24.0, rel=0.02)


def hanging_sheet():
    ob = sheet(cells=8)
    pin(ob, [0, 8])
    return ob


def test_a_keyed_strength_lets_an_attachment_go(scene):
    ob, hand = sheet(), empty_object("Hand", (0.0, 0.0, 0.0))
    item = ob.vbd.attachments.add()
    item.target, item.vertex_group = hand, ob.vertex_groups.new(name="Held").name
    ob.vertex_groups["Held"].add(range(25), 1.0, "REPLACE")
    for frame, value in ((1, 1.0), (14, 1.0), (15, 0.0)):
        item.strength = value
        item.keyframe_insert("strength", frame=frame)
    bpy.ops.vbd.bake()
    heights = [points[:, 2].mean() for points in motion(ob)]
    assert min(heights[:14]) > -0.2 and heights[29] < -1.0


def test_a_shape_need_not_be_kept_any_longer(scene):
    frames(scene, 1, 60)
    ob = hanging_sheet()
    ob.vbd.keeps_shape = True
    scene.frame_set(1)

    def change(_session):
        ob.vbd.keeps_shape = False

    session = live(until=3, act=change)
    assert session.outcome.frames == 59 and session.run.solver.cache.header.edited
