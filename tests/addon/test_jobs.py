# SPDX-License-Identifier: GPL-3.0-or-later
"""`vbd jobs` prints commands that bake, one for each mix of values."""

import shlex
import subprocess

import bpy
import pytest
from blender_scenes import frames, sheet

from vbd.addon.headless.command import parser, run
from vbd.addon.headless.jobs import words_in


@pytest.fixture
def shot(scene, tmp_path):
    sheet(cells=1)
    frames(scene, 1, 3)
    scene.vbd.device = "CPU"
    path = tmp_path / "my shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def printed(capsys, *arguments):
    capsys.readouterr()
    assert run(["jobs", *map(str, arguments)], "vbd") == 0
    return [shlex.split(line) for line in capsys.readouterr().out.splitlines()]


def test_one_command_for_each_mix(shot, capsys):
    found = printed(capsys, shot, "--set", "substeps=1,2", "friction=0.1,0.2,0.3", "--frames=-1:5")
    assert len(found) == 6
    assert found[0] == [
        *("blender", "--background", str(shot), "--command", "vbd", "bake", "--frames=-1:5"),
        *("--set", "substeps=1", "friction=0.1"),
        *("--output", str(shot.with_name("my_shot_substeps-1_friction-0.1.blend")), "--resume"),
    ]
    assert len({words[-2] for words in found}) == 6


def test_a_command_bakes_with_its_values_and_can_be_run_again(shot, capsys):
    form = ("--form", "python", "--folder", shot.parent)
    first, second = printed(capsys, shot, "--preset", "preview,Final", "--set", "substeps=3", *form)
    assert first[:4] == ["python", "-m", "vbd", "bake"]
    assert second[5:7] == ["--preset", "Final"]
    parser("vbd").parse_args(second[3:])
    for _ in range(2):
        assert run(first[3:], "vbd") == 0
    group = bpy.context.scene.vbd
    assert (group.substeps, group.iterations) == (3, 10)
    assert bpy.data.filepath == str(shot.with_name("my_shot_preset-Preview_substeps-3.blend"))


def test_without_values_there_is_one_command_for_each_file(shot, capsys):
    other = shot.with_name("b.blend")
    other.write_bytes(shot.read_bytes())
    assert [words[-2] for words in printed(capsys, shot, other)] == [
        str(shot.with_name("my_shot_baked.blend")),
        str(shot.with_name("b_baked.blend")),
    ]


def test_materials_of_objects_are_swept_too(shot, capsys):
    found = printed(capsys, shot, "--set", "Sheet.001.density=0.1,0.2", "--cache-only")
    assert found[1][6:] == [
        *("--cache-only", "--set", "Sheet.001.density=0.2", "--output"),
        *(str(shot.with_name("my_shot_Sheet.001.density-0.2.blend")), "--resume"),
    ]


def test_two_bakes_never_share_a_cache(shot, capsys):
    """The folders of `my.shot` and `my_shot` have the same name."""
    other = shot.with_name("my.shot.blend")
    other.write_bytes(shot.read_bytes())
    assert run(["jobs", str(shot), str(other)], "vbd") == 2
    assert "two jobs would share" in capsys.readouterr().err


TOO_MANY = ",".join(str(k / 1001) for k in range(10001))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--set", "substeps="], "has no values; write it as substeps=4,8"),
        (["--set", "substeps=4,4"], "has a value twice"),
        (["--set", "substep=4"], 'there is no setting "substep"'),
        (["--set", "substeps=4,many"], "it must be a whole number"),
        (["--set", "substeps=4", "substeps=8"], "a setting is given twice"),
        (
            ["--set", f"damping={TOO_MANY}"],
            "make 10001 jobs",
        ),
        (["--set", "Sheet.mass=4"], 'there is no setting "mass"'),
        (["--set", "Sheet.density=-4"], "density is -4; it must lie between"),
        (["--folder", "/nowhere/at/all"], "there is no folder /nowhere/at/all"),
        (["--preset", "Nonsense"], 'there is no solver preset "Nonsense"'),
        (["--frames", "5"], '"5" is not a frame range'),
        (["no.blend"], "there is no file no.blend"),
        (["{shot}"], "two jobs would share"),
    ],
)
def test_what_no_bake_would_take_is_a_sentence_and_code_2(shot, capsys, options, sentence):
    options = [option.replace("{shot}", str(shot)) for option in options]
    assert run(["jobs", str(shot), *options], "vbd") == 2
    assert sentence in capsys.readouterr().err


def test_words_of_a_command_are_read_by_the_rules_of_its_system():
    words = ["python", r"C:\my shots\it's.blend", "a=1,2"]
    assert words_in(subprocess.list2cmdline(words), is_windows=True) == words
    assert words_in(shlex.join(words), is_windows=False) == words
