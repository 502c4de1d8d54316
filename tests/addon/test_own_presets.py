# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the user: saved, shown, replaced, removed, and read with care."""

import os
import random
import time
from pathlib import Path

import bpy
import pytest
from blender_scenes import another_value
from version_0_1.contents import GONE

from vbd.addon.values.declared import SETTINGS
from vbd.addon.values.preset_values import preset_values
from vbd.addon.values.presets import (
    MATERIAL_PRESETS,
    ROOT,
    VBD_MT_cloth_presets,
    VBD_MT_solver_presets,
    apply_preset,
    preset_files,
    shown_preset,
)

SHIPPED = sorted((ROOT / "presets").rglob("*.py"))


def test_a_user_preset_is_listed_and_gives_back_every_setting(scene, user_scripts):
    for f in SETTINGS:
        setattr(scene.vbd, f.name, another_value(scene.vbd, f.name))
    saved = {f.name: getattr(scene.vbd, f.name) for f in SETTINGS}
    bpy.ops.vbd.solver_preset_add(name="Mine")
    assert Path(preset_files(VBD_MT_solver_presets)["Mine"]).is_relative_to(user_scripts)
    for f in SETTINGS:
        scene.vbd.property_unset(f.name)
    apply_preset(bpy.context, "solver", "Mine")
    now = {f.name: getattr(scene.vbd, f.name) for f in SETTINGS}
    words = {name for name, value in saved.items() if isinstance(value, str)}
    assert {name: now.pop(name) for name in words} == {name: saved.pop(name) for name in words}
    assert now == pytest.approx(saved)


def test_a_user_material_keeps_its_model_and_leaves_the_rest_shape_alone(cube, user_scripts):
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.membrane, cube.vbd.weft_modulus = "orthotropic", 2e6
    bpy.ops.vbd.cloth_preset_add(name="Sailcloth")
    apply_preset(bpy.context, "material", "Cotton")
    cube.vbd.rest_flat = True
    apply_preset(bpy.context, "material", "Sailcloth")
    assert (cube.vbd.membrane, cube.vbd.weft_modulus) == ("orthotropic", 2e6)
    assert cube.vbd.rest_flat


def test_a_user_material_is_listed_with_its_role_only_and_can_be_removed(cube, user_scripts):
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.density = 0.34
    bpy.ops.vbd.cloth_preset_add(name="Sailcloth")
    assert "Sailcloth" in preset_files(VBD_MT_cloth_presets)
    assert "Sailcloth" not in preset_files(MATERIAL_PRESETS["SOFT"][0])
    apply_preset(bpy.context, "material", "Cotton")
    apply_preset(bpy.context, "material", "Sailcloth")
    assert cube.vbd.density == pytest.approx(0.34)
    bpy.ops.vbd.cloth_preset_add(remove_active=True)
    assert "Sailcloth" not in preset_files(VBD_MT_cloth_presets)


def test_a_preset_of_ones_own_is_shown_and_the_shown_one_is_removed(cube, user_scripts):
    bpy.ops.vbd.add(role="CLOTH")
    menu = VBD_MT_cloth_presets
    bpy.ops.vbd.cloth_preset_add(name="My Cotton")
    assert shown_preset(menu, cube.vbd) == "My Cotton"  # it sets more than Cotton does
    cube.vbd.density = 0.5
    bpy.ops.vbd.cloth_preset_add(name="Heavy")
    assert shown_preset(menu, cube.vbd) == "Heavy"
    apply_preset(bpy.context, "material", "My Cotton")
    cube.vbd.density = 0.5  # by hand: that is Heavy
    bpy.ops.vbd.cloth_preset_add(remove_active=True)
    assert {"My Cotton", "Cotton"} <= set(preset_files(menu))
    assert "Heavy" not in preset_files(menu)


def test_a_preset_of_ones_own_is_saved_over_and_a_shipped_one_is_not(cube, user_scripts):
    bpy.ops.vbd.add(role="CLOTH")
    menu = VBD_MT_cloth_presets
    for density in (0.5, 0.6):
        cube.vbd.density = density
        assert bpy.ops.vbd.cloth_preset_add(name="My Cloth") == {"FINISHED"}
    assert preset_values(preset_files(menu)["My Cloth"])["density"] == pytest.approx(0.6)
    assert bpy.ops.vbd.cloth_preset_add(name="Woven Cotton") == {"CANCELLED"}
    assert preset_values(preset_files(menu)["Woven Cotton"])["membrane"] == "orthotropic"


def test_what_is_no_setting_any_more_is_passed_over(scene, user_scripts):
    folder = user_scripts / "presets" / VBD_MT_solver_presets.preset_subdir
    folder.mkdir(parents=True)
    values = {**GONE, "substeps": 7}
    lines = (f"bpy.context.scene.vbd.{name} = {value!r}" for name, value in values.items())
    (folder / "Old.py").write_text("\n".join(["import bpy", *lines]))
    apply_preset(bpy.context, "solver", "Old")
    assert scene.vbd.substeps == 7
    assert shown_preset(VBD_MT_solver_presets, scene.vbd) == "Old"


def test_of_two_with_one_name_the_users_own_is_meant(cube, user_scripts):
    folder = user_scripts / "presets" / VBD_MT_cloth_presets.preset_subdir
    folder.mkdir(parents=True)
    (folder / "Canvas.py").write_text("import bpy\nbpy.context.object.vbd.density = 7.0\n")
    cube.vbd.role = "CLOTH"
    apply_preset(bpy.context, "material", "Canvas")
    assert cube.vbd.density == 7.0


def test_without_a_preset_shown_none_is_removed(cube, user_scripts):
    bpy.ops.vbd.add(role="CLOTH")
    bpy.ops.vbd.cloth_preset_add(name="Sailcloth")
    cube.vbd.density = 0.5
    assert bpy.ops.vbd.cloth_preset_add(remove_active=True) == {"CANCELLED"}
    assert "Sailcloth" in preset_files(VBD_MT_cloth_presets)


def test_a_shipped_preset_is_never_removed(scene):
    assert shown_preset(VBD_MT_solver_presets, scene.vbd) == "Balanced"
    assert bpy.ops.vbd.solver_preset_add(remove_active=True) == {"CANCELLED"}
    assert (ROOT / "presets" / "vbd" / "solver" / "Balanced.py").is_file()


@pytest.mark.parametrize(
    "text",
    [
        "vbd.density =",
        "import bpy\nbpy.context.object.vbd.density = open('x')",
        "for k in range(3):\n    pass",
        "vbd.density = vbd.nothing",
        "vbd.density = 1 / 0",
        "\xff",
        "vbd.density = \0",
        "vbd.density = 'a' * 9000000000",
        "vbd.density = " + "-" * 30000 + "1",
        "vbd.density = " + "(" * 300 + "1" + ")" * 300,
        "vbd.density = 9\n" + "vbd.density = vbd.density * vbd.density\n" * 60 + "vbd.x = vbd.no",
        "vbd.density = 1.0\n" * 10000,
    ],
)
def test_a_preset_that_does_more_than_set_values_is_not_read(tmp_path, text):
    file = tmp_path / "odd.py"
    file.write_text(text, encoding="latin-1")
    begun = time.process_time()
    assert preset_values(file) is None
    assert time.process_time() - begun < 2.0


def test_any_damage_to_a_preset_leaves_values_or_none(tmp_path, examples):
    for seed in range(examples):
        chance = random.Random(seed)
        data = bytearray(chance.choice(SHIPPED).read_bytes())
        for _ in range(chance.randrange(1, 9)):
            data[chance.randrange(len(data))] = chance.choice(b"\x00\xff\n =*-(){}[]\"'.e9")
        file = tmp_path / f"{seed}.py"
        file.write_bytes(data[: chance.randrange(len(data))] if seed % 3 == 0 else data)
        values = preset_values(file)
        assert values is None or all(isinstance(name, str) for name in values)


def test_a_preset_that_was_changed_is_read_again(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import bpy\nbpy.context.scene.vbd.iterations = -(2 - 9) * 3\n")
    assert preset_values(file) == {"iterations": 21}
    file.write_text("import bpy\nbpy.context.scene.vbd.iterations = 4\n")
    os.utime(file, ns=(1, 1))
    assert preset_values(file) == {"iterations": 4}
