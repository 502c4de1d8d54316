# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that give and take roles."""

import bpy
import numpy as np
import pytest
from blender_scenes import gathered, running_bake

from vbd.addon.objects.cell_count import FINEST_AT_ONCE, known_cell_count
from vbd.addon.panels.roles import STARTING_MATERIAL
from vbd.addon.values.presets import apply_preset
from vbd.solver.settings import Material


def select(*objects):
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def test_adding_sets_the_role_of_every_selected_mesh_and_of_no_other(cube):
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    bpy.ops.mesh.primitive_grid_add()
    other = bpy.context.object
    bpy.ops.object.empty_add()
    empty = bpy.context.object
    select(cube, plane, empty)
    assert bpy.ops.vbd.add(role="CLOTH") == {"FINISHED"}
    assert [ob.vbd.role for ob in (cube, plane, other, empty)] == ["CLOTH", "CLOTH", "NONE", "NONE"]


def test_the_first_object_takes_the_range_of_the_timeline(cube):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1001, 1050
    bpy.ops.vbd.add(role="SOFT")
    assert (scene.vbd.frame_start, scene.vbd.frame_end) == (1001, 1050)
    scene.frame_start, scene.frame_end = 1, 100
    bpy.ops.mesh.primitive_plane_add()
    bpy.ops.vbd.add(role="COLLIDER")
    assert (scene.vbd.frame_start, scene.vbd.frame_end) == (1001, 1050)


def test_frames_that_were_chosen_stay(cube):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 101, 150
    scene.vbd.frame_end = 40
    bpy.ops.vbd.add(role="SOFT")
    assert (scene.vbd.frame_start, scene.vbd.frame_end) == (1, 40)


def test_a_new_soft_body_has_the_default_material(cube):
    cube.vbd.density = 7.0
    bpy.ops.vbd.add(role="SOFT")
    assert cube.vbd.density == Material().density
    assert cube.vbd.youngs_modulus == Material().youngs_modulus
    assert not cube.vbd.use_friction


def test_every_object_added_as_cloth_starts_as_cotton(cube):
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    select(plane, cube)
    bpy.ops.vbd.add(role="CLOTH")
    assert STARTING_MATERIAL["CLOTH"] == "Cotton"
    for ob in (cube, plane):
        # The mass of plain shirting, and the stretch stiffness of 1000 N/m that goes with it.
        assert ob.vbd.density == pytest.approx(0.13)
        assert ob.vbd.youngs_modulus * ob.vbd.thickness == pytest.approx(1000.0)
        assert ob.vbd.use_friction


def test_a_new_rod_is_a_rope_which_a_weight_hardly_stretches(cube):
    bpy.ops.vbd.add(role="ROD")
    section = 0.25 * np.pi * cube.vbd.thickness**2
    assert 100.0 / (cube.vbd.youngs_modulus * section) < 0.01  # a hundred newtons
    assert cube.vbd.bending_factor > 0.0 and cube.vbd.use_friction


def test_adding_the_same_role_again_keeps_the_material(cube):
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.density = 0.5
    bpy.ops.vbd.add(role="CLOTH")
    assert cube.vbd.density == 0.5


def test_a_change_of_role_keeps_pins_and_collision_thickness(cube):
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.pin_group = "Group"
    cube.vbd.collision_thickness = 0.5
    bpy.ops.vbd.add(role="SOFT")
    assert cube.vbd.pin_group == "Group"
    assert cube.vbd.collision_thickness == 0.5


@pytest.mark.parametrize(("role", "on"), [("SOFT", False), ("CLOTH", True), ("ROD", True)])
def test_thin_things_start_with_self_contact(cube, role, on):
    cube.vbd.self_contact = not on
    bpy.ops.vbd.add(role=role)
    assert cube.vbd.self_contact == on


def test_self_contact_is_no_part_of_a_material(cube):
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.self_contact = False
    bpy.ops.vbd.add(role="CLOTH")
    apply_preset(bpy.context, "material", "Silk")
    assert not cube.vbd.self_contact


def test_removing_leaves_no_role(cube):
    bpy.ops.vbd.add(role="ROD")
    assert bpy.ops.vbd.remove() == {"FINISHED"}
    assert cube.vbd.role == "NONE"


def test_removing_what_has_no_role_is_refused(cube):
    with pytest.raises(RuntimeError, match="No selected object takes part"):
        bpy.ops.vbd.remove()


def test_without_a_mesh_adding_is_refused(scene):
    with pytest.raises(RuntimeError, match="Select a mesh object"):
        bpy.ops.vbd.add(role="SOFT")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (bpy.ops.object.metaball_add, "Mball is a metaball"),
        (bpy.ops.surface.primitive_nurbs_surface_sphere_add, "SurfSphere is a surface"),
        (bpy.ops.object.text_add, "Text is a text"),
    ],
)
def test_what_has_to_become_a_mesh_first_is_told_how(scene, make, what):
    make()
    how = rf"{what}: convert it to a mesh \(Object > Convert > Mesh\)"
    with pytest.raises(RuntimeError, match=how):
        bpy.ops.vbd.add(role="SOFT")
    bpy.context.object.vbd.role = "SOFT"  # as a script might
    with pytest.raises(ValueError, match=how):
        gathered()
    bpy.ops.object.convert(target="MESH")
    assert bpy.ops.vbd.add(role="SOFT") == {"FINISHED"}


@pytest.mark.parametrize("operator", ["add", "remove"])
def test_a_baked_object_keeps_its_role_and_is_named(cube, operator):
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.baked = True
    with pytest.raises(RuntimeError, match="Cube is baked: press Free Bake first"):
        getattr(bpy.ops.vbd, operator)()
    assert cube.vbd.role == "CLOTH"


def test_roles_wait_for_the_end_of_a_bake(cube):
    with running_bake():
        with pytest.raises(RuntimeError, match="until the bake has ended"):
            bpy.ops.vbd.add(role="SOFT")


def test_a_linked_object_is_refused_by_its_name(cube, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {cube})
    bpy.data.objects.remove(cube)
    with bpy.data.libraries.load(path, link=True) as (_, linked):
        linked.objects = ["Cube"]
    ob = linked.objects[0]
    bpy.context.scene.collection.objects.link(ob)
    select(ob)
    with pytest.raises(RuntimeError, match="Cube is linked from another file"):
        bpy.ops.vbd.add(role="SOFT")


def test_a_finer_lattice_has_more_cells(cube):
    bpy.ops.vbd.add(role="SOFT")
    cube.vbd.resolution = 4
    coarse = known_cell_count(cube)
    cube.vbd.resolution = 8
    assert (coarse, known_cell_count(cube)) == (4**3, 8**3)


def test_a_mesh_that_carries_tets_shows_their_number(cube):
    cube.data["tets"] = np.array([[0, 1, 2, 4], [1, 2, 3, 7]], np.int32).tobytes()
    bpy.ops.vbd.add(role="SOFT")
    assert known_cell_count(cube) == 2


def test_the_cell_count_is_unknown_after_the_mesh_has_changed_until_counted_again(cube):
    bpy.ops.vbd.add(role="SOFT")
    cube.data.vertices.add(1)
    assert known_cell_count(cube) is None
    bpy.ops.vbd.count_cells()
    assert known_cell_count(cube) is not None


def test_a_very_fine_lattice_is_counted_only_when_asked(cube):
    bpy.ops.vbd.add(role="SOFT")
    cube.vbd.resolution = FINEST_AT_ONCE + 1
    assert known_cell_count(cube) is None


def test_a_mesh_without_faces_has_no_cells_and_makes_no_error(scene):
    ob = bpy.data.objects.new("Wire", bpy.data.meshes.new("Wire"))
    scene.collection.objects.link(ob)
    ob.data.vertices.add(2)
    select(ob)
    bpy.ops.vbd.add(role="SOFT")
    assert known_cell_count(ob) == 0
