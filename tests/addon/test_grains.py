# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains in Blender: filling a mesh, its spheres, and the motion that a bake plays."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, gathered, mesh_object, shown

from vbd.addon.objects.grains import NAME, material_socket
from vbd.addon.playing import playback
from vbd.solver.bodies import Grains

PLACES = [(0.0, 0.0, 0.3), (0.5, 0.0, 0.3), (0.0, 0.5, 0.3)]


@pytest.fixture
def beads(scene):
    """Three loose vertices with the role Grains, over the ground."""
    beads = mesh_object("Beads", PLACES)
    beads.vbd.role = "GRAINS"
    beads.vbd.grain_radius = 0.1
    scene.vbd.use_ground = True
    scene.vbd.frame_end = 12
    return beads


def spheres(ob):
    """Centers [sphere, 3] and radii [sphere] of the instances that Blender shows of an object."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = [
        (np.array(instance.matrix_world), np.array(instance.object.data.vertices[0].co))
        for instance in depsgraph.object_instances
        if instance.is_instance and instance.parent.original == ob
    ]
    centers = np.array([matrix[:3, 3] for matrix, _ in found])
    return centers, np.array([np.linalg.norm(matrix[:3, :3] @ co) for matrix, co in found])


def test_grains_are_drawn_as_spheres_of_their_radius_at_any_scale(beads):
    beads.scale = 2.0, 2.0, 2.0
    bpy.context.view_layer.update()
    beads.vbd.grain_radius = 0.15
    centers, radii = spheres(beads)
    np.testing.assert_allclose(
        np.sort(centers, axis=0), np.sort(2.0 * np.array(PLACES), axis=0), atol=1e-6
    )
    np.testing.assert_allclose(radii, 0.15, rtol=1e-5)


def test_the_spheres_go_with_the_role(beads):
    groups = len(bpy.data.node_groups)
    beads.vbd.role = "COLLIDER"
    assert NAME not in beads.modifiers and len(bpy.data.node_groups) == groups - 1


def test_a_copy_has_spheres_of_its_own(beads):
    copy = beads.copy()
    bpy.context.collection.objects.link(copy)
    copy.vbd.grain_radius = 0.02
    assert spheres(beads)[1] == pytest.approx(0.1)
    assert spheres(copy)[1] == pytest.approx(0.02)


def test_a_closed_mesh_is_filled_with_grains_and_hidden(scene, cube):
    red = bpy.data.materials.new("Red")
    cube.data.materials.append(red)
    assert bpy.ops.vbd.add(role="GRAINS") == {"FINISHED"}
    made = bpy.context.object
    assert made.name == "Cube Grains" and made.vbd.role == "GRAINS" and cube.vbd.role == "NONE"
    assert cube.hide_get() and cube.hide_render
    count, radius = len(made.data.vertices), made.vbd.grain_radius
    points = np.array([made.matrix_world @ v.co for v in made.data.vertices])
    corners = np.array([cube.matrix_world @ v.co for v in cube.data.vertices])
    assert 400 < count < 1200
    assert (points - radius > corners.min(axis=0) - 1e-5).all()
    assert (points + radius < corners.max(axis=0) + 1e-5).all()
    apart = np.linalg.norm(points[:, None] - points, axis=2) + 9.0 * np.eye(count)
    assert apart.min() >= 2.0 * radius
    assert material_socket(made).default_value == red
    assert made.vbd.use_friction and made.vbd.density == pytest.approx(2650.0)  # Sand

    made.vbd.grain_radius = 2.0 * radius
    assert bpy.ops.vbd.fill_again() == {"FINISHED"}
    assert count / 20 < len(made.data.vertices) < count / 7


def test_a_radius_that_fits_no_grain_or_too_many_is_refused(scene, cube):
    bpy.ops.vbd.add(role="GRAINS")
    made = bpy.context.object
    for radius, text in ((50.0, "no grain"), (1e-5, "more than 100000 grains")):
        made.vbd.grain_radius = radius
        with pytest.raises(RuntimeError, match=text):
            bpy.ops.vbd.fill_again()


def test_a_mesh_without_inside_is_not_filled(scene):
    bpy.ops.mesh.primitive_plane_add()
    plane, count = bpy.context.object, len(bpy.data.objects)
    with pytest.raises(RuntimeError, match="Plane has no inside to fill with grains"):
        bpy.ops.vbd.add(role="GRAINS")
    assert len(bpy.data.objects) == count and not plane.hide_get()


def test_of_objects_that_are_selected_all_are_filled_or_none(scene, cube):
    bpy.ops.mesh.primitive_plane_add()
    plane, count, before = bpy.context.object, len(bpy.data.objects), scene.vbd.frame_end
    cube.vbd.role = plane.vbd.role = "COLLIDER"
    cube.select_set(True)
    with pytest.raises(RuntimeError, match="Plane has no inside to fill with grains"):
        bpy.ops.vbd.add(role="GRAINS")
    assert len(bpy.data.objects) == count and scene.vbd.frame_end == before
    for ob in (cube, plane):
        assert ob.vbd.role == "COLLIDER" and ob.select_get() and not ob.hide_get()
        assert not ob.hide_render


def test_loose_vertices_keep_their_mesh(scene, beads):
    beads.vbd.role = "NONE"
    bpy.context.view_layer.objects.active = beads
    beads.select_set(True)
    bpy.ops.vbd.add(role="GRAINS")
    assert bpy.context.object == beads and len(beads.data.vertices) == 3


def test_gathered_grains_have_the_radius_in_metres_and_the_material(beads, scene):
    scene.unit_settings.scale_length = 0.5
    beads.vbd.cohesion = 2e3
    body = gathered().bodies[0]
    assert isinstance(body, Grains) and body.name == "Beads"
    np.testing.assert_allclose(body.radius, 0.05)
    np.testing.assert_allclose(body.points, 0.5 * np.array(PLACES), atol=1e-7)
    assert body.material.cohesion == 2e3


def test_a_collider_among_grains_is_thin(beads, cube):
    cube.vbd.role = "COLLIDER"
    cube.location.z = -5.0
    (collider,) = (body for body in gathered().bodies if body.name == "Cube")
    assert 0.0 < collider.thickness < 0.05 * beads.vbd.grain_radius


def test_a_bake_drops_the_spheres_to_the_ground_and_is_freed(beads, scene):
    before = np.array([tuple(v.co) for v in beads.data.vertices])
    baked()
    scene.frame_set(12)
    points = shown(beads)
    assert points[:, 2] == pytest.approx(0.1, abs=0.005)
    centers, radii = spheres(beads)
    np.testing.assert_allclose(np.sort(centers, axis=0), np.sort(points, axis=0), atol=1e-6)
    assert radii == pytest.approx(0.1)
    playback.free(beads)
    np.testing.assert_allclose(shown(beads), before, atol=1e-7)
    assert NAME in beads.modifiers


@pytest.mark.parametrize("how", ["mirrored", "inside out"])
def test_a_mesh_is_filled_whichever_way_it_faces(cube, how):
    if how == "mirrored":
        cube.scale.x = -1.0
        bpy.context.view_layer.update()
    else:
        cube.data.flip_normals()
    assert bpy.ops.vbd.add(role="GRAINS") == {"FINISHED"}
    assert len(bpy.context.object.data.vertices) == 608  # as of a cube that faces outwards
