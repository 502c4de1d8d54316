# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames survive full and missing disks, damaged files, a second bake and a kill at any moment."""

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

from vbd.addon.baking import resuming
from vbd.addon.baking.bake_steps import EVERY_FRAME, bake_steps, run_to_end
from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.headless.command import run
from vbd.solver import cache_files
from vbd.solver.cache import STATE, Cache


@pytest.fixture
def scene(scene, tmp_path):
    return saved_scene(scene, tmp_path)


@pytest.fixture
def whole(scene):
    return whole_frames(scene)


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
