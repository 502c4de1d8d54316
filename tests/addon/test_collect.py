# SPDX-License-Identifier: GPL-3.0-or-later
"""`vbd check` finds every missing frame of a list of jobs; `vbd collect` makes keys of caches."""

import os
import shlex
import shutil

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, sheet, slab, tet_block

from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.headless.command import run
from vbd.addon.headless.keyed_frames import keyed_frames
from vbd.addon.objects.participants import SIMULATED
from vbd.solver.cache import Cache
from vbd.solver.cache_lock import locked

LAST = 4


def crate():
    return slab("Crate", size=0.5, height=2.0, role="RIGID")


@pytest.fixture
def scene(scene):
    frames(scene, 1, LAST)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 1, 2
    return scene


@pytest.fixture
def jobs(scene, tmp_path, capsys):
    """A list of two jobs, with its commands: a cloth and a block, with two values of density."""
    sheet(cells=1)
    tet_block(cells=(1, 1, 1)).location.z = 3.0
    shot = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    capsys.readouterr()
    assert run(["jobs", str(shot), "--set", "Block.density=500,900", "--cache-only"], "vbd") == 0
    text = capsys.readouterr().out
    path = tmp_path / "jobs.txt"
    path.write_text(text)
    return path, [shlex.split(line)[5:] for line in text.splitlines()], shot


def bake(words, shot):
    return run(["bake", str(shot), *words[1:]], "vbd")


def told(capsys, *words):
    """Exit code and printed lines of a command."""
    capsys.readouterr()
    code = run([*map(str, words)], "vbd")
    printed = capsys.readouterr()
    ours = [line for line in printed.out.splitlines() if "shot_" in line or " jobs " in line]
    return code, ours, printed.err


def outputs(commands):
    return [word for words in commands for word in words if word.endswith(".blend")]


def test_a_list_becomes_keys_that_are_the_frames_of_the_caches(jobs, capsys):
    path, commands, shot = jobs
    first, second = outputs(commands)
    code, lines, _ = told(capsys, "check", path)
    assert code == 3
    assert lines == [
        *(f"{out}: {n} lacks frames 1 to 4" for out in (first, second) for n in ("Sheet", "Block")),
        "0 of 2 jobs have all frames",
    ]
    assert bake(commands[0], shot) == 0 and not os.path.exists(first)
    code, lines, _ = told(capsys, "collect", path)
    assert code == 3
    assert f"{first}: frames 1 to 4 of Sheet, Block are keys" in lines
    assert lines[-1] == "1 of 2 jobs have all frames"
    assert bake(commands[1], shot) == 0
    before = os.stat(first).st_mtime_ns
    code, lines, _ = told(capsys, "check", path)
    assert code == 0
    assert lines == [
        f"{first}: frames 1 to 4 of Sheet, Block are keys",
        f"{second}: frames 1 to 4 of Sheet, Block are in the cache",
        "2 of 2 jobs have all frames",
    ]
    for _ in range(2):
        assert told(capsys, "collect", path)[0] == 0
    assert os.stat(first).st_mtime_ns == before  # a file with all keys is not saved again
    bpy.ops.wm.open_mainfile(filepath=second)
    assert bpy.data.objects["Block"].vbd.density == 900.0
    cache = Cache.open(cache_folder(bpy.context.scene))
    for at, name in enumerate(cache.header.names):
        keys = bpy.data.objects[name].data.shape_keys.key_blocks
        for index, key in enumerate(keys[1:]):
            points = np.empty((len(key.points), 3), np.float32)
            key.points.foreach_get("co", points.ravel())
            np.testing.assert_array_equal(points, cache.read(index)[at])


def test_a_list_may_have_relative_paths_and_a_disk_may_be_full(jobs, capsys, monkeypatch):
    path, commands, shot = jobs
    text = path.read_text().splitlines()[0]
    monkeypatch.chdir(shot.parent)
    path.write_text(text.replace(f"{shot.parent}{os.sep}", ""))
    assert bake(commands[0], shot) == 0
    (output,) = outputs(commands[:1])
    os.mkdir(f"{output}@")  # which Blender writes first
    code, lines, _ = told(capsys, "collect", path)
    assert code == 3 and any(line.startswith(f"{output}: Cannot open") for line in lines)
    os.rmdir(f"{output}@")
    assert told(capsys, "collect", path)[0] == 0 and os.path.exists(output)


def test_a_damaged_frame_is_missing_and_nothing_is_saved(jobs, capsys):
    path, commands, shot = jobs
    path.write_text(path.read_text().splitlines()[0])
    assert bake(commands[0], shot) == 0
    (output,) = outputs(commands[:1])
    folder = cache_folder(bpy.context.scene, output)
    frame = folder / "frame_000002.f32"
    frame.write_bytes(frame.read_bytes()[:-1] + b"!")
    for action in ("check", "collect"):
        code, lines, _ = told(capsys, action, path)
        assert code == 3
        assert (
            f"{output}: Sheet lacks frames 3" in lines
            and f"{output}: Block lacks frames 3" in lines
        )
    assert not os.path.exists(output)
    assert bake(commands[0], shot) == 0
    assert told(capsys, "collect", path)[0] == 0
    shutil.rmtree(folder)
    assert told(capsys, "check", path)[0] == 0  # its keys need no cache
    bpy.ops.wm.open_mainfile(filepath=output)
    sheet_ = bpy.data.objects["Sheet"]
    sheet_.shape_key_remove(sheet_.data.shape_keys.key_blocks["VBD 2"])
    bpy.ops.wm.save_mainfile()
    code, lines, _ = told(capsys, "check", path)
    assert code == 3 and lines[0] == f"{output}: Sheet lacks frames 2"


def test_keys_of_an_earlier_bake_are_not_taken_for_the_new_ones(jobs, capsys):
    path, commands, shot = jobs
    path.write_text(path.read_text().splitlines()[0])
    (output,) = outputs(commands[:1])
    assert bake(commands[0], shot) == 0 and told(capsys, "collect", path)[0] == 0
    before = os.stat(output).st_mtime_ns
    again = [word.replace("--resume", "--fresh") for word in commands[0]]
    assert bake(again, shot) == 0
    code, lines, _ = told(capsys, "check", path)
    assert code == 0 and "are in the cache" in lines[0]
    assert told(capsys, "collect", path)[0] == 0
    assert os.stat(output).st_mtime_ns > before


def test_frames_of_other_settings_are_refused(jobs, capsys):
    path, commands, shot = jobs
    for words in commands:
        assert bake(words, shot) == 0
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    bpy.data.objects["Sheet"].vbd.density *= 2.0
    bpy.ops.wm.save_mainfile()
    for action in ("check", "collect"):
        code, lines, _ = told(capsys, action, path)
        assert code == 1 and lines[-1] == "0 of 2 jobs have all frames"
        assert "its frames are of other settings (Density of Sheet was " in lines[0]
    assert not os.path.exists(outputs(commands)[0])


def test_a_job_that_is_being_baked_does_not_stop_the_others(jobs, capsys):
    path, commands, shot = jobs
    for words in commands:
        assert bake(words, shot) == 0
    first, second = outputs(commands)
    with locked(cache_folder(bpy.context.scene, first)):
        code, lines, _ = told(capsys, "collect", path)
        assert code == 3 and "Another bake is writing these frames" in lines[0]
        assert lines[-1] == "1 of 2 jobs have all frames"
    assert not os.path.exists(first) and os.path.exists(second)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "there is no file"),
        ("\n", "has no commands"),
        ("rm -rf shots\n", "line 1 of"),
        ("python -m vbd bake a.blend\n", "is no command of `jobs`"),
        ("it's no command\n", "line 1 of"),
        ("python -m vbd bake a.blend --output b.blend --sneeze\n", "line 1 of"),
    ],
)
def test_what_is_no_list_is_a_sentence_and_code_2(scene, tmp_path, capsys, text, sentence):
    path = tmp_path / "jobs.txt"
    if text is not None:
        path.write_text(text)
    code, lines, error = told(capsys, "check", path)
    assert code == 2 and sentence in error and not lines


def follower():
    """A soft body that is simulated with other vertices than those of its mesh."""
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.vbd.add(role="SOFT")
    bpy.context.object.vbd.resolution = 2
    return bpy.context.object


def rope():
    bpy.ops.curve.primitive_bezier_curve_add()
    bpy.ops.vbd.add(role="ROD")
    return bpy.context.object


def own_keys():
    ob = sheet()
    ob.shape_key_add(name="Basis")
    ob.shape_key_add(name="Mine")
    return ob


@pytest.mark.parametrize("make", [crate, sheet, tet_block, follower, rope, own_keys])
@pytest.mark.parametrize("remapped", [False, True])
def test_keys_of_all_kinds_are_counted(scene, make, remapped):
    frames(scene, -2, LAST)
    if remapped:
        scene.render.frame_map_old, scene.render.frame_map_new = 100, 50
    ob = make()
    assert ob.vbd.role in SIMULATED
    assert keyed_frames(ob, -2) == set()
    baked()
    assert keyed_frames(ob, -2) == set(range(-2, LAST + 1))
    bpy.ops.vbd.free_bake()
    assert keyed_frames(ob, -2) == set()


def test_files_that_are_played_are_counted(scene, tmp_path):
    ob = sheet()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    baked()
    assert bpy.ops.vbd.export_point_cache(directory=str(tmp_path), play=True) == {"FINISHED"}
    assert keyed_frames(ob, 1) == set(range(1, LAST + 1))
    (file,) = tmp_path.glob("*.pc2")
    file.unlink()
    assert keyed_frames(ob, 1) == set()


@pytest.mark.parametrize("record", ["{", "[]", '{"follows": true}', '{"paths": 3}'])
def test_a_damaged_record_counts_as_none(scene, record):
    ob = sheet()
    ob.vbd.bake_record = record
    assert keyed_frames(ob, 1) == set()
