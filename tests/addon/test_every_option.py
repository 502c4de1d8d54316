# SPDX-License-Identifier: GPL-3.0-or-later
"""Every option of every panel changes the result of a bake, or has a test of its own."""

import ast
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, mesh_object, shown, slab

# What a value does is the solver's; that Blender's properties arrive there, other tests say.
pytestmark = pytest.mark.any_blender
TESTS = Path(__file__).parents[1]

# Options of the scene: another value, and what else has to be set for it to have an effect.
SCENE = {
    "substeps": (3, {}),
    "iterations": (9, {}),
    "collision_stiffness": (1e4, {}),
    "friction": (0.1, {}),
    "damping": (0.02, {}),
    "friction_velocity": (0.1, {}),
    "relaxation": (1.2, {}),
    "coarse_correction": (False, {}),
    "acceleration": (0.9, {}),
    "line_search": (True, {}),
    "initial_guess": ("inertia", {}),
    "quasistatic": (True, {}),
    "accuracy": (0.5, {"iterations": 40, "augmented": False}),
    "augmented": (False, {}),
    "collision_interval": (1, {"time_scale": 4.0, "iterations": 30}),
    "collision_damping": (0.05, {}),
    "truncation": (False, {"collision_stiffness": 0.0}),
    "use_ground": (True, {"ground_height": 0.4}),
    "ground_height": (0.5, {"use_ground": True}),
    "air_density": (10.0, {}),
    "time_scale": (0.5, {}),
    "frame_end": (3, {}),
}
# Options of an object: the object, another value, and what else has to be set on it.
OBJECT = {
    "youngs_modulus": ("Cloth", 2e4, {}),
    "membrane_stiffness": ("Cloth", 20.0, {}),
    "weft_stiffness": ("Cloth", 1.0, {"membrane": "orthotropic"}),
    "bending_rigidity": ("Cloth", 1e6, {}),
    "shear_stiffness": ("Cloth", 0.1, {"membrane": "orthotropic"}),
    "poisson_ratio": ("Block", 0.1, {}),
    "density": ("Block", 500.0, {}),
    "thickness": ("Cloth", 2e-3, {}),
    "bending_stiffness": ("Cloth", 1.0, {}),
    "bending_factor": ("Rod", 0.5, {}),
    "solid_model": ("Block", "corotated", {}),
    "membrane": ("Cloth", "neo_hookean", {}),
    "weft_modulus": ("Cloth", 1e3, {"membrane": "orthotropic"}),
    "shear_modulus": ("Cloth", 1e2, {"membrane": "orthotropic"}),
    "weft_bending": ("Cloth", 0.1, {"membrane": "orthotropic", "bending_stiffness": 1.0}),
    "crease_radius": ("Rod", 10.0, {}),
    "yield_strain": ("Cloth", 1e-5, {"youngs_modulus": 2e3}),
    "flow_time": ("Rod", 0.1, {"crease_radius": 10.0}),
    "shrink": ("Cloth", 0.1, {}),
    "rest_flat": ("Cloth", True, {"bending_stiffness": 1.0}),
    "damping": ("Block", 0.02, {}),
    "adapt_folds": ("Cloth", False, {}),
    "maximum_stretch": ("Cloth", 1e-4, {}),
    "bending_damping": ("Cloth", 1.0, {"bending_stiffness": 1.0}),
    "drag": ("Cloth", 5.0, {}),
    "air_friction": ("Cloth", 5.0, {}),
    "collision_thickness": ("Cloth", 0.02, {}),
    "use_friction": ("Block", True, {"friction": 0.0}),
    "friction": ("Block", 0.0, {"use_friction": True}),
    "collider_shape": ("Slab", "PLANE", {}),
    "resolution": ("Block", 3, {}),
    "pin_group": ("Cloth", "Pins", {}),
    "pressure": ("Block", 500.0, {"role": "CLOTH"}),
    "keep_volume": ("Block", True, {"role": "CLOTH", "pressure": 500.0}),
    "soft_pins": ("Rod", False, {}),
    "pin_stiffness": ("Rod", 100.0, {}),
    "pin_damping": ("Rod", 1.0, {}),
    "pin_strength": ("Rod", 0.5, {}),
    "pin_axes": ("Cloth", (True, True, False), {"pin_group": "Pins"}),
}
ATTACHMENT = {
    "enabled": False,
    "vertex_group": "Pins",
    "distance": 0.35,
    "keep_distance": True,
    "stiffness": 10.0,
    "damping": 1.0,
    "maximum_force": 0.01,
}
# What has no effect on a single bake of this scene, and the test that shows what it does.
ELSEWHERE = {
    "frame_start": "addon/test_start_velocity.py::test_the_playhead_is_where_it_was",
    "device": "solver/test_simulate.py::test_cuda_gives_what_the_cpu_gives",
    "threads": "solver/test_simulate.py::test_any_number_of_threads_gives_the_same_bits",
    "restart_every": "addon/test_resume.py::test_a_bake_from_here_takes_what_has_changed",
    "show_attachments": "addon/test_overlays.py::"
    "test_every_switch_is_in_the_panel_and_off_but_that_of_attachments",
    "show_pins": "addon/test_overlays.py::test_pins_have_their_weights",
    "show_stretch": "addon/test_overlays.py::"
    "test_the_stretch_that_is_shown_is_that_of_the_statistics",
    "stretch_range": "addon/test_overlays.py::test_colors_are_full_at_both_ends_of_the_range",
    "show_inside_out": "addon/test_measures.py::test_tets_and_cells_that_are_inside_out_are_found",
    "show_contacts": "addon/test_overlays.py::"
    "test_contacts_are_drawn_where_they_are_in_the_frame_that_is_shown",
    "show_stuck": "addon/test_overlays.py::test_what_is_stuck_is_marked",
    "show_curves": "addon/test_overlays.py::"
    "test_curves_lie_in_their_box_and_leave_out_what_is_not_known",
    "show_painted": "addon/test_painted.py::test_the_map_is_dark_where_the_property_is_low",
    "painted": "addon/test_painted.py::test_a_cloth_half_soft_stretches_row_by_row",
    "pressure": "addon/test_balloons.py::test_pressure_blows_a_ball_up_and_sucks_it_empty",
    "keep_volume": "addon/test_balloons.py::"
    "test_the_air_of_a_shrinking_ball_keeps_it_as_large_as_it_is",
    "fill_openings": "addon/test_pillows.py::test_an_open_pillow_inflates_once_openings_are_filled",
    "rest_shape_key": "addon/test_rest_shape.py::"
    "test_a_cloth_tends_to_the_shape_key_that_is_at_rest",
    "stack_place": "addon/test_stack_place.py::test_before_all_the_mesh_itself_is_simulated",
    "stack_modifier": "addon/test_stack_place.py::"
    "test_deforming_modifiers_below_the_place_act_on_the_result",
    "attachments": "addon/test_attachments.py::test_both_sides_feel_an_attachment",
    "role": "addon/test_gather.py::test_each_role_becomes_its_body",
    "self_contact": "addon/test_collision.py::test_self_contact_reaches_the_solver",
    "collision_collection": "addon/test_collision.py::TestCollections::"
    "test_a_block_falls_through_what_it_shall_not_meet",
    "contact_vertices": "addon/test_gather.py::test_a_fine_mesh_touches_with_fewer_vertices",
    "pin_start": "addon/test_rods.py::test_a_pinned_curve_hangs_down_and_is_given_back",
    "pin_end": "addon/test_rods.py::test_the_end_of_a_curve_can_be_pinned_as_well",
    "use_sewing": "addon/test_sewing.py::test_seams_close_with_their_speed",
    "sewing_speed": "addon/test_sewing.py::test_seams_close_with_their_speed",
    "sewing_force": "addon/test_sewing.py::"
    "test_seams_without_a_speed_close_at_once_and_with_little_force_slowly",
    "sewing_tears": "addon/test_tear_lines.py::"
    "test_a_cloth_pulled_apart_tears_along_its_line_or_holds",
    "field_force": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_vortex": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_magnetic": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_harmonic": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_wind": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_turbulence": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_drag": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_texture": "addon/test_force_fields.py::test_every_kind_of_field_has_its_weight",
    "field_all": "addon/test_force_fields.py::test_the_weight_of_all_fields_and_their_collection",
    "field_collection": "addon/test_force_fields.py::"
    "test_the_weight_of_all_fields_and_their_collection",
    "target": "addon/test_attachments.py::"
    "test_what_is_attached_follows_an_animated_empty_and_turns_with_it",
    "tears": "addon/test_attachments.py::test_an_attachment_gives_or_tears_at_its_maximum_force",
}
TILT = 0.5


def build(scene):
    """A cloth and a block that slide down a slope, and a rod that is pinned and pulled aside."""
    slab().rotation_euler.x = TILT
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=3, y_subdivisions=3, size=0.8, location=(1, 0, 0.01), rotation=(TILT, 0, 0)
    )
    bpy.context.object.name = "Cloth"
    bpy.ops.vbd.add(role="CLOTH")
    cloth = bpy.context.object
    cloth.vertex_groups.new(name="Pins").add([0], 1.0, "REPLACE")
    for vertex in cloth.data.vertices:  # not flat
        vertex.co.z = 0.1 * abs(vertex.co.x)
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0, 0, 0.23), rotation=(TILT, 0, 0))
    bpy.context.object.name = "Block"
    bpy.ops.vbd.add(role="SOFT")
    bpy.context.object.vbd.resolution = 2
    line = [(-1, 0.1 * k, 2 + 0.02 * k * k) for k in range(5)]
    rod = mesh_object("Rod", line, [(k, k + 1) for k in range(4)], role="ROD")
    rod.vbd.thickness, rod.vbd.bending_factor, rod.vbd.density = 0.01, 1.0, 0.1
    rod.vbd.pin_group = rod.vertex_groups.new(name="Pins").name
    rod.vertex_groups["Pins"].add([0, 1], 0.5, "REPLACE")
    hook = bpy.data.objects.new("Hook", None)
    bpy.context.collection.objects.link(hook)
    hook.location = (-0.8, 0.4, 2.3)
    item = rod.vbd.attachments.add()
    item.target, item.keep_distance = hook, False
    scene.vbd.substeps, scene.vbd.iterations = 2, 6
    frames(scene, 1, 4)


def result(scene, group, values):
    """Where everything is at the end of a bake of a new scene with some values."""
    build(scene)
    target = group(scene)
    for name, value in values.items():
        setattr(target, name, value)
    baked()
    return np.concatenate([shown(bpy.data.objects[name], 4) for name in ("Cloth", "Block", "Rod")])


KNOWN = {}


def assert_changes(scene, key, group, name, value, needs):
    """Bake without and with the other value; what is baked without is the same for many."""
    case = key, tuple(needs.items())
    if case not in KNOWN:
        KNOWN[case] = result(scene, group, needs)
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scene = bpy.context.scene
    changed = result(scene, group, {**needs, name: value})
    assert np.isfinite(changed).all()
    assert not np.array_equal(changed, KNOWN[case])


@pytest.mark.parametrize("name", SCENE)
def test_an_option_of_the_scene_changes_the_result(scene, name):
    value, needs = SCENE[name]
    assert_changes(scene, bool(needs) and "scene", lambda s: s.vbd, name, value, needs)


@pytest.mark.parametrize("name", OBJECT)
def test_an_option_of_an_object_changes_the_result(scene, name):
    ob, value, needs = OBJECT[name]
    group = lambda _: bpy.data.objects[ob].vbd  # noqa: E731
    assert_changes(scene, bool(needs) and ob, group, name, value, needs)


@pytest.mark.parametrize("name", ATTACHMENT)
def test_an_option_of_an_attachment_changes_the_result(scene, name):
    group = lambda _: bpy.data.objects["Rod"].vbd.attachments[0]  # noqa: E731
    assert_changes(scene, False, group, name, ATTACHMENT[name], {})


def test_no_option_is_forgotten(scene):
    ob = bpy.data.objects.new("Any", None)
    groups = (scene.vbd, ob.vbd, ob.vbd.attachments.add())
    own = bpy.types.PropertyGroup.bl_rna.properties.keys()
    shown = {p.identifier for g in groups for p in g.bl_rna.properties if not p.is_hidden}
    assert shown - set(own) == SCENE.keys() | OBJECT.keys() | ATTACHMENT.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_tests_of_other_options_exist(name):
    path, *names = ELSEWHERE[name].split("::")
    body = ast.parse((TESTS / path).read_text(encoding="utf-8")).body
    for name in names:
        node = next(node for node in body if getattr(node, "name", "") == name)
        body = node.body
