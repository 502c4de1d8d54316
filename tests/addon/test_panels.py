# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw only what exists, for every role and while a bake runs.

Without a window nothing is drawn: a recorder replaces the layout.
"""

import bpy
import pytest
from blender_scenes import running_bake
from panel_layout import drawn, grey, layout_of, visible

from vbd.addon.panels import fibers as fiber_panels
from vbd.addon.panels import holding as holding_panels
from vbd.addon.panels import material as material_panels
from vbd.addon.panels import painting as painting_panels
from vbd.addon.panels import physics as physics_panels
from vbd.addon.panels import sidebar as panels
from vbd.addon.properties import ROLES
from vbd.addon.values.declared import SETTINGS
from vbd.addon.viewport import overlays

SIDEBAR = panels.classes


OTHERS = (*holding_panels.classes, *painting_panels.classes, *fiber_panels.classes)


PHYSICS = (*physics_panels.classes, *(cls for cls in OTHERS if issubclass(cls, bpy.types.Panel)))


def test_every_panel_of_the_file_is_registered():
    classes = [cls for cls in vars(panels).values() if isinstance(cls, type)]
    own = {cls for cls in classes if cls.__module__ == panels.__name__}
    assert {cls for cls in own if issubclass(cls, bpy.types.Panel)} == set(SIDEBAR)
    assert drawn(panels.VBD_PT_output) == ["vbd.copy_command_line"] * 2


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_every_visible_panel_draws_for_every_role(cube, role):
    cube.vbd.role = role
    for panel in (*SIDEBAR, *PHYSICS):
        if visible(panel):
            assert drawn(panel)


def test_panels_of_a_curve_have_its_ends_and_no_vertex_groups(scene):
    bpy.ops.curve.primitive_bezier_curve_add()
    bpy.ops.vbd.add(role="ROD")
    shown = {name for panel in (*SIDEBAR, *PHYSICS) if visible(panel) for name in drawn(panel)}
    assert {"pin_start", "pin_end", "bending_factor"} <= shown
    assert not {"pin_group", "soft_pins", "vertex_group"} & shown


def test_the_sidebar_draws_without_an_object(scene):
    for panel in SIDEBAR:
        assert drawn(panel) or not visible(panel)


def test_physics_panels_hide_without_a_mesh(scene):
    assert not any(visible(panel) for panel in PHYSICS)
    bpy.ops.object.empty_add()
    assert not any(visible(panel) for panel in PHYSICS)


def test_the_five_main_numbers_are_in_plain_sight(scene):
    assert not getattr(panels.VBD_PT_solver, "bl_options", None)
    five = ["substeps", "iterations", "collision_stiffness", "friction", "damping"]
    assert [name for name in drawn(panels.VBD_PT_solver) if name in five] == five


def test_every_setting_is_shown_once(scene):
    shown = drawn(panels.VBD_PT_solver) + drawn(panels.VBD_PT_solver_advanced)
    for f in SETTINGS:
        assert shown.count(f.name) == 1, f.name


@pytest.mark.parametrize(
    ("name", "value", "without_effect"),
    [
        ("acceleration", 0.9, {"coarse_correction", "relaxation", "accuracy"}),
        ("coarse_correction", False, {"accuracy"}),
        ("quasistatic", True, {"initial_guess", "time_scale", "sleep"}),
    ],
)
def test_settings_that_another_one_replaces_are_grey(scene, name, value, without_effect):
    plain = {"ground_height"}
    assert grey(panels.VBD_PT_solver_advanced) == plain
    setattr(scene.vbd, name, value)
    assert grey(panels.VBD_PT_solver_advanced) == plain | without_effect


def test_iterations_are_the_most_where_an_accuracy_ends_them(scene):
    assert panels.shown_label(scene.vbd, "substeps") is None
    assert panels.shown_label(scene.vbd, "iterations") == "Iterations (Most)"
    for name, value in (("accuracy", 0.0), ("coarse_correction", False)):
        before = getattr(scene.vbd, name)
        setattr(scene.vbd, name, value)
        assert panels.shown_label(scene.vbd, "iterations") is None
        setattr(scene.vbd, name, before)


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_no_two_buttons_have_one_name(cube, role):
    cube.vbd.role = role
    cube.vbd.baked = True
    for place in (SIDEBAR, PHYSICS):
        names = [n for p in place if visible(p) for n in layout_of(p).buttons if n]
        if place is PHYSICS:
            assert role == "NONE" or len(names) > 4
            names += ["Cloth", "Soft Body", "Collision", "Rigid Body", "Force Field"]  # Blender's
        assert len(set(names)) == len(names), names


def test_the_menus_show_the_presets_whose_values_there_are(cube):
    bpy.ops.vbd.add(role="CLOTH")
    assert "Cotton" in drawn(material_panels.VBD_PT_material)
    assert "Balanced" in drawn(panels.VBD_PT_solver)
    bpy.ops.vbd.remove()
    bpy.ops.vbd.add(role="ROD")  # picks a preset of another menu
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.density = 1.0
    shown = drawn(material_panels.VBD_PT_material)
    assert "Cotton" not in shown and "Presets" in shown


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_no_field_can_be_changed_while_a_bake_runs(cube, role):
    cube.vbd.role = role
    with running_bake():
        open_fields = {
            name
            for panel in (*SIDEBAR, *PHYSICS)
            if visible(panel)
            for name in layout_of(panel).open
        }
    # These set the drawing, and the bake does not read them.
    assert open_fields <= {*overlays.SWITCHES, "stretch_range"}
    assert layout_of(panels.VBD_PT_solver).open == set(panels.MAIN_SETTINGS)
