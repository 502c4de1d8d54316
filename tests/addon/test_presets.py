# SPDX-License-Identifier: GPL-3.0-or-later
"""Shipped presets load and are valid; users' own presets stand beside them."""

import runpy
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import another_value, baked, frames, mesh_object, pin, sheet, shown
from shapes import block, grid

from vbd.addon.panels.sidebar import CONVERGENCE_SETTINGS
from vbd.addon.properties import VBD_PG_object, VBD_PG_scene
from vbd.addon.values.declared import SETTINGS
from vbd.addon.values.presets import (
    MATERIAL_PRESETS,
    ROOT,
    VBD_MT_cloth_presets,
    VBD_MT_solver_presets,
    apply_preset,
    preset_files,
    shown_preset,
)
from vbd.solver.settings import Settings

SHIPPED = sorted((ROOT / "presets").rglob("*.py"))


SOLVER = ("Preview", "Balanced", "Final")


MATERIALS = {
    "SOFT": (
        *("Gelatin", "Rubber", "Hard Rubber", "Foam", "Sponge"),
        *("Fat", "Muscle", "Skin", "Clay", "Dough", "Wood"),
    ),
    "CLOTH": (
        *("Cotton", "Silk", "Woven Cotton", "Denim", "Woven Denim", "Wool", "Leather"),
        *("Canvas", "Jersey", "Latex", "Linen", "Velvet", "Nylon"),
        *("Paper", "Aluminum Foil"),
    ),
    "ROD": ("Rope", "Rubber Band", "Elastic", "Steel Wire", "Copper Wire", "Hair"),
    "GRAINS": ("Sand", "Damp Sand", "Gravel", "Glass Beads"),
}


# Presets with another model than that of a new object.
MODELS = {"Woven Cotton": "orthotropic", "Woven Denim": "orthotropic", "Latex": "neo_hookean"}


class Recorder(SimpleNamespace):
    """Replaces a property group and records the values that a preset writes."""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_preset_sets_only_properties_that_exist_within_their_range(
    path, monkeypatch, scene
):
    solver = path.parent.name == "solver"
    group = VBD_PG_scene if solver else VBD_PG_object
    recorder = Recorder()
    owner = SimpleNamespace(vbd=recorder)
    monkeypatch.setattr(bpy, "context", SimpleNamespace(scene=owner, object=owner))
    runpy.run_path(str(path))
    assert vars(recorder)
    for name, value in vars(recorder).items():
        prop = group.bl_rna.properties[name]
        if prop.type == "BOOLEAN":
            assert value in (True, False)
        elif prop.type == "ENUM":
            assert value in prop.enum_items
        else:
            assert prop.hard_min <= value <= prop.hard_max
            assert prop.soft_min <= value <= prop.soft_max


def test_the_menus_show_the_shipped_presets(scene):
    assert set(SOLVER) <= set(preset_files(VBD_MT_solver_presets))
    for role, names in MATERIALS.items():
        assert set(names) <= set(preset_files(MATERIAL_PRESETS[role][0]))


def test_every_shipped_preset_says_where_its_numbers_come_from():
    for path in SHIPPED:
        text = path.read_text(encoding="utf-8")
        docstring = text.split('"""')[1]
        assert len(docstring) > 20, path.name


@pytest.mark.parametrize("name", SOLVER)
def test_a_solver_preset_is_found_by_its_name_in_any_case(scene, name):
    scene.vbd.substeps = 999
    apply_preset(bpy.context, "solver", name.upper())
    assert scene.vbd.substeps < 999


def test_balanced_is_what_a_new_scene_has(scene):
    before = {f.name: getattr(scene.vbd, f.name) for f in SETTINGS}
    apply_preset(bpy.context, "solver", "Final")
    assert scene.vbd.iterations > Settings().iterations
    apply_preset(bpy.context, "solver", "Balanced")
    assert {f.name: getattr(scene.vbd, f.name) for f in SETTINGS} == before


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in MATERIALS.items() for name in names]
)
def test_a_material_preset_goes_into_the_active_object(cube, role, name):
    cube.vbd.role = role
    cube.vbd.density = 1e8
    apply_preset(bpy.context, "material", name)
    assert cube.vbd.density < 1e8
    assert cube.vbd.role == role


@pytest.mark.parametrize("name", SOLVER)
def test_a_solver_preset_undoes_every_choice_about_convergence(scene, name):
    for setting in CONVERGENCE_SETTINGS:
        setattr(scene.vbd, setting, another_value(scene.vbd, setting))
    apply_preset(bpy.context, "solver", name)
    for setting in CONVERGENCE_SETTINGS:
        wanted = scene.vbd.bl_rna.properties[setting].default
        if setting == "accuracy":
            wanted = {"Preview": 0.05, "Balanced": 0.02, "Final": 0.005}[name]
        assert getattr(scene.vbd, setting) == pytest.approx(wanted), setting


@pytest.mark.parametrize(
    ("role", "model"), [("SOFT", "solid_model"), ("CLOTH", "membrane")], ids=["soft", "cloth"]
)
def test_a_material_preset_brings_its_own_model(cube, role, model):
    cube.vbd.role = role
    for name in MATERIALS[role]:
        own = MODELS.get(name, cube.vbd.bl_rna.properties[model].default)
        items = cube.vbd.bl_rna.properties[model].enum_items.keys()
        setattr(cube.vbd, model, next(item for item in items if item != own))
        apply_preset(bpy.context, "material", name)
        assert getattr(cube.vbd, model) == own


def preset_object(role, name, place):
    """A small object with a role and a preset: a block of 5 cm, or a sheet held at an edge or a
    string held at an end, of 20 cm.
    """
    if role == "SOFT":
        points, triangles = block([0.05, 0.05, 0.05], [0.0, 0.0, 0.025])
        ob = mesh_object(name, points, faces=triangles)
    elif role == "CLOTH":
        points, triangles = grid(4)
        ob = mesh_object(name, 0.2 * np.asarray(points), faces=triangles)
        loop = ob.data.uv_layers.new(name="UVMap").data
        for corner, vertex in zip(loop, ob.data.loops, strict=True):
            corner.uv = points[vertex.vertex_index][:2]
        pin(ob, range(5))
    else:
        ob = mesh_object(
            name, [(0.05 * k, 0, 0.3) for k in range(5)], [(k, k + 1) for k in range(4)]
        )
        pin(ob, [0])
    ob.location = place
    ob.vbd.role, ob.vbd.resolution = role, 2
    bpy.context.view_layer.objects.active = ob
    apply_preset(bpy.context, "material", name)
    return ob


def test_every_material_bakes_and_keeps_its_shape(scene):
    """For an eighth of a second: falling onto the ground, and from where it is held. Fat sags by a
    fifth under its own weight. Grains have no shape.
    """
    made = [
        preset_object(role, name, (0.5 * column, row, 0.0))
        for row, (role, names) in enumerate(MATERIALS.items())
        for column, name in enumerate(names)
    ]
    frames(scene, 1, 4)
    scene.vbd.use_ground, scene.vbd.ground_height = True, -0.002
    baked()
    for ob in (ob for ob in made if ob.vbd.role != "GRAINS"):
        before, after = (shown(ob, frame)[edges_of(ob)] for frame in (1, 4))
        was, now = (np.linalg.norm(np.diff(p, axis=1)[:, 0], axis=1) for p in (before, after))
        np.testing.assert_allclose(now, was, rtol=0.3, err_msg=ob.name)


def edges_of(ob):
    return np.array([edge.vertices[:] for edge in ob.data.edges])


def test_an_unknown_preset_is_refused_with_the_names_that_exist(scene):
    with pytest.raises(ValueError, match='"Turbo"; there are Balanced, Final, Preview'):
        apply_preset(bpy.context, "solver", "Turbo")


def test_a_material_for_an_object_without_a_role_is_refused(cube):
    with pytest.raises(ValueError, match="Cube: only soft bodies, cloth, rods, grains and rigid"):
        apply_preset(bpy.context, "material", "Cotton")


def test_balanced_is_shown_in_a_new_scene_and_nothing_after_a_change(scene):
    assert shown_preset(VBD_MT_solver_presets, scene.vbd) == "Balanced"
    scene.vbd.iterations += 1
    assert shown_preset(VBD_MT_solver_presets, scene.vbd) is None
    scene.vbd.iterations -= 1
    scene.vbd.friction = 0.123  # no preset of ours sets it
    assert shown_preset(VBD_MT_solver_presets, scene.vbd) == "Balanced"


@pytest.mark.parametrize("name", SOLVER)
def test_a_solver_preset_that_is_loaded_is_shown(scene, name):
    apply_preset(bpy.context, "solver", name)
    assert shown_preset(VBD_MT_solver_presets, scene.vbd) == name


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in MATERIALS.items() for name in names]
)
def test_each_object_shows_the_material_that_it_has(cube, role, name):
    menu = MATERIAL_PRESETS[role][0]
    cube.vbd.role = role
    apply_preset(bpy.context, "material", name)
    bpy.ops.mesh.primitive_cube_add()
    other = bpy.context.object
    other.vbd.role = role
    apply_preset(bpy.context, "material", next(n for n in MATERIALS[role] if n != name))
    assert shown_preset(menu, cube.vbd) == name
    assert shown_preset(menu, other.vbd) != name
    cube.vbd.self_contact, cube.vbd.rest_flat = not cube.vbd.self_contact, True
    cube.vbd.collision_thickness *= 2.0
    assert shown_preset(menu, cube.vbd) == name
    cube.vbd.density *= 1.001
    assert shown_preset(menu, cube.vbd) is None


def test_a_material_is_copied_to_the_selected_objects_of_its_role(cube):
    cube.vbd.role = "CLOTH"
    others = [sheet("Same"), sheet("Body")]
    others[1].vbd.role = "SOFT"
    assert not bpy.ops.vbd.copy_material.poll()
    for ob in others:
        ob.select_set(True)
    apply_preset(bpy.context, "material", "Denim")
    cube.vbd.self_contact, kept = True, others[1].vbd.density
    assert bpy.ops.vbd.copy_material() == {"FINISHED"}
    assert shown_preset(VBD_MT_cloth_presets, others[0].vbd) == "Denim"
    assert not others[0].vbd.self_contact
    assert others[1].vbd.density == kept
