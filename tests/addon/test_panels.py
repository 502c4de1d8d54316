# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw only what exists, for every role and while a bake runs.

Without a window nothing is drawn for real: a recorder stands for the layout.
"""

from types import SimpleNamespace

import bpy
import pytest

from vbd.addon import panels
from vbd.addon.properties import ROLES, SETTINGS

SIDEBAR = (panels.VBD_PT_sidebar, panels.VBD_PT_solver, panels.VBD_PT_solver_advanced)
PHYSICS = tuple(cls for cls in panels.classes if cls not in SIDEBAR)


class Layout:
    """Records what is drawn, and refuses properties, operators and menus that do not exist."""

    def __init__(self):
        self.shown = []

    def row(self, **_):
        return self

    column = grid_flow = row

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

    def prop_search(self, group, name, data, collection):
        assert collection in data.bl_rna.properties
        self.prop(group, name)

    def operator(self, idname, **_):
        module, name = idname.split(".")
        rna = getattr(getattr(bpy.ops, module), name).get_rna_type()
        self.shown.append(idname)
        return OperatorProperties(rna)

    def menu(self, idname, **_):
        assert hasattr(bpy.types, idname)
        self.shown.append(idname)


class OperatorProperties:
    """What a button passes on; only properties of its operator can be set."""

    def __init__(self, rna):
        object.__setattr__(self, "rna", rna)

    def __setattr__(self, name, value):
        assert name in self.rna.properties


def drawn(panel):
    layout = Layout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.shown


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
        ("SOFT", {"youngs_modulus", "poisson_ratio", "density", "damping", "resolution"}),
        (
            "CLOTH",
            {
                "thickness",
                "youngs_modulus",
                "poisson_ratio",
                "density",
                "bending_stiffness",
                "damping",
            },
        ),
        ("ROD", {"youngs_modulus", "thickness", "density", "damping"}),
        ("COLLIDER", set()),
    ],
)
def test_an_object_shows_the_fields_of_its_role_only(cube, role, names):
    cube.vbd.role = role
    shown = {name for panel in PHYSICS if visible(panel) for name in drawn(panel)}
    always = {"collision_thickness", "use_friction", "friction"}
    pins = set() if role == "COLLIDER" else {"pin_group"}
    assert shown & set(cube.vbd.bl_rna.properties.keys()) == names | always | pins


def test_a_soft_body_tells_its_tets_until_its_mesh_changes(cube):
    cube.vbd.role = "SOFT"
    assert f"{cube.vbd.tet_count:,} tets" in drawn(panels.VBD_PT_lattice)
    cube.data.vertices.add(1)
    assert "Tets not counted" in drawn(panels.VBD_PT_lattice)
