# SPDX-License-Identifier: GPL-3.0-or-later
"""Every option of every panel changes the result of a bake, or has a test of its own."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, empty_object, frames, mesh_object, shown, slab

from vbd.addon.values.measured import NOT_STORED

# Effects of values belong to the solver; other tests show that Blender's properties arrive there.
pytestmark = pytest.mark.any_blender

# Options of the scene: another value, and other settings that it needs to have an effect.
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
MUSCLE = {"fibers_along": "Hook"}
# Options of an object: the object, another value, and other settings that it needs.
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
    "static_friction": ("Slab", 3.0, {"use_friction": True}),
    "collider_shape": ("Slab", "PLANE", {}),
    "resolution": ("Block", 3, {}),
    "pin_group": ("Cloth", "Pins", {}),
    "pressure": ("Block", 500.0, {"role": "CLOTH"}),
    "keep_volume": ("Block", True, {"role": "CLOTH", "pressure": 500.0}),
    "soft_pins": ("Rod", False, {}),
    "pin_stiffness": ("Rod", 100.0, {}),
    "pin_damping": ("Rod", 1.0, {}),
    "pin_strength": ("Rod", 0.5, {}),
    "fiber_stiffness": ("Block", 1e6, MUSCLE),
    "active_stress": ("Block", 1e5, {**MUSCLE, "activation": 0.5}),
    "activation": ("Block", 0.5, MUSCLE),
    "fibers_along": ("Block", "", {**MUSCLE, "activation": 0.5}),
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
    "strength": 0.3,
}
# Options without effect on a single bake of this scene; tests of their own show their effects.
ELSEWHERE = set(
    """
    fiber_bone frame_start device threads restart_every show_attachments show_pins show_stretch
    stretch_range show_inside_out show_contacts show_stuck show_curves show_painted painted pressure
    keep_volume fill_openings keeps_shape rest_shape_key stack_place stack_modifier keep_coarse
    attachments role self_contact collision_collection contact_vertices pin_depth pin_start pin_end
    use_sewing
    sewing_speed sewing_force sewing_tears field_force field_vortex field_magnetic field_harmonic
    field_wind field_turbulence field_drag field_texture field_all field_collection target tears
    sleep cohesion grain_radius grain_source use_mass mass is_hollow walls_mm use_animation
    animated_until live_coarse pull_strength kind axis_object axis use_limits low_angle high_angle
    low_distance high_distance motor motor_turns motor_speed motor_angle motor_distance motor_torque
    breaking_force collides
    """.split()
)
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
    hook = empty_object("Hook", (-0.8, 0.4, 2.3))
    item = rod.vbd.attachments.add()
    item.target, item.keep_distance = hook, False
    scene.vbd.substeps, scene.vbd.iterations = 2, 6
    frames(scene, 1, 4)


def result(scene, group, values):
    """Positions at the end of a bake of a new scene with some values."""
    build(scene)
    target = group(scene)
    for name, value in values.items():
        if name == "fibers_along":
            value = bpy.data.objects.get(value)
        setattr(target, name, value)
    baked()
    return np.concatenate([shown(bpy.data.objects[name], 4) for name in ("Cloth", "Block", "Rod")])


KNOWN = {}


def assert_changes(scene, key, group, name, value, needs):
    """Bake without and with the other value; many options share the bake without it."""
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
    known = SCENE.keys() | OBJECT.keys() | ATTACHMENT.keys() | ELSEWHERE
    assert shown - set(own) == known | NOT_STORED  # test_measured.py
