# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished frames stay however a bake ends, and a resumed bake equals one without a break."""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import nullcontext

import bpy
import numpy as np
import pytest
from blender_scenes import frames, pin, sheet, slab, slide, tet_block
from panel_layout import Layout

from vbd.addon.baking import resume, resuming
from vbd.addon.baking.bake_steps import EVERY_FRAME, bake_steps, run_to_end
from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.headless.command import run
from vbd.solver import cache_files
from vbd.solver.cache import STATE, Cache
from vbd.solver.messages import message

FRAMES = 10


@pytest.fixture
def scene(scene, tmp_path):
    """A saved file: a kinematic cloth over a block that falls onto a rising floor."""
    frames(scene, 1, 1 + FRAMES)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    scene.vbd.restart_every = 3
    tet_block().location.z = 0.02
    cloth = sheet()
    cloth.location.z = 1.1
    pin(cloth, [0, 4])
    slide(cloth, 0, 1, 1 + FRAMES, 0.3)
    slide(slab(), 2, 1, 1 + FRAMES, 0.1)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return bpy.context.scene


def bake(after=None):
    return run_to_end(bake_steps(bpy.context, after=after), show=lambda _: None)


def stop_after(count, after=None):
    """Begin a bake, and drop it after so many frames, like Blender when a file is closed."""
    steps = bake_steps(bpy.context, after=after)
    while count:
        count -= next(steps) is not None
    steps.close()


def all_frames(folder):
    cache = Cache.open(folder)
    return [np.concatenate(cache.read(index)) for index in range(cache.sound())]


@pytest.fixture
def whole(scene):
    """The frames of a bake without a break, whose cache is removed."""
    bake()
    folder = cache_folder(scene)
    result = all_frames(folder)
    shutil.rmtree(folder)
    bpy.ops.wm.revert_mainfile()
    assert len(result) == 1 + FRAMES
    return result


def same_as(whole):
    got = all_frames(place())
    np.testing.assert_array_equal(got, whole)
    keys = bpy.data.objects["Sheet"].data.shape_keys.key_blocks
    points = [tuple(point.co) for point in keys[-1].points]
    cache = Cache.open(place())
    last, sheet_at = cache.read(FRAMES), cache.header.names.index("Sheet")
    np.testing.assert_array_equal(np.array(points, np.float32), last[sheet_at])
    return True


def place():
    """Folder of the frames of the scene."""
    return cache_folder(bpy.context.scene)


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


@pytest.mark.any_blender
@pytest.mark.skipif(sys.platform != "linux", reason="tells a file from its descriptor")
@pytest.mark.parametrize("at", ["frame_000004", "state_000004", "header"])
def test_a_disk_that_is_full_costs_the_frame_in_flight(scene, whole, monkeypatch, at):
    real = cache_files.os.fsync

    def full(descriptor):
        if at in os.readlink(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(cache_files.os, "fsync", full)
    if at == "header":
        with pytest.raises(OSError, match="No space left on device"):
            bake()
    else:
        outcome = bake()
        assert outcome.frames == 3 and "No space left on device" in outcome.error
        assert not list(place().glob("*.part"))
    monkeypatch.undo()
    bake(None if at == "header" else EVERY_FRAME)
    assert same_as(whole)


def test_a_small_disk_that_is_full(scene, whole, tmp_path):
    """Bake to a real small disk, where one can be made."""
    root = place().parent
    root.mkdir(exist_ok=True)
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=120k", "tmpfs", root], capture_output=True, check=False
    ).returncode:
        pytest.skip("a small disk cannot be made here")
    try:
        outcome = bake()
        assert 0 < outcome.frames < FRAMES and "No space left on device" in outcome.error
        subprocess.run(["mount", "-o", "remount,size=8m", root], check=True)
        bake(EVERY_FRAME)
        assert same_as(whole)
    finally:
        subprocess.run(["umount", root], check=True)


def test_a_folder_that_is_removed_during_the_bake_is_told_and_nothing_is_half_applied(scene):
    steps = bake_steps(bpy.context)
    while next(steps) is None:
        pass
    # At once: a folder that is emptied file by file may get new ones meanwhile.
    shutil.rmtree(place().rename(place().with_name("removed")))
    with pytest.raises(OSError, match="removed"):
        run_to_end(steps, show=lambda _: None)
    assert not any(ob.vbd.baked for ob in bpy.data.objects)
    assert bake().frames == FRAMES


def test_of_two_bakes_at_once_the_later_one_is_refused(scene, whole):
    earlier = bake_steps(bpy.context)
    while next(earlier) is None:
        pass
    for after in (None, EVERY_FRAME):
        # As from a second Blender, which does not know of the first bake.
        bpy.context.window_manager.vbd.baking = False
        with pytest.raises(OSError, match="Another bake is writing these frames"):
            bake(after)
    assert run_to_end(earlier, show=lambda _: None).frames == FRAMES
    assert same_as(whole)


def test_without_locks_the_later_of_two_bakes_is_whole_and_the_other_says_so(
    scene, whole, monkeypatch
):
    """Some shared disks have no locks."""
    monkeypatch.setattr("vbd.addon.baking.cache_place.locked", lambda folder: nullcontext())
    earlier = bake_steps(bpy.context)
    while next(earlier) is None:
        pass
    # As from a second Blender, which does not know of the first bake.
    bpy.context.window_manager.vbd.baking = False
    try:
        later = bake()
        assert later.frames == FRAMES and not later.error
        assert same_as(whole)
        # Its write met the new header, or the moment without a folder before that.
        with pytest.raises(OSError, match=r"Another bake of this scene has begun|was deleted"):
            run_to_end(earlier, show=lambda _: None)
        assert same_as(whole)
    finally:
        earlier.close()


def test_a_place_that_cannot_be_written_is_told(scene):
    place().parent.write_text("a file where the folder of caches should be")
    with pytest.raises(OSError, match="Cannot make a folder for the cache"):
        bake()
    assert not any(ob.vbd.baked for ob in bpy.data.objects)


def test_damaged_files_cost_no_more_than_what_is_behind_them(scene, whole):
    stop_after(8)
    folder = place()
    last = Cache.open(folder).restart_points()[-1]
    state = folder / STATE.format(last)
    state.write_bytes(state.read_bytes()[:-3])
    frame = folder / "frame_000005.f32"
    frame.write_bytes(frame.read_bytes()[:40] + b"....." + frame.read_bytes()[45:])
    outcome = bake(EVERY_FRAME)
    assert outcome.first == 3  # the checkpoint before the frame
    assert same_as(whole)


def test_a_cache_of_another_version_is_left_alone_until_a_bake_replaces_it(scene):
    stop_after(3)
    header = place() / "header.json"
    header.write_text(header.read_text().replace('"format": 2', '"format": 3'))
    with pytest.raises(ValueError, match="another format"):
        bake(EVERY_FRAME)
    assert resuming.saved_frames(bpy.context.scene) is None
    with pytest.raises(RuntimeError, match="There are no frames of an earlier bake"):
        bpy.ops.vbd.resume_bake()


def test_a_file_that_is_saved_elsewhere_during_its_bake_takes_its_frames_along(
    scene, whole, tmp_path
):
    steps = bake_steps(bpy.context)
    while next(steps) is None:
        pass
    (tmp_path / "other").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "other" / "new.blend"))
    run_to_end(steps, show=lambda _: None)
    assert same_as(whole)


def command(*arguments):
    return run([str(argument) for argument in arguments], "vbd")


def test_the_command_line_goes_on_loads_and_never_deletes_unasked(scene, whole, capsys):
    file = bpy.data.filepath
    assert command("bake", file, "--output", file, "--frames", "1:6") == 0
    assert command("bake", file, "--output", file, "--resume", "--frames", "1:11") == 0
    assert same_as(whole)
    state = place() / STATE.format(FRAMES)
    (place() / f"frame_{FRAMES:06d}.f32").unlink()
    state.unlink()
    capsys.readouterr()
    assert command("bake", file, "--output", file) == 2
    said = capsys.readouterr().err
    assert "Frames 1 to 10 of 1 to 11 are kept" in said and "--fresh deletes them" in said
    assert command("bake", file, "--output", file, "--resume", "--set", "iterations=9") == 1
    assert (
        "Iterations was 5, is 9; --resume needs the old values, --from 10"
        in capsys.readouterr().err
    )
    assert command("bake", file, "--output", file, "--load") == 3
    assert "Loaded frames 1 to 10 from the cache; 1 is missing" in capsys.readouterr().out
    assert command("bake", file, "--output", file, "--from", "10") == 0
    assert same_as(whole)
    assert command("bake", file, "--output", file, "--fresh", "--frames", "1:3") == 0
    assert Cache.open(place()).finished() == 3


def killed(arguments, patience):
    """Kill the command some time after its first frame; return whether it still ran."""
    line = [sys.executable, "-u", "-m", "vbd", "bake", *arguments]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        for printed in child.stdout:
            if printed.startswith("Frame "):
                break
        time.sleep(patience)
        child.send_signal(signal.SIGKILL)
        child.stdout.read()
    return child.returncode == -signal.SIGKILL


@pytest.mark.any_blender
def test_a_bake_that_is_killed_at_any_moment_goes_on_bit_for_bit(scene, kills):
    bpy.context.scene.vbd.substeps, bpy.context.scene.vbd.frame_end = 10, 60
    bpy.ops.wm.save_mainfile()
    bake()
    folder = place()
    wanted, times = all_frames(folder), 0
    out = folder.parent.parent / "out.blend"
    arguments = [bpy.data.filepath, "--output", str(out), "--resume"]
    kept_in, least, chance = cache_folder(bpy.context.scene, out), 0, random.Random(7)
    for _ in range(kills):
        if not killed(arguments, chance.uniform(0.0, 0.15)):
            break
        kept = Cache.open(kept_in)
        now = all_frames(kept_in)
        np.testing.assert_array_equal(now, wanted[: len(now)])
        points = kept.restart_points()
        assert points[-1] >= max(len(now) - 2, least)  # only the frame in flight is lost
        least, times = points[-1], times + 1
    assert times and least < 59
    assert command("bake", *arguments) == 0
    np.testing.assert_array_equal(all_frames(kept_in), wanted)
