# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished frames stay however a bake ends, and a resumed bake equals one without a break."""

import shutil

import bpy
import numpy as np
import pytest
from blender_scenes import frames, pin, sheet, slab
from panel_layout import Layout
from stopped_bakes import (
    FRAMES,
    all_frames,
    bake,
    place,
    same_as,
    saved_scene,
    stop_after,
    whole_frames,
)

from vbd.addon.baking import resume, resuming
from vbd.addon.baking.bake_steps import EVERY_FRAME, bake_steps, run_to_end
from vbd.solver.cache import Cache
from vbd.solver.messages import message


@pytest.fixture
def scene(scene, tmp_path):
    return saved_scene(scene, tmp_path)


@pytest.fixture
def whole(scene):
    return whole_frames(scene)


def test_a_file_that_was_closed_during_its_bake_goes_on(scene, whole):
    stop_after(4)
    bpy.ops.wm.revert_mainfile()
    kept = resuming.saved_frames(bpy.context.scene)
    assert kept.frame >= 4 and resuming.is_unfinished(kept)
    outcome = bake(EVERY_FRAME)
    assert outcome.first == kept.frame and outcome.frames == FRAMES
    assert outcome.report()[1].startswith(f"Baked {FRAMES - kept.frame} more frames in ")
    assert f" s, {FRAMES} in all" in outcome.report()[1]
    assert same_as(whole)


@pytest.mark.parametrize("shape", ["PLANE", "SPHERE"])
def test_a_collider_without_mesh_goes_on_where_it_was(scene, shape):
    floor = bpy.data.objects["Slab"]
    floor.vbd.collider_shape = shape
    floor.location.z = -3.0 if shape == "SPHERE" else 0.0
    floor.rotation_euler.z = 0.0
    floor.keyframe_insert("rotation_euler", frame=1)
    floor.rotation_euler.z = 2.0
    floor.keyframe_insert("rotation_euler", frame=1 + FRAMES)
    bpy.ops.wm.save_mainfile()
    bake()
    expected = all_frames(place())
    shutil.rmtree(place())
    bpy.ops.wm.revert_mainfile()
    stop_after(5)
    bpy.ops.wm.revert_mainfile()
    assert bake(EVERY_FRAME).first > 0
    np.testing.assert_array_equal(all_frames(place()), expected)


def test_esc_keeps_frames_that_are_gone_on_with(scene, whole):
    steps = bake_steps(bpy.context)
    while next(steps) is None:
        pass
    bpy.ops.vbd.cancel_bake()
    outcome = run_to_end(steps, show=lambda _: None)
    assert outcome.cancelled and 0 < outcome.frames < FRAMES
    assert bpy.ops.vbd.resume_bake() == {"FINISHED"}
    assert same_as(whole) and bpy.context.scene.vbd.frames_missing == 0


def test_pins_that_stand_still_have_not_changed_after_esc(scene):
    """Shape keys of a bake are no animation, so a dialog about a change must not appear."""
    bpy.data.objects.remove(scene.objects["Sheet"])
    pin(sheet("Curtain"), [0, 4])
    stop_after(4)
    outcome = bake()
    assert outcome.cancelled or outcome.frames == FRAMES
    kept = resuming.saved_frames(bpy.context.scene)
    assert resuming.changes(bpy.context, kept) == []


def test_nothing_is_deleted_that_nobody_has_said_may_be(scene):
    stop_after(4)
    before = all_frames(place())
    with pytest.raises(RuntimeError, match=r"Frames 1 to \d+ of 1 to 11 are kept"):
        bpy.ops.vbd.bake()
    np.testing.assert_array_equal(all_frames(place()), before)
    assert bpy.ops.vbd.bake(mode="NEW") == {"FINISHED"}
    assert bpy.ops.vbd.bake() == {"FINISHED"}  # whole, and played
    bpy.ops.wm.revert_mainfile()
    with pytest.raises(RuntimeError, match="Frames 1 to 11 of 1 to 11 are kept"):
        bpy.ops.vbd.bake()


def test_the_question_about_frames_that_are_kept_has_two_buttons_that_act(scene, whole):
    stop_after(4)
    layout = Layout()
    resume.draw_question(layout, bpy.context)
    assert layout.buttons == ["Keep and Resume", "Delete and Bake Again"] and not layout.dead
    bpy.context.scene.vbd.frame_start += 1  # so that the frames do not fit
    layout = Layout()
    resume.draw_question(layout, bpy.context)
    assert any(text.startswith("The kept frames begin at 1") for text in layout.shown)
    assert len(layout.buttons) == 2 and layout.dead == {"vbd.ask_bake"}
    bpy.context.scene.vbd.frame_start -= 1
    assert bpy.ops.vbd.ask_bake(choice="RESUME") == {"FINISHED"}
    assert same_as(whole)


def test_the_question_tells_that_kept_frames_were_changed_or_pulled(scene, whole):
    stop_after(4)
    layout, text = Layout(), message("resume.edited", frame=3)
    resume.draw_question(layout, bpy.context)
    assert text not in layout.shown
    resuming.saved_frames(bpy.context.scene).cache.note_edits(2)
    layout = Layout()
    resume.draw_question(layout, bpy.context)
    assert text in layout.shown and not layout.dead


def test_whole_frames_that_nothing_plays_are_loaded_from_the_question(scene, whole):
    bake()
    bpy.ops.wm.revert_mainfile()
    layout = Layout()
    resume.draw_question(layout, bpy.context)
    assert layout.buttons == ["Keep and Load", "Delete and Bake Again"] and not layout.dead
    assert bpy.ops.vbd.ask_bake(choice="RESUME") == {"FINISHED"}
    assert same_as(whole)


def test_a_cache_becomes_keys_without_solving(scene, whole, tmp_path):
    bake()
    folder = shutil.copytree(place(), tmp_path / "from a farm")
    bpy.ops.wm.revert_mainfile()
    assert bpy.ops.vbd.load_cache() == {"FINISHED"}
    assert same_as(whole)
    bpy.ops.vbd.free_bake()
    assert not place().exists()
    assert bpy.ops.vbd.load_cache_folder(directory=str(folder)) == {"FINISHED"}
    bpy.ops.vbd.free_bake()
    assert Cache.open(folder).finished() == 1 + FRAMES


def test_a_bake_from_here_takes_what_has_changed(scene, whole):
    bake()
    bpy.context.scene.frame_set(8)
    bpy.data.objects["Block"].vbd.youngs_modulus *= 2.0
    bpy.context.scene.vbd.iterations = 7
    kept = resuming.saved_frames(bpy.context.scene)
    said = resuming.changes(bpy.context, kept)
    assert "Stiffness of Block was 100 kPa, is 200 kPa" in said
    assert "Iterations was 5, is 7" in said and len(said) == 2
    assert bpy.ops.vbd.bake_from_here() == {"FINISHED"}
    got = all_frames(place())
    np.testing.assert_array_equal(got[:7], whole[:7])  # frame 7 has the checkpoint
    assert len(got) == len(whole) and (got[7] != whole[7]).any()


def test_nothing_is_baked_from_the_last_frame(scene, whole):
    bake()
    scene, told = bpy.context.scene, bpy.context.scene.vbd.report
    for end, frame in ((1 + FRAMES, 1 + FRAMES), (5, 9)):
        scene.vbd.frame_end = end
        scene.frame_set(frame)
        assert "No frame comes after" in resume.VBD_OT_bake_from_here.other_refusal(bpy.context)
        with pytest.raises(RuntimeError, match="poll"):
            bpy.ops.vbd.bake_from_here()
    assert scene.vbd.report == told
    assert same_as(whole)


def test_a_longer_range_goes_on_where_the_shorter_one_ended(scene, whole):
    frames(bpy.context.scene, 1, 5)
    bake()
    frames(bpy.context.scene, 1, 1 + FRAMES)
    assert bpy.ops.vbd.resume_bake() == {"FINISHED"}
    assert same_as(whole)


@pytest.mark.parametrize("what", ["mesh", "start", "gone", "new"])
def test_what_cannot_be_gone_on_with_is_said_and_nothing_changes(scene, what):
    stop_after(4)
    before = all_frames(place())
    if what == "mesh":
        other = sheet("Other", cells=3)
        bpy.data.objects["Sheet"].data = other.data
        bpy.data.objects["Sheet"].vbd.pin_group = ""
        bpy.data.objects.remove(other)
        sentence = "Sheet has 16 vertices, but 25 in the kept frames"
    elif what == "start":
        frames(bpy.context.scene, 2, 11)
        sentence = "The kept frames begin at 1, but the bake at 2"
    elif what == "new":
        sheet("Other")
        sentence = "Other is not in the kept frames, because it is new or was renamed; bake again"
    else:
        bpy.data.objects["Sheet"].vbd.role = "NONE"
        sentence = "Sheet is in the kept frames but no longer simulated; give it back its name and"
    with pytest.raises(ValueError, match=sentence):
        bake(EVERY_FRAME)
    np.testing.assert_array_equal(all_frames(place()), before)


def test_pins_that_number_the_vertices_anew_are_told(scene):
    stop_after(4)
    pin(bpy.data.objects["Sheet"], [7])
    with pytest.raises(ValueError, match=r"Sheet has changed: .*; set .* back, or bake again"):
        bake(EVERY_FRAME)
    assert len(all_frames(place())) > 4


@pytest.mark.parametrize("what", ["deleted", "added", "edited"])
def test_a_collider_that_is_not_what_it_was_is_named(scene, what):
    stop_after(4)
    before = all_frames(place())
    if what == "deleted":
        bpy.data.objects.remove(bpy.data.objects["Slab"])
        sentence = "Slab was part of the bake, is no longer"
    elif what == "added":
        slab("Wall", height=-2.0)
        sentence = "Wall was not part of the bake, is now"
    else:
        other = sheet("Other")
        bpy.data.objects["Slab"].data = other.data
        bpy.data.objects.remove(other)
        sentence = "The mesh of Slab has changed"
    with pytest.raises(ValueError) as refused:
        bake(EVERY_FRAME)
    assert str(refused.value).startswith(f"{sentence}: the checkpoint has ")
    assert " vertices, but the scene " in str(refused.value)
    np.testing.assert_array_equal(all_frames(place()), before)
