# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel shows materials in the units in which they are measured; SI units are stored."""

import bpy
import pytest
from blender_scenes import frames, gathered, sheet

from vbd.addon.baking import outdated
from vbd.addon.values import presets
from vbd.addon.values.measured import LIMPEST, MEASURED, SOFTEST, STIFFEST, STURDIEST, measured_name
from vbd.solver.settings import Material


@pytest.fixture
def cloth(scene):
    bpy.ops.mesh.primitive_grid_add()
    bpy.ops.vbd.add(role="CLOTH")
    return bpy.context.object


@pytest.mark.parametrize("name", [name for name, of in MEASURED.items() if of.per_width])
def test_a_stiffness_is_the_modulus_times_the_thickness(cloth, name):
    vbd, modulus = cloth.vbd, MEASURED[name].stored
    vbd.thickness = 0.0005
    setattr(vbd, name, 600.0)
    assert getattr(vbd, modulus) == pytest.approx(1.2e6)
    setattr(vbd, modulus, 4e6)
    assert getattr(vbd, name) == pytest.approx(2000.0)
    vbd.thickness = 0.001  # the material is the same, and there is more of it
    assert getattr(vbd, modulus) == pytest.approx(4e6)
    assert getattr(vbd, name) == pytest.approx(4000.0)


def test_bending_is_shown_in_millionths(cloth):
    assert cloth.vbd.bending_rigidity == pytest.approx(11.5)
    cloth.vbd.bending_rigidity = 365.0
    assert cloth.vbd.bending_stiffness == pytest.approx(365e-6)
    cloth.vbd.thickness *= 2.0
    assert cloth.vbd.bending_rigidity == pytest.approx(365.0)


@pytest.mark.parametrize(
    ("name", "shown", "stored"),
    [
        ("youngs_modulus_kpa", 30.0, 3e4),
        ("youngs_modulus_mpa", 2.1e5, 2.1e11),
        ("fiber_stiffness_kpa", 200.0, 2e5),
        ("active_stress_kpa", 300.0, 3e5),
        ("thickness_mm", 0.25, 0.00025),
        ("crease_radius_mm", 16.0, 0.016),
        ("yield_strain_percent", 11.0, 0.11),
        ("maximum_stretch_percent", 5.0, 0.05),
    ],
)
def test_other_numbers_are_those_stored_in_another_unit(cloth, name, shown, stored):
    field = MEASURED[name].stored
    setattr(cloth.vbd, name, shown)
    assert getattr(cloth.vbd, field) == pytest.approx(stored)
    setattr(cloth.vbd, field, 2.0 * stored)
    assert getattr(cloth.vbd, name) == pytest.approx(2.0 * shown)


def test_keeps_folds_is_a_crease_radius_above_zero(cloth):
    vbd = cloth.vbd
    assert not vbd.keeps_folds
    vbd.keeps_folds = True
    assert vbd.crease_radius == pytest.approx(0.01)
    vbd.crease_radius = 0.016
    vbd.keeps_folds = True  # switched on already
    assert vbd.crease_radius == pytest.approx(0.016)
    vbd.keeps_folds = False
    assert vbd.crease_radius == 0.0


@pytest.mark.parametrize("role", ["SOFT", "ROD"])
def test_the_slider_of_stiffness_spans_the_materials_that_there_are(scene, role):
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.vbd.add(role=role)
    menu = presets.MATERIAL_PRESETS[role][0]
    of = MEASURED[measured_name("youngs_modulus", role)]
    for file in presets.preset_files(menu).values():
        presets.load_preset(menu, file)
        assert of.low <= bpy.context.object.vbd.youngs_modulus / of.size <= of.high


def test_what_is_painted_is_shown_in_the_unit_of_the_panel(cloth):
    bpy.ops.vbd.add_painted()
    item = cloth.vbd.painted[0]
    for what, factor in (("youngs_modulus", 1e-6), ("bending_stiffness", 1e6), ("density", 1.0)):
        item.what = what
        assert item.shown_value == pytest.approx(getattr(cloth.vbd, what) * factor)
        item.shown_value = 3.0
        assert item.value == pytest.approx(3.0 / factor)
    cloth.vbd.role, item.what = "SOFT", "youngs_modulus"
    item.value = 5e3
    assert item.shown_value == pytest.approx(5.0)


def test_it_starts_with_the_defaults_and_reaches_the_solver(scene):
    ob = sheet()
    prop = ob.vbd.bl_rna.properties["membrane_stiffness"]
    plain = Material().youngs_modulus * Material().thickness
    assert prop.default == pytest.approx(plain)
    assert ob.vbd.membrane_stiffness == pytest.approx(plain)
    assert prop.is_animatable
    ob.vbd.membrane_stiffness = 5000.0
    material = gathered().bodies[0].material
    assert material.youngs_modulus * material.thickness == pytest.approx(5000.0)


def test_the_slider_spans_the_fabrics_that_there_are(cloth):
    found = {}
    for name, file in presets.preset_files(presets.VBD_MT_cloth_presets).items():
        presets.load_preset(presets.VBD_MT_cloth_presets, file)
        found[name] = cloth.vbd.membrane_stiffness
        assert LIMPEST <= cloth.vbd.bending_rigidity <= STURDIEST
    beyond = {"Aluminum Foil", "Paper"}  # which are no fabrics
    assert {n for n, v in found.items() if not SOFTEST <= v <= STIFFEST} <= beyond
    assert found["Cotton"] == pytest.approx(1000.0)


def test_values_beyond_what_a_modulus_may_be_are_held_back(cloth):
    cloth.vbd.thickness = 10.0
    cloth.vbd.membrane_stiffness = 0.0
    low = Material.__dataclass_fields__["youngs_modulus"].metadata["low"]
    assert cloth.vbd.youngs_modulus == pytest.approx(low)


def test_a_change_is_named_once_in_the_last_bake(cloth, scene):
    frames(scene, 1, 2)
    was = outdated.now(scene)
    cloth.vbd.membrane_stiffness *= 2.0
    assert (
        outdated.settings_changed(scene, was) == "Changed since this bake: Stiffness (Pa) of Grid"
    )


def test_an_override_keeps_both_numbers_over_saving(cloth, tmp_path):
    """Blender overrides only stored values: with both stored, the second would change the first."""
    library, using = str(tmp_path / "library.blend"), str(tmp_path / "using.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["Grid"]
    (linked,) = wanted.objects
    bpy.context.scene.collection.objects.link(linked)
    ob = linked.override_create(remap_local_usages=True)
    ob.vbd.membrane_stiffness = 2000.0
    bpy.ops.wm.save_as_mainfile(filepath=using)
    ob.vbd.thickness = 0.001
    now = ob.vbd.youngs_modulus, ob.vbd.membrane_stiffness
    bpy.ops.wm.save_as_mainfile(filepath=using)
    bpy.ops.wm.open_mainfile(filepath=using)
    (ob,) = (ob for ob in bpy.data.objects if ob.override_library)
    assert (ob.vbd.youngs_modulus, ob.vbd.membrane_stiffness) == pytest.approx(now)
