# SPDX-License-Identifier: GPL-3.0-or-later
"""The role Rigid: objects become rigid bodies as they are seen, with their mass and motion."""

import bpy
import numpy as np
import pytest
from blender_scenes import empty_object, frames, gathered, mesh_object, slide, straighten

from vbd.addon.gathering.hint import Hint
from vbd.addon.gathering.rigid import RigidTarget
from vbd.addon.objects.rigid_mass import shown_mass
from vbd.addon.panels.roles import STARTING_MATERIAL
from vbd.solver.bodies import RigidBody
from vbd.solver.settings import Material

DENSITY = 500.0


@pytest.fixture
def crate(cube):
    bpy.ops.vbd.add(role="RIGID")
    cube.vbd.density = DENSITY
    return cube


def only(scene_gathered):
    """The rigid body of a gathered scene, and its target."""
    (body,) = scene_gathered.simulated()
    (target,) = scene_gathered.targets
    assert isinstance(body, RigidBody) and isinstance(target, RigidTarget)
    return body, target


def test_the_button_gives_the_role_and_a_material(cube):
    bpy.ops.vbd.add(role="RIGID")
    assert cube.vbd.role == "RIGID" and STARTING_MATERIAL["RIGID"] == "Wood"
    assert cube.vbd.density == 500.0 and cube.vbd.use_friction


def test_mass_and_center_are_those_of_the_object_as_it_is_seen(crate):
    """Stretched, mirrored and turned by itself, moved by a parent, and doubled by an Array."""
    crate.scale, crate.rotation_euler = (1.0, -2.0, 0.5), (0.4, 0.2, 0.1)
    crate.parent = empty_object(location=(1.0, 2.0, 3.0))
    crate.modifiers.new("Array", "ARRAY").relative_offset_displace = (2.0, 0.0, 0.0)
    body, _ = only(gathered())
    assert body.mesh_points.shape == (16, 3)
    assert body.properties.mass == pytest.approx(2 * DENSITY * 8.0, rel=1e-5)
    middle = np.array(crate.matrix_world @ crate.data.vertices[0].co * 0.0) + (1.0, 2.0, 3.0)
    turn = np.array(crate.rotation_euler.to_matrix())
    np.testing.assert_allclose(body.properties.center, middle + turn @ (2.0, 0.0, 0.0), atol=1e-5)


def test_units_scale_the_body_and_not_its_keyframes(crate):
    bpy.context.scene.unit_settings.scale_length = 0.1
    crate.location = (10.0, 0.0, 0.0)
    body, target = only(gathered())
    assert body.properties.mass == pytest.approx(DENSITY * 0.2**3, rel=1e-5)
    np.testing.assert_allclose(body.properties.center, (1.0, 0.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(target.stored_start()[3], (10.0, 0.0, 0.0), atol=1e-5)
    points = body.mesh_points + (0.5, 0.0, 0.0)
    np.testing.assert_allclose(target.stored(points, None, 0.0)[3], (15.0, 0.0, 0.0), atol=1e-5)


def test_own_mass_replaces_the_density(crate):
    crate.vbd.use_mass, crate.vbd.mass = True, 12.0
    assert only(gathered())[0].properties.mass == pytest.approx(12.0)


def test_a_hollow_body_has_its_mass_in_its_walls(crate):
    crate.vbd.is_hollow, crate.vbd.walls_mm = True, 2.0
    found = gathered()
    assert only(found)[0].properties.mass == pytest.approx(DENSITY * 24.0 * 0.002, rel=1e-4)
    assert not found.notes


def test_what_was_set_for_another_role_is_left_out(crate):
    crate.vbd.youngs_modulus, crate.vbd.self_contact, crate.vbd.damping = 5e6, True, 0.1
    crate.vbd.friction = 0.9
    material, default = only(gathered())[0].material, Material()
    assert material.youngs_modulus == default.youngs_modulus
    assert material.damping == default.damping and not material.self_contact
    assert material.friction == pytest.approx(0.9)


def test_an_open_mesh_is_a_shell_and_says_so(scene):
    ob = mesh_object("Plate", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], faces=[(0, 1, 2, 3)])
    ob.vbd.role, ob.vbd.density, ob.vbd.walls_mm = "RIGID", 1000.0, 2.0
    found = gathered()
    assert only(found)[0].properties.mass == pytest.approx(2.0, rel=1e-4)
    (note,) = found.notes
    assert isinstance(note, Hint) and "Plate is open" in note and "2 mm" in note


def test_text_and_meshes_with_split_edges_are_filled(scene):
    """A converted text has vertices of its own for its front, as many imported meshes have for each
    flat part.
    """
    bpy.ops.object.text_add(location=(5.0, 0.0, 0.0))
    bpy.context.object.data.body, bpy.context.object.data.extrude = "I", 0.1
    bpy.ops.object.convert(target="MESH")
    letter = bpy.context.object
    letter.vbd.role, letter.vbd.density = "RIGID", DENSITY
    found = gathered()
    body, target = only(found)
    x, y, z = letter.dimensions
    assert not found.notes
    assert len(letter.data.vertices) == 16 and len(body.mesh_points) == 8
    assert body.properties.mass == pytest.approx(DENSITY * x * y * z, rel=1e-4)
    assert shown_mass(letter) == pytest.approx(body.properties.mass, rel=1e-4)
    places = np.array([letter.matrix_world @ v.co for v in letter.data.vertices])
    np.testing.assert_allclose(body.mesh_points[target.corners[:, 0]], places, atol=1e-6)


def test_a_closed_mesh_with_a_face_without_area_is_filled(scene):
    """As converters of curves and booleans make them: a corner on an edge of the next face."""
    points = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0)]
    faces = [(0, 4, 1), (0, 2, 4), (0, 1, 3), (0, 3, 2), (1, 2, 3), (1, 4, 2)]
    ob = mesh_object("Wedge", points, faces=faces)
    ob.vbd.role, ob.vbd.density = "RIGID", DENSITY
    found = gathered()
    assert not found.notes
    assert only(found)[0].properties.mass == pytest.approx(DENSITY * 8.0 / 6.0, rel=1e-5)


def test_faces_without_area_and_loose_vertices_are_left_out(crate):
    crate.data.vertices.add(2)
    crate.data.vertices[8].co = crate.data.vertices[9].co = (5.0, 5.0, 5.0)
    body, _ = only(gathered())
    assert len(body.mesh_points) == 8
    assert body.properties.mass == pytest.approx(8.0 * DENSITY, rel=1e-5)


def test_a_shared_mesh_is_no_matter(crate):
    other = bpy.data.objects.new("Other", crate.data)
    bpy.context.collection.objects.link(other)
    other.vbd.role, other.location.x = "RIGID", 5.0
    assert len(gathered().simulated()) == 2


def test_it_starts_with_the_speed_and_spin_of_its_animation(crate):
    """A turn of 0.2 rad a frame about x through the end of an arm, at 24 frames a second."""
    scene = bpy.context.scene
    frames(scene, 10, 20)
    pivot = empty_object(location=(0.0, 0.0, 2.0))
    crate.parent, crate.location = pivot, (0.0, 1.0, 0.0)
    for frame in (1, 10):
        pivot.rotation_euler.x = 0.2 * frame
        pivot.keyframe_insert("rotation_euler", frame=frame)
    straighten(pivot)
    scene.frame_set(10)
    body, _ = only(gathered())
    spin = 0.2 * 24.0
    np.testing.assert_allclose(body.angular_velocity, (spin, 0.0, 0.0), atol=1e-3)
    arm = body.properties.center - (0.0, 0.0, 2.0)
    # Of the chord of the last frame, not yet of its end.
    speed = 24.0 * 2.0 * np.sin(0.1)
    assert np.linalg.norm(body.velocity) == pytest.approx(speed, rel=1e-4)
    assert body.velocity @ arm == pytest.approx(speed * np.sin(0.1), rel=1e-2)


def test_an_animated_body_that_is_free_is_told_about_animated(crate):
    frames(bpy.context.scene, 1, 20)
    slide(crate, 0, 1, 20, 5.0)
    (note,) = gathered().notes
    assert "switch on Animated" in note


def test_it_follows_its_animation_until_a_frame(crate):
    scene = bpy.context.scene
    frames(scene, 1, 20)
    slide(crate, 0, 1, 20, 5.0)
    crate.vbd.use_animation, crate.vbd.animated_until = True, 13
    found = gathered()
    body, _ = only(found)
    assert not found.notes
    assert body.until == pytest.approx(12.0 / 24.0)
    np.testing.assert_allclose(body.poses(0.0), np.eye(4), atol=1e-6)
    found.reader.fill()
    now = body.poses(1.0 / 24.0)
    np.testing.assert_allclose(now[:3, 3], (5.0 / 19.0, 0.0, 0.0), atol=1e-5)
    np.testing.assert_allclose(now[:3, :3], np.eye(3), atol=1e-6)


def test_without_animation_animated_holds_it(crate):
    crate.vbd.use_animation, crate.vbd.animated_until = True, 5
    body, _ = only(gathered())
    assert body.until == pytest.approx(4.0 / 24.0)
    np.testing.assert_array_equal(body.poses(0.1), np.eye(4))


def test_a_release_at_or_before_the_start_leads_nothing(crate):
    crate.vbd.use_animation, crate.vbd.animated_until = True, 1
    assert only(gathered())[0].poses is None


def test_an_uneven_parent_is_refused_with_a_way_out(crate):
    crate.parent = empty_object("Stand")
    crate.parent.scale = (1.0, 1.0, 2.0)
    with pytest.raises(ValueError, match="Stand has a different scale along its axes"):
        gathered()
    crate.parent.scale = (2.0, 2.0, 2.0)
    assert only(gathered())[0].properties.mass == pytest.approx(64.0 * DENSITY, rel=1e-5)


@pytest.mark.parametrize(
    ("kind", "kinematic"), [("ACTIVE", False), ("ACTIVE", True), ("PASSIVE", False)]
)
def test_a_rigid_body_of_blenders_own_may_only_follow(crate, kind, kinematic):
    bpy.ops.rigidbody.object_add(type=kind)
    crate.rigid_body.kinematic = kinematic
    if kind == "ACTIVE" and not kinematic:
        with pytest.raises(ValueError, match="also has Blender's own rigid body"):
            gathered()
    else:
        assert only(gathered())[0].properties.mass > 0.0


def test_blenders_own_cloth_on_it_is_told(crate):
    crate.modifiers.new("Cloth", "CLOTH")
    (note,) = gathered().notes
    assert note.startswith("Cube is a rigid body and keeps the shape that it has at the start")


def test_a_mesh_without_faces_is_refused(scene):
    mesh_object("Wire", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)]).vbd.role = "RIGID"
    with pytest.raises(ValueError, match="the rigid body has no faces"):
        gathered()


def test_frames_follow_a_parent_that_moves(crate):
    """The body stays where it is in the world, so its own transform undoes its parent's."""
    scene = bpy.context.scene
    frames(scene, 1, 3)
    cart = empty_object("Cart")
    crate.parent = cart
    slide(cart, 0, 1, 3, 2.0)
    found = gathered()
    body, target = only(found)
    found.reader.fill()
    rows = target.stored(body.mesh_points, None, 1.0 / 24.0)
    np.testing.assert_allclose(rows, [*np.eye(3), (-1.0, 0.0, 0.0)], atol=1e-5)


def test_keyframes_on_friction_and_air_drag_are_followed_and_others_refused(crate):
    frames(bpy.context.scene, 1, 9)
    crate.vbd.use_friction = True
    for frame, value in ((1, 0.9), (3, 0.1)):
        crate.vbd.friction = crate.vbd.drag = value
        crate.vbd.keyframe_insert("friction", frame=frame)
        crate.vbd.keyframe_insert("drag", frame=frame)
    bpy.context.scene.frame_set(1)
    found = gathered()
    body, _ = only(found)
    assert body.keyed.keys() == {"friction", "drag"}
    found.reader.fill()
    found.reader.fill()
    assert body.keyed["friction"](2.0 / 24.0) == pytest.approx(0.1)
    crate.vbd.keyframe_insert("density", frame=1)
    with pytest.raises(ValueError, match="Density has keyframes, but is constant"):
        gathered()
