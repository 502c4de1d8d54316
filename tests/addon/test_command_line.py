# SPDX-License-Identifier: GPL-3.0-or-later
"""The copied command bakes the file with the frames and settings of the scene."""

import shlex

import bpy
import pytest
from blender_scenes import frames

from vbd.addon.baking.command_line import command_line, options
from vbd.addon.headless.command import parser
from vbd.addon.headless.opening import configure
from vbd.addon.values.declared import SETTINGS
from vbd.addon.values.presets import apply_preset


def settings(scene):
    names = [f.name for f in SETTINGS] + ["frame_start", "frame_end", "device", "time_scale"]
    return {name: getattr(scene.vbd, name) for name in names}


def changed(scene):
    apply_preset(bpy.context, "solver", "Final")
    frames(scene, -3, 40)
    scene.vbd.device, scene.vbd.use_ground = "CPU", True
    scene.vbd.friction, scene.vbd.damping, scene.vbd.time_scale = 0.3, 1e-5, 0.1


def at_the_ends(scene):
    for name, prop in ((f.name, scene.vbd.bl_rna.properties[f.name]) for f in SETTINGS):
        if prop.type in {"FLOAT", "INT"}:
            setattr(scene.vbd, name, prop.hard_max)
        elif prop.type == "ENUM":
            setattr(scene.vbd, name, prop.enum_items[-1].identifier)
        else:
            setattr(scene.vbd, name, not prop.default)


@pytest.mark.parametrize("change", [lambda scene: None, changed, at_the_ends])
def test_the_options_bring_the_settings_back(scene, change):
    change(scene)
    before, words = settings(scene), options(scene)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    configure(bpy.context, parser("vbd").parse_args(["bake", "x.blend", *words]))
    assert settings(bpy.context.scene) == before


def test_a_shipped_preset_goes_by_its_name(scene):
    changed(scene)
    words = options(scene)
    assert words[:5] == ["--frames=-3:40", "--device", "cpu", "--preset", "Final"]
    assert words[5] == "--set" and {"friction=0.3", "use_ground=true"} < set(words[6:])


def test_both_forms_quote_the_path(scene):
    path = "/shots/a file's 1.blend"
    words = shlex.split(command_line(path, scene))
    assert words[1:6] == ["--background", path, "--command", "vbd", "bake"]
    words = shlex.split(command_line(path, scene, "PYTHON"))
    assert words[:5] == ["python", "-m", "vbd", "bake", path]
    assert "\n" not in command_line(path, scene)


def test_a_file_that_was_never_saved_has_no_command(scene, tmp_path):
    assert not bpy.ops.vbd.copy_command_line.poll()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert bpy.ops.vbd.copy_command_line() == {"FINISHED"}
