# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties agree with the solver's declarations."""

from dataclasses import fields

import bpy
import numpy as np
import pytest
from blender_scenes import reopened

from vbd.addon.properties import VBD_PG_object, VBD_PG_scene, VBD_PG_window_manager
from vbd.addon.values.declared import MATERIAL, OF_OLD_FILES, SCRIPT_ONLY, SETTINGS, inward
from vbd.addon.values.holding import VBD_PG_attachment
from vbd.addon.values.painting import VBD_PG_painted
from vbd.solver.settings import Material, Settings

PAIRS = [(VBD_PG_scene, f) for f in SETTINGS] + [(VBD_PG_object, f) for f in MATERIAL]

# Blender stores float32: two neighbors differ by this fraction of their value at most.
FLOAT32 = float(np.finfo(np.float32).eps)


def test_a_role_that_is_given_brings_the_defaults_that_old_files_do_not_have():
    bpy.ops.mesh.primitive_cube_add()
    ob = bpy.context.object
    assert {name: getattr(ob.vbd, name) for name in OF_OLD_FILES} == OF_OLD_FILES
    ob.vbd.role = "CLOTH"
    for f in MATERIAL:
        if f.name in OF_OLD_FILES:
            assert getattr(ob.vbd, f.name) == f.default != OF_OLD_FILES[f.name]


@pytest.mark.parametrize(
    ("group", "f"), PAIRS, ids=[f"{group.__name__}-{f.name}" for group, f in PAIRS]
)
class TestEveryField:
    def test_has_a_property_with_its_label_unit_and_tooltip(self, group, f):
        prop = group.bl_rna.properties[f.name]
        assert prop.name.startswith(f.metadata["label"])
        assert prop.description == f.metadata["text"]
        unit = f.metadata.get("unit", "")
        shown = {"m": "LENGTH", "s": "TIME_ABSOLUTE"}.get(unit)
        of_material = ("thickness", "crease_radius")  # no lengths in the scene
        if shown and f.name not in of_material:
            assert prop.unit == shown
        elif unit:
            assert prop.name.endswith(f"({unit})")

    def test_has_the_default_of_its_property(self, group, f):
        if f.name in OF_OLD_FILES:
            return  # below
        default = Settings().friction if f.default is None else f.default
        if not isinstance(default, str):
            default = pytest.approx(default, rel=FLOAT32, abs=0)
        assert group.bl_rna.properties[f.name].default == default

    def test_has_the_range_of_its_property(self, group, f):
        prop = group.bl_rna.properties[f.name]
        if prop.type == "BOOLEAN":
            assert f.type is bool
            return
        if prop.type == "ENUM":
            items = [(item.identifier, item.name) for item in prop.enum_items]
            assert items == list(f.metadata["names"].items())
            return
        for limit, name in (("hard_min", "low"), ("hard_max", "high")):
            assert getattr(prop, limit) == pytest.approx(f.metadata[name], rel=FLOAT32, abs=0)
        for limit, name in (("soft_min", "soft_low"), ("soft_max", "soft_high")):
            assert getattr(prop, limit) == pytest.approx(f.metadata[name], rel=FLOAT32, abs=0)

    def test_takes_both_ends_of_its_property(self, group, f):
        prop = group.bl_rna.properties[f.name]
        owner = Settings if group is VBD_PG_scene else Material
        if prop.type == "ENUM":
            ends = [item.identifier for item in prop.enum_items]
        elif prop.type == "BOOLEAN":
            ends = [False, True]
        else:
            ends = [prop.hard_min, prop.hard_max]
        for value in ends:
            owner(**{f.name: value})


def test_the_scene_has_every_setting_but_frame_time_and_gravity(scene):
    missing = {f.name for f in fields(Settings)} - set(scene.vbd.bl_rna.properties.keys())
    assert missing == {"frame_time", "gravity"}


def test_an_object_has_every_material_field_but_those_for_scripts(cube):
    missing = {f.name for f in fields(Material)} - set(cube.vbd.bl_rna.properties.keys())
    assert missing == set(SCRIPT_ONLY)


def test_a_range_is_rounded_into_itself():
    low, high = inward(1e-6, 0.4999)
    assert low >= 1e-6
    assert high <= 0.4999
    assert float(np.float32(low)) == low


def test_every_property_of_ours_has_a_name_and_a_tooltip_without_a_period():
    own = {"rna_type", "name"}
    own_groups = VBD_PG_attachment, VBD_PG_painted
    for group in (VBD_PG_scene, VBD_PG_object, *own_groups, VBD_PG_window_manager):
        for prop in group.bl_rna.properties:
            if prop.identifier in own:
                continue
            assert prop.name, prop.identifier
            assert prop.description, prop.identifier
            assert not prop.description.endswith("."), prop.identifier


def test_settings_survive_save_and_load(cube, tmp_path):
    cube.vbd.role = "CLOTH"
    bpy.context.scene.vbd.substeps = 7
    reopened(tmp_path / "saved.blend")
    assert bpy.data.objects["Cube"].vbd.role == "CLOTH"
    assert bpy.context.scene.vbd.substeps == 7


def test_the_add_on_registers_again_after_it_was_unregistered(addon, scene):
    for _ in range(2):
        addon.unregister()
        assert not hasattr(bpy.types.Scene, "vbd")
        addon.register()
    assert scene.vbd.substeps == Settings().substeps
