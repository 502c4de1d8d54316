# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels change; names in files, presets, scripts and drivers stay."""

import bpy
import pytest
from blender_scenes import gathered, reopened, sheet
from version_0_1.contents import OBJECTS, SCENE

from vbd.addon.values import presets
from vbd.addon.values.measured import NOT_STORED

# Of the version that had the labels Young's Modulus, Poisson's Ratio, Crease Radius and so on.
SCENE_NAMES = """
substeps iterations collision_stiffness friction damping friction_velocity relaxation
coarse_correction acceleration line_search initial_guess quasistatic accuracy augmented
collision_interval collision_damping truncation use_ground ground_height air_density threads
frame_start frame_end time_scale device restart_every show_painted show_pins show_attachments
show_stretch stretch_range show_contacts show_inside_out show_stuck show_curves
""".split()
OBJECT_NAMES = """
role youngs_modulus poisson_ratio density thickness bending_stiffness bending_factor solid_model
membrane weft_modulus shear_modulus weft_bending crease_radius yield_strain flow_time rest_flat
adapt_folds maximum_stretch damping bending_damping friction drag air_friction shrink pressure
keep_volume fill_openings collision_thickness self_contact membrane_stiffness weft_stiffness
shear_stiffness bending_rigidity use_friction collider_shape collision_collection resolution
contact_vertices pin_group pin_start pin_end pin_axes soft_pins pin_stiffness pin_damping
pin_strength use_sewing sewing_speed sewing_force sewing_tears attachments rest_shape_key
stack_place stack_modifier field_collection field_all field_force field_vortex field_magnetic
field_harmonic field_wind field_turbulence field_drag field_texture painted
""".split()
# A material as the presets of that version have it, and what the panel shows of it now.
MATERIAL = {
    "membrane": "orthotropic",
    "thickness": 0.0005,
    "youngs_modulus": 2e6,
    "weft_modulus": 1e6,
    "shear_modulus": 2e5,
    "weft_bending": 0.5,
    "poisson_ratio": 0.2,
    "density": 0.2,
    "bending_stiffness": 2e-5,
    "crease_radius": 0.02,
    "yield_strain": 0.1,
    "flow_time": 0.5,
    "maximum_stretch": 0.05,
    "damping": 0.003,
    "bending_damping": 0.1,
    "use_friction": True,
    "friction": 0.5,
    "drag": 1.2,
    "air_friction": 0.03,
}
SHOWN = {
    "youngs_modulus_kpa": 2000.0,
    "youngs_modulus_mpa": 2.0,
    "fiber_stiffness_kpa": 0.0,
    "active_stress_kpa": 300.0,
    "cohesion_kpa": 0.0,
    "membrane_stiffness": 1000.0,
    "weft_stiffness": 500.0,
    "shear_stiffness": 100.0,
    "bending_rigidity": 20.0,
    "thickness_mm": 0.5,
    "crease_radius_mm": 20.0,
    "yield_strain_percent": 10.0,
    "maximum_stretch_percent": 5.0,
    "keeps_folds": True,
}


def values(group, names):
    found = {name: getattr(group, name) for name in names}
    return {n: pytest.approx(v, rel=1e-6) if isinstance(v, float) else v for n, v in found.items()}


def test_all_names_are_there(cube, scene):
    of_0_1 = {name for values in OBJECTS.values() for name in values}
    assert not {*SCENE_NAMES, *SCENE} - set(scene.vbd.bl_rna.properties.keys())
    assert not {*OBJECT_NAMES, *of_0_1} - set(cube.vbd.bl_rna.properties.keys())


def test_a_preset_with_old_names_gives_what_is_shown_and_simulated(scene, tmp_path):
    ob = sheet()
    bpy.context.view_layer.objects.active = ob
    lines = [f"vbd.{name} = {value!r}" for name, value in MATERIAL.items()]
    file = tmp_path / "Old.py"
    file.write_text("import bpy\nvbd = bpy.context.object.vbd\n" + "\n".join(lines))
    presets.load_preset(presets.VBD_MT_cloth_presets, file)
    assert MATERIAL == values(ob.vbd, MATERIAL) and SHOWN == values(ob.vbd, SHOWN)
    assert set(SHOWN) == NOT_STORED
    material = gathered().bodies[0].material
    for name in set(MATERIAL) - {"use_friction"}:
        assert getattr(material, name) == pytest.approx(MATERIAL[name]), name


def test_a_file_keeps_stored_numbers_alone(scene, tmp_path):
    ob = sheet()
    for name, value in MATERIAL.items():
        setattr(ob.vbd, name, value)
    reopened(tmp_path / "kept.blend")
    ob = bpy.data.objects["Sheet"]
    assert MATERIAL == values(ob.vbd, MATERIAL) and SHOWN == values(ob.vbd, SHOWN)
    assert not NOT_STORED & {*presets.MATERIAL_VALUES}


def test_a_driver_reads_an_old_name(scene):
    ob = sheet()
    ob.vbd.youngs_modulus_kpa = 30.0
    driver = ob.driver_add("location", 0).driver
    driver.type = "SUM"
    target = driver.variables.new().targets[0]
    target.id, target.data_path = ob, "vbd.youngs_modulus"
    bpy.context.view_layer.update()
    assert ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).location.x == pytest.approx(3e4)
