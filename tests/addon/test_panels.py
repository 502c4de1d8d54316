# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw only what exists, for every role and while a bake runs.

Without a window nothing is drawn for real: a recorder stands for the layout.
"""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from vbd.addon import panels, playback
from vbd.addon.properties import COLLIDER_SHAPES, ROLES, SETTINGS

SIDEBAR = (panels.VBD_PT_sidebar, panels.VBD_PT_solver, panels.VBD_PT_solver_advanced)
PHYSICS = tuple(cls for cls in panels.classes if cls not in SIDEBAR)


class Layout:
    """Records what is drawn, and refuses properties, operators and menus that do not exist."""

    def __init__(self, above=None):
        self.above, self.active, self.enabled = above, True, True
        self.shown = [] if above is None else above.shown
        self.grey = set() if above is None else above.grey
        self.open = set() if above is None else above.open

    def row(self, **_):
        return Layout(self)

    column = grid_flow = split = row

    def is_active(self):
        return self.active and (self.above is None or self.above.is_active())

    def is_enabled(self):
        return self.enabled and (self.above is None or self.above.is_enabled())

    def label(self, text, **_):
        self.shown.append(text)

    def separator(self):
        pass

    def progress(self, factor, text, type):
        assert 0.0 <= factor <= 1.0
        self.shown.append("progress")

    def prop(self, group, name, **_):
        assert name in group.bl_rna.properties
        self.shown.append(name)
        if not self.is_active():
            self.grey.add(name)
        if self.is_enabled():
            self.open.add(name)

    def prop_search(self, group, name, data, collection):
        assert collection in data.bl_rna.properties
        self.prop(group, name)

    def operator(self, idname, **_):
        module, name = idname.split(".")
        rna = getattr(getattr(bpy.ops, module), name).get_rna_type()
        self.shown.append(idname)
        return OperatorProperties(rna)

    def menu(self, idname, text):
        assert hasattr(bpy.types, idname)
        self.shown += [idname, text]


class OperatorProperties:
    """What a button passes on; only properties of its operator can be set."""

    def __init__(self, rna):
        object.__setattr__(self, "rna", rna)

    def __setattr__(self, name, value):
        assert name in self.rna.properties


def layout_of(panel):
    layout = Layout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def drawn(panel):
    return layout_of(panel).shown


def grey(panel):
    """Fields that are shown but have no effect now."""
    return layout_of(panel).grey


def visible(panel):
    return not hasattr(panel, "poll") or panel.poll(bpy.context)


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_every_visible_panel_draws_for_every_role(cube, role):
    cube.vbd.role = role
    for panel in panels.classes:
        if visible(panel):
            assert drawn(panel)


def test_the_sidebar_draws_without_an_object(scene):
    for panel in SIDEBAR:
        assert drawn(panel)


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
        ("acceleration", 0.9, {"coarse_correction", "relaxation"}),
        (
            "estimate_acceleration",
            True,
            {"coarse_correction", "relaxation", "acceleration"},
        ),
        ("quasistatic", True, {"initial_guess"}),
    ],
)
def test_settings_that_another_one_replaces_are_grey(scene, name, value, without_effect):
    plain = {"ground_height"}
    assert grey(panels.VBD_PT_solver_advanced) == plain
    setattr(scene.vbd, name, value)
    assert grey(panels.VBD_PT_solver_advanced) == plain | without_effect


def test_only_woven_cloth_has_a_weft_and_the_panel_keeps_its_fields(cube):
    cube.vbd.role = "CLOTH"
    before = drawn(panels.VBD_PT_material)
    assert grey(panels.VBD_PT_material) == {"weft_modulus", "shear_modulus"}
    cube.vbd.membrane = "orthotropic"
    assert not grey(panels.VBD_PT_material)
    assert drawn(panels.VBD_PT_material) == before


def test_a_bake_says_in_lines_how_it_went(cube):
    state = bpy.context.window_manager.vbd
    state.status = "Baked 6 frames in 1 s\nUse about 60 iterations"
    assert "Use about 60 iterations" not in drawn(panels.VBD_PT_sidebar)
    cube.vbd.baked = True
    shown = drawn(panels.VBD_PT_sidebar)
    state.status = ""
    assert {"Baked 6 frames in 1 s", "Use about 60 iterations"} <= set(shown)


def test_a_bake_that_runs_shows_progress_and_cancel_instead_of_bake(scene):
    state = bpy.context.window_manager.vbd
    assert "vbd.bake" in drawn(panels.VBD_PT_sidebar)
    state.baking = True
    try:
        shown = drawn(panels.VBD_PT_sidebar)
    finally:
        state.baking = False
    assert {"progress", "vbd.cancel_bake"} <= set(shown)
    assert "vbd.bake" not in shown


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (
            "SOFT",
            {
                "solid_model",
                "youngs_modulus",
                "poisson_ratio",
                "density",
                "damping",
                "resolution",
                "contact_vertices",
            },
        ),
        (
            "CLOTH",
            {
                "membrane",
                "thickness",
                "youngs_modulus",
                "weft_modulus",
                "shear_modulus",
                "poisson_ratio",
                "density",
                "bending_stiffness",
                "rest_flat",
                "damping",
            },
        ),
        ("ROD", {"youngs_modulus", "thickness", "density", "damping"}),
        ("COLLIDER", {"collider_shape"}),
    ],
)
def test_an_object_shows_the_fields_of_its_role_only(cube, role, names):
    cube.vbd.role = role
    shown = {name for panel in PHYSICS if visible(panel) for name in drawn(panel)}
    always = {"collision_thickness", "use_friction", "friction", "collision_collection"}
    bodies = set() if role == "COLLIDER" else {"pin_group", "self_contact"}
    assert shown & set(cube.vbd.bl_rna.properties.keys()) == names | always | bodies


@pytest.mark.parametrize("shape", [shape for shape, _, _ in COLLIDER_SHAPES])
def test_what_a_collider_without_a_mesh_does_not_have_is_grey(cube, shape):
    cube.vbd.role, cube.vbd.collider_shape = "COLLIDER", shape
    without_effect = {"collision_thickness", "collision_collection"}
    friction = {"friction"}
    expected = friction if shape == "MESH" else friction | without_effect
    assert grey(panels.VBD_PT_collision) == expected
    cube.vbd.role = "CLOTH"  # the shape of a collider says nothing about a cloth
    assert grey(panels.VBD_PT_collision) == friction


def test_a_soft_body_tells_its_tets_until_its_mesh_changes(cube):
    cube.vbd.role = "SOFT"
    assert f"{cube.vbd.tet_count:,} tets" in drawn(panels.VBD_PT_lattice)
    cube.data.vertices.add(1)
    assert "Tets not counted" in drawn(panels.VBD_PT_lattice)


def test_the_menus_show_the_presets_whose_values_there_are(cube):
    bpy.ops.vbd.add(role="CLOTH")
    assert "Cotton" in drawn(panels.VBD_PT_material)
    assert "Balanced" in drawn(panels.VBD_PT_solver)
    bpy.ops.vbd.remove()
    bpy.ops.vbd.add(role="ROD")  # picks a preset of another menu
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.density = 1.0
    shown = drawn(panels.VBD_PT_material)
    assert "Cotton" not in shown and "Presets" in shown


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_no_field_can_be_changed_while_a_bake_runs(cube, role):
    cube.vbd.role = role
    state = bpy.context.window_manager.vbd
    state.baking = True
    try:
        open_fields = {
            name for panel in panels.classes if visible(panel) for name in layout_of(panel).open
        }
    finally:
        state.baking = False
    assert not open_fields
    assert layout_of(panels.VBD_PT_solver).open == set(panels.MAIN_SETTINGS)


def test_a_baked_mesh_in_edit_mode_is_warned_of(cube):
    playback.write(cube, [np.zeros((8, 3), np.float32)] * 2, 1, [])
    assert "Free the bake to edit the mesh" not in drawn(panels.VBD_PT_sidebar)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Cube is baked and is in Edit Mode" in drawn(panels.VBD_PT_sidebar)
    bpy.ops.object.mode_set(mode="OBJECT")
