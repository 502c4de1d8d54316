# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of an object show what its role, its material and its attachments have."""

from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import empty_object, tet_block
from panel_layout import drawn, grey, visible

from vbd.addon.gathering import field_weights
from vbd.addon.panels import fibers as fiber_panels
from vbd.addon.panels import holding as holding_panels
from vbd.addon.panels import material as material_panels
from vbd.addon.panels import painting as painting_panels
from vbd.addon.panels import physics as physics_panels
from vbd.addon.panels import rigid as rigid_panels
from vbd.addon.properties import COLLIDER_SHAPES
from vbd.addon.values.joints import joint_properties
from vbd.addon.values.measured import NOT_STORED

FIELDS = set(field_weights.field_weight_properties())


JOINT_FIELDS = set(joint_properties())


OTHERS = (*holding_panels.classes, *painting_panels.classes, *fiber_panels.classes)


PHYSICS = (*physics_panels.classes, *(cls for cls in OTHERS if issubclass(cls, bpy.types.Panel)))


def test_only_woven_cloth_shows_a_weft(cube):
    cube.vbd.role = "CLOTH"
    woven = {"weft_stiffness", "shear_stiffness", "weft_bending"}
    cube.vbd.membrane = "stvk"
    assert not woven & set(drawn(material_panels.VBD_PT_material_more))
    cube.vbd.membrane = "orthotropic"
    assert woven <= set(drawn(material_panels.VBD_PT_material_more))
    assert not woven & grey(material_panels.VBD_PT_material_more)


FIVE = {
    "SOFT": ["youngs_modulus_kpa", "poisson_ratio", "density", "yield_strain_percent", "damping"],
    "CLOTH": [
        *("membrane_stiffness", "bending_rigidity", "density", "damping"),
        "maximum_stretch_percent",
    ],
    "ROD": ["youngs_modulus_mpa", "thickness_mm", "bending_factor", "density", "damping"],
}


@pytest.mark.parametrize("membrane", ["stvk", "neo_hookean", "orthotropic"])
@pytest.mark.parametrize("role", FIVE)
def test_five_numbers_of_a_material_are_in_sight_and_all_others_once_under_more(
    cube, role, membrane
):
    cube.vbd.role, cube.vbd.membrane = role, membrane
    known = set(cube.vbd.bl_rna.properties.keys())
    in_sight = drawn(material_panels.VBD_PT_material)
    assert [name for name in in_sight if name in known] == FIVE[role]
    more = drawn(material_panels.VBD_PT_material_more)
    assert not set(more) & set(FIVE[role]) and len(set(more)) == len(more)
    assert material_panels.VBD_PT_material_more.bl_options == {"DEFAULT_CLOSED"}
    assert material_panels.VBD_PT_material_more.bl_parent_id == "VBD_PT_material"


def test_what_folds_and_dents_need_is_grey_without_them(cube):
    more = material_panels.VBD_PT_material_more
    cube.vbd.role = "CLOTH"
    assert grey(more) == {"crease_radius_mm", "flow_time"}
    cube.vbd.yield_strain_percent = 10.0
    assert grey(more) == {"crease_radius_mm"}
    cube.vbd.yield_strain, cube.vbd.keeps_folds = 0.0, True
    assert not grey(more)
    cube.vbd.role = "SOFT"  # which has no folds
    assert grey(more) == {"flow_time"}


def test_an_override_shows_the_numbers_that_are_stored(cube):
    """Blender applies overrides one after the other, and would write the modulus twice."""
    cube.vbd.role, cube.vbd.membrane = "CLOTH", "orthotropic"
    stand_in = SimpleNamespace(vbd=cube.vbd, override_library=object())
    both = (*material_panels.IN_SIGHT["CLOTH"], *material_panels.MORE["CLOTH"])
    labels_of = dict(material_panels.shown_fields(stand_in, both))
    shown = [name for name, _ in material_panels.shown_fields(stand_in, both)]
    stored = ["youngs_modulus", "bending_stiffness", "weft_modulus", "shear_modulus"]
    assert [name for name in shown if name in stored] == stored
    assert len(set(shown)) == len(shown) and not NOT_STORED & set(shown)
    assert labels_of["thickness"] == "Thickness (m)" and labels_of["yield_strain"] == "Dents Beyond"


FIELDS_OF = {
    "SOFT": (
        "solid_model youngs_modulus_kpa poisson_ratio density yield_strain_percent flow_time "
        "damping drag resolution contact_vertices keep_coarse keeps_shape pin_depth "
        "fibers_along fiber_stiffness_kpa active_stress_kpa activation"
    ),
    "CLOTH": (
        "membrane thickness_mm membrane_stiffness youngs_modulus_mpa poisson_ratio density "
        "bending_rigidity adapt_folds maximum_stretch_percent bending_damping keeps_folds "
        "crease_radius_mm yield_strain_percent flow_time rest_flat damping drag air_friction "
        "pressure keep_volume fill_openings keeps_shape rest_shape_key shrink"
    ),
    "ROD": (
        "youngs_modulus_mpa thickness_mm density bending_factor keeps_folds crease_radius_mm "
        "flow_time poisson_ratio rest_flat damping drag keeps_shape"
    ),
    "RIGID": "use_mass mass density is_hollow walls_mm drag animated_until",
    "COLLIDER": "collider_shape",
}


@pytest.mark.parametrize("role", FIELDS_OF)
def test_an_object_shows_the_fields_of_its_role_only(cube, role):
    cube.vbd.role = role
    shown = {name for panel in PHYSICS if visible(panel) for name in drawn(panel)}
    names = set(FIELDS_OF[role].split())
    always = {"collision_thickness", "use_friction", "friction", "static_friction"}
    always.add("collision_collection")
    pins = {"pin_group", "pin_axes", "pin_stiffness", "pin_damping", "pin_strength"}
    bodies = {*pins, "self_contact", "stack_place", *FIELDS}
    bodies = {"COLLIDER": set(), "RIGID": set(FIELDS)}.get(role, bodies)
    seams = {"sewing_speed", "sewing_force", "sewing_tears"} if role == "CLOTH" else set()
    assert shown & set(cube.vbd.bl_rna.properties.keys()) == names | always | bodies | seams


def test_what_holds_an_object_is_grey_until_it_is_switched_on(cube):
    cube.vbd.role = "CLOTH"
    soft = {"pin_stiffness", "pin_damping", "pin_strength"}
    assert grey(holding_panels.VBD_PT_soft_pins) == soft
    cube.vbd.pin_group = "Pins"
    assert not grey(holding_panels.VBD_PT_soft_pins)
    cube.vbd.soft_pins = False
    assert grey(holding_panels.VBD_PT_soft_pins) == soft
    sewing = {"sewing_speed", "sewing_force", "sewing_tears"}
    assert grey(holding_panels.VBD_PT_sewing) == sewing
    cube.vbd.use_sewing = True
    assert grey(holding_panels.VBD_PT_sewing) == {"sewing_tears"}
    cube.vbd.sewing_force = 1.0
    assert not grey(holding_panels.VBD_PT_sewing)


def test_the_attachment_that_is_chosen_is_shown(cube):
    cube.vbd.role = "SOFT"
    assert drawn(holding_panels.VBD_PT_attachments) == [
        "VBD_UL_attachments",
        "vbd.add_attachment",
        "vbd.remove_attachment",
        "show_attachments",
    ]
    bpy.ops.vbd.add_attachment()
    item = cube.vbd.attachments[0]
    fields = set(item.bl_rna.properties.keys()) - {"rna_type", "name", "enabled", *JOINT_FIELDS}
    assert fields <= set(drawn(holding_panels.VBD_PT_attachments))
    assert grey(holding_panels.VBD_PT_attachments) == {"tears"}
    item.maximum_force = 1.0
    assert not grey(holding_panels.VBD_PT_attachments)
    item.enabled = False
    assert grey(holding_panels.VBD_PT_attachments) == fields


@pytest.mark.parametrize("kind", ["BALL", "HINGE", "SLIDER", "FIXED"])
@pytest.mark.parametrize("motor", ["OFF", "SPEED", "POSITION"])
def test_a_joint_shows_what_its_kind_has(cube, kind, motor):
    cube.vbd.role = "RIGID"
    bpy.ops.vbd.add_attachment()
    item = cube.vbd.attachments[0]
    item.kind, item.motor = kind, motor
    item.axis_object = empty_object("Axis")
    shown = set(drawn(holding_panels.VBD_PT_attachments)) & {*JOINT_FIELDS, "maximum_force"}
    wanted = {"kind", "axis_object", "breaking_force", "collides"}
    if kind in {"HINGE", "SLIDER"}:
        what, most = ("angle", "motor_torque") if kind == "HINGE" else ("distance", "maximum_force")
        wanted |= {"axis", "use_limits", f"low_{what}", f"high_{what}", "motor"}
        speed = "motor_turns" if kind == "HINGE" else "motor_speed"
        wanted |= {"SPEED": {speed, most}, "POSITION": {f"motor_{what}", most}}.get(motor, set())
    assert shown == wanted


def test_a_painted_property_is_shown_with_both_its_values(cube):
    cube.vbd.role = "CLOTH"
    assert "what" not in drawn(painting_panels.VBD_PT_painted)
    bpy.ops.vbd.add_painted()
    row = cube.vbd.painted[0]
    row.what = "density"
    fields = ["what", "vertex_group", "value", "density"]
    assert drawn(painting_panels.VBD_PT_painted)[-4:] == fields
    row.what = "youngs_modulus"
    fields = ["what", "vertex_group", "shown_value", "youngs_modulus_mpa"]
    assert drawn(painting_panels.VBD_PT_painted)[-4:] == fields
    row.what = "bending_stiffness"
    cube.vbd.role = "SOFT"
    assert drawn(painting_panels.VBD_PT_painted)[-2:] == [
        "what",
        "A soft body has no such property",
    ]


@pytest.mark.parametrize("shape", [shape for shape, _, _ in COLLIDER_SHAPES])
def test_what_a_collider_without_a_mesh_does_not_have_is_grey(cube, shape):
    cube.vbd.role, cube.vbd.collider_shape = "COLLIDER", shape
    without_effect = {"collision_thickness", "collision_collection"}
    friction = {"friction", "static_friction"}
    expected = friction if shape == "MESH" else friction | without_effect
    assert grey(physics_panels.VBD_PT_collision) == expected
    cube.vbd.role = "CLOTH"  # the shape of a collider does not apply to a cloth
    assert grey(physics_panels.VBD_PT_collision) == friction


def test_a_soft_body_tells_its_cells_until_its_mesh_changes(cube):
    cube.vbd.resolution = 12
    cube.vbd.role = "SOFT"
    assert "1,728 cells" in drawn(physics_panels.VBD_PT_lattice)
    cube.data.vertices.add(1)
    assert "Cells not counted" in drawn(physics_panels.VBD_PT_lattice)


def test_a_soft_body_with_tets_of_its_own_tells_these(scene):
    bpy.context.view_layer.objects.active = tet_block(cells=(1, 1, 1))
    assert "6 tets" in drawn(physics_panels.VBD_PT_lattice)
    assert "resolution" in grey(physics_panels.VBD_PT_lattice)
    bpy.context.object.data.vertices.add(1)
    assert "Tets not counted" in drawn(physics_panels.VBD_PT_lattice)


@pytest.mark.parametrize("role", ["CLOTH", "SOFT", "COLLIDER"])
def test_an_automatic_thickness_is_told_where_there_is_one(cube, role):
    cube.vbd.role = role
    told = [text for text in drawn(physics_panels.VBD_PT_collision) if "Automatic" in text]
    assert told == ([] if role == "COLLIDER" else ["Automatic: 5 mm"])
    cube.vbd.collision_thickness = 0.01
    assert "Automatic" not in " ".join(drawn(physics_panels.VBD_PT_collision))


def test_a_rigid_body_tells_its_mass_and_whether_walls_count(cube):
    cube.scale = (1.0, -2.0, 0.5)
    bpy.context.view_layer.update()
    cube.vbd.role, cube.vbd.density = "RIGID", 500.0
    assert "Mass: 4,000 kg" in drawn(rigid_panels.VBD_PT_rigid)
    assert grey(rigid_panels.VBD_PT_rigid) == {"mass", "walls_mm"}
    cube.vbd.is_hollow = True
    assert "Mass: 14 kg" in drawn(rigid_panels.VBD_PT_rigid)
    assert grey(rigid_panels.VBD_PT_rigid) == {"mass"}
    cube.vbd.use_mass = True
    assert grey(rigid_panels.VBD_PT_rigid) == {"density"}
    assert not any("Mass:" in text for text in drawn(rigid_panels.VBD_PT_rigid))
    assert grey(rigid_panels.VBD_PT_rigid_animation) == {"animated_until"}
    cube.vbd.use_animation = True
    assert not grey(rigid_panels.VBD_PT_rigid_animation)
