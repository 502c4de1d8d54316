# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: its actions, its output and its exit codes."""

import errno
import signal
import subprocess
import sys

import bpy
import pytest
from blender_scenes import frames, sheet, tet_block

from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.headless.command import run
from vbd.addon.playing.baked import warnings
from vbd.solver.cache import Cache
from vbd.solver.cache_lock import locked


@pytest.fixture
def file(scene, tmp_path):
    """A saved scene of one block that falls for five frames."""
    tet_block()
    frames(scene, 1, 6)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def command(*arguments):
    return run([str(argument) for argument in arguments], "vbd")


def keys(path=None):
    """Keys of the block, in a file or in the open scene."""
    if path is not None:
        bpy.ops.wm.open_mainfile(filepath=str(path))
    return len(bpy.data.objects["Block"].data.shape_keys.key_blocks)


def test_a_file_is_baked_into_a_new_one_beside_it(file, capsys):
    before = file.read_bytes()
    assert command("bake", file) == 0
    assert file.read_bytes() == before
    assert keys(file.with_name("shot_baked.blend")) == 7
    printed = capsys.readouterr().out
    assert printed.count("Frame ") == 5
    assert "Final residual " in printed
    assert "Last frame 6: converged, residual " in printed
    assert "Worst frame " in printed


def test_without_an_output_nothing_is_overwritten(file, capsys):
    beside = file.with_name("shot_baked.blend")
    beside.write_text("mine")
    assert command("bake", file) == 2
    assert (
        "shot_baked.blend exists; to overwrite it, name it with --output" in capsys.readouterr().err
    )
    assert beside.read_text() == "mine"
    assert not file.with_name("vbd_cache").exists()
    assert command("bake", file, "--output", beside) == 0
    assert keys(beside) == 7


def test_the_file_itself_is_overwritten_when_it_is_the_output(file):
    assert command("bake", file, "--output", file) == 0
    assert keys(file) == 7
    assert not file.with_name("shot_baked.blend").exists()


def test_a_bake_into_another_file_leaves_the_cache_of_the_first(file):
    assert command("bake", file, "--output", file) == 0
    assert command("bake", file) == 0
    caches = sorted(path.name for path in file.with_name("vbd_cache").iterdir())
    assert caches == ["shot_Scene", "shot_baked_Scene"]
    bpy.ops.vbd.free_bake()
    assert [path.name for path in file.with_name("vbd_cache").iterdir()] == ["shot_Scene"]


def test_a_bake_that_stops_early_is_marked_as_partial(file, capsys, monkeypatch):
    write = Cache.write

    def full_at_three(cache, index, positions):
        if index == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(cache, index, positions)

    monkeypatch.setattr(Cache, "write", full_at_three)
    output = file.with_name("part.blend")
    assert command("bake", file, "--output", output) == 3
    printed = capsys.readouterr().out
    assert "Baked 2 of 5 frames" in printed and "No space left on device" in printed
    assert "Partial bake: frames 1 to 3 of 1 to 6" in printed
    assert f"Saved partial bake {output}" in printed
    assert keys(output) == 4
    assert bpy.context.scene.vbd.frames_missing == 3
    assert "Partial bake: 3 frames missing" in warnings(bpy.context.scene)


def test_options_reach_the_scene_and_the_output(file, tmp_path):
    before = file.read_bytes()
    output = tmp_path / "out.blend"
    options = ["--frames", "2:5", "--set", "substeps=3", "iterations=7", "--device", "cpu"]
    assert command("bake", file, *options, "--set", "use_ground=true", "--output", output) == 0
    assert file.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(output))
    group = bpy.context.scene.vbd
    assert (group.frame_start, group.frame_end, group.substeps, group.iterations) == (2, 5, 3, 7)
    assert group.use_ground
    assert keys() == 5
    assert (tmp_path / "vbd_cache" / "out_Scene" / "header.json").is_file()


def test_contact_is_told_when_there_is_any(file, capsys):
    output = file.with_name("out.blend")
    assert command("bake", file, "--output", output) == 0
    assert "deep" not in capsys.readouterr().out.lower()
    assert command("bake", file, "--set", "use_ground=true", "--output", output) == 0
    printed = capsys.readouterr().out
    assert "Last frame 6: 9 vertices touch in 0 pairs, " in printed
    assert "mm of the contact distance of 2.5 mm; " in printed


def test_a_preset_is_loaded_and_set_wins_over_it(file):
    assert command("bake", file, "--preset", "preview", "--set", "iterations=3") == 0
    assert bpy.context.scene.vbd.iterations == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--frames", "5"], '"5" is not a frame range'),
        (["--frames", "a:b"], '"a:b" is not a frame range'),
        (["--frames", "1:99999999"], "frame_end is 1e+08; it must lie between"),
        (["--wrong"], "--wrong"),
        (["--device", "tpu"], "tpu"),
        (["--preset", "Nonsense"], 'no solver preset "Nonsense"'),
        (["--set", "substep=8"], 'no setting "substep"'),
        (["--set", "frames_missing=3"], 'no setting "frames_missing"; there are acceleration, '),
        (["--set", "show_pins=1"], 'no setting "show_pins"'),
        (["--set", "substeps"], '"substeps" sets nothing'),
        (["--set", "substeps=many"], 'substeps is "many"; it must be a whole number'),
        (["--set", "substeps=0"], "substeps is 0; it must lie between 1"),
        (["--set", "damping=nan"], "damping is nan"),
        (["--set", "Blok.density=5"], 'no simulated object "Blok"; there are Block'),
        (["--set", "Block.role=CLOTH"], 'no setting "role"; there are activation, '),
        (["--set", "Block.density=-1"], "density is -1; it must lie between"),
        (["--set", "use_ground=maybe"], "it must be true or false"),
        (["--output", "/nowhere/at/all.blend"], "there is no folder"),
        (["--output", "out.txt"], "must end in .blend"),
        (["--load", "--cache-only"], "does not go with `--cache-only`"),
    ],
)
def test_a_wrong_command_is_a_sentence_and_code_2(file, capsys, options, sentence):
    assert command("bake", file, *options) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--load"]])
def test_a_second_bake_into_the_same_output_changes_nothing_and_may_be_tried_again(
    file, capsys, options
):
    output = file.with_name("out.blend")
    assert command("bake", file, "--output", output) == 0
    before, folder = output.read_bytes(), cache_folder(bpy.context.scene)
    header = (folder / "header.json").read_bytes()
    with locked(folder):
        assert command("bake", file, "--output", output, *options) == 3
    assert "Another bake is writing these frames (process " in capsys.readouterr().err
    assert output.read_bytes() == before and (folder / "header.json").read_bytes() == header
    assert command("bake", file, "--output", output, *options) == 0


def test_frames_can_stay_in_the_cache_until_they_are_loaded(file, capsys):
    output = file.with_name("out.blend")
    bake = ["bake", file, "--output", output, "--cache-only", "--resume"]
    for _ in range(2):  # a farm may run a command again that has ended
        assert command(*bake) == 0
        assert "Frames are in" in capsys.readouterr().out
    assert not output.exists() and not any(ob.vbd.baked for ob in bpy.data.objects)
    assert command("bake", file, "--output", output) == 2
    assert "--resume continues after them" in capsys.readouterr().err
    assert command("bake", file, "--output", output, "--load") == 0
    assert keys(output) == 7


def test_frames_of_another_version_are_not_deleted_by_a_farm(file, capsys):
    output = file.with_name("out.blend")
    assert command("bake", file, "--output", output) == 0
    header = cache_folder(bpy.context.scene) / "header.json"
    header.write_text(header.read_text().replace('"format": 2', '"format": 3'))
    before = sorted(header.parent.iterdir())
    assert command("bake", file, "--output", output, "--resume") == 1
    assert "one of another version; bake again" in capsys.readouterr().err
    assert sorted(header.parent.iterdir()) == before
    assert command("bake", file, "--output", output, "--fresh") == 0


def test_a_disk_that_cannot_be_written_may_be_tried_again(file, capsys):
    file.with_name("vbd_cache").write_text("a file where the folder should be")
    assert command("bake", file) == 3
    assert "Cannot make a folder for the cache" in capsys.readouterr().err


def test_the_material_of_an_object_is_set(file, capsys):
    output = file.with_name("out.blend")
    values = ["Block.youngs_modulus=2e4", "Block.friction=0.7", "friction=0.2"]
    assert command("bake", file, "--set", *values, "--output", output) == 0
    bpy.ops.wm.open_mainfile(filepath=str(output))
    block, scene = bpy.data.objects["Block"].vbd, bpy.context.scene.vbd
    assert (block.youngs_modulus, block.use_friction) == (2e4, True)
    assert (block.friction, scene.friction) == pytest.approx((0.7, 0.2))


def test_a_value_that_keyframes_would_replace_is_refused(file, capsys):
    block = bpy.data.objects["Block"]
    block.vbd.keyframe_insert("density", frame=1)
    bpy.ops.wm.save_mainfile()
    assert command("bake", file, "--set", "Block.density=500") == 2
    assert "Block.density has keyframes or a driver, which win" in capsys.readouterr().err
    assert command("bake", file, "--set", "Block.youngs_modulus=5e4") == 0


def test_a_missing_file_is_a_sentence_and_code_2(scene, capsys):
    assert command("bake", "no_such.blend") == 2
    assert "there is no file no_such.blend" in capsys.readouterr().err


def test_a_file_that_is_no_blend_is_a_sentence_and_code_1(scene, tmp_path, capsys):
    path = tmp_path / "text.blend"
    path.write_text("hello")
    assert command("bake", path) == 1
    assert "text.blend" in capsys.readouterr().err


def test_an_error_of_the_scene_is_a_sentence_and_code_1(file, capsys):
    bpy.data.objects["Block"].vbd.role = "NONE"
    bpy.ops.wm.save_mainfile()
    assert command("bake", file) == 1
    assert "Give an object a role first" in capsys.readouterr().err


def test_without_a_file_the_open_one_is_baked(file):
    assert command("bake") == 0
    assert keys() == 7


def test_without_a_file_and_nothing_open_the_user_is_asked_for_one(scene, capsys):
    sheet()
    assert command("bake") == 2
    assert "name the .blend file" in capsys.readouterr().err


def test_python_dash_m_bakes_and_prints_the_same_residual(file, tmp_path, capsys, pytestconfig):
    if pytestconfig.getoption("contraction"):
        pytest.skip("the other process rounds as usual")
    assert command("bake", file, "--output", tmp_path / "a.blend") == 0
    here = [line for line in capsys.readouterr().out.splitlines() if "Final residual" in line]
    result = subprocess.run(
        [sys.executable, "-m", "vbd", "bake", file, "--output", tmp_path / "b.blend"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert [line for line in result.stdout.splitlines() if "Final residual" in line] == here
    assert (tmp_path / "b.blend").is_file()


def test_python_dash_m_refuses_without_a_traceback(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "vbd", "bake", tmp_path / "no.blend"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert "there is no file" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals for one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_control_c_and_the_end_by_a_farm_keep_the_frames_so_far(file, tmp_path, number):
    output = tmp_path / "out.blend"
    process = subprocess.Popen(
        [sys.executable, "-m", "vbd", "bake", file, "--frames", "1:9999", "--output", output],
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in process.stdout:
        if line.startswith("Frame 5 "):
            process.send_signal(number)
            break
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "then cancelled" in printed
    assert "Partial bake: frames 1 to " in printed
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert keys() >= 6


def test_frames_of_the_input_are_loaded_with_their_numbers(file, capsys):
    assert command("bake", file, "--output", file) == 0
    here, output = cache_folder(bpy.context.scene), file.with_name("out.blend")
    before, numbers = sorted(here.iterdir()), file.with_name("numbers.csv")
    assert command("bake", file, "--output", output, "--load", "--stats", numbers) == 0
    assert numbers.is_file() and "not moved" not in capsys.readouterr().out
    assert sorted(here.iterdir()) == before and keys(output) == 7
