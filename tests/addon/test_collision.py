# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders without a mesh, and collision collections."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    baked,
    empty_object,
    frames,
    gathered,
    mesh_object,
    pin,
    reopened,
    sheet,
    shown,
    slab,
    straighten,
    tet_block,
)
from mathutils import Euler

from vbd.solver.bodies import Collider
from vbd.solver.scene.analytic_colliders import Plane, Sphere

TURN = (0.3, -0.5, 0.8)


def bound(shape, name="Bound", size=2.0):
    """A collider of a shape: a cube of 8 vertices around its origin."""
    s = size / 2
    corners = [(x, y, z) for x in (-s, s) for y in (-s, s) for z in (-s, s)]
    ob = mesh_object(name, corners, faces=[(0, 1, 3, 2), (4, 6, 7, 5)], role="COLLIDER")
    ob.vbd.collider_shape = shape
    return ob


def bounds():
    return [body for body in gathered().bodies if body.name.startswith("Bound")]


def inside(planes, point):
    """Least signed distance of a point to all planes [m]."""
    return min((point - plane.point) @ plane.normal for plane in planes)


class TestShapes:
    def test_a_mesh_is_the_default(self, scene):
        sheet()
        assert slab().vbd.collider_shape == "MESH"
        assert type(gathered().bodies[1]) is Collider

    @pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, 3), (1, 1, -1)])
    def test_a_plane_faces_the_z_axis_of_its_object(self, scene, scale):
        sheet()
        ob = bound("PLANE")
        ob.location, ob.rotation_euler, ob.scale = (1, 2, 3), TURN, scale
        (plane,) = bounds()
        assert type(plane) is Plane
        np.testing.assert_allclose(plane.point, (1, 2, 3))
        axis = np.array(Euler(TURN).to_matrix())[:, 2] * np.sign(scale[2])
        np.testing.assert_allclose(plane.normal, axis, atol=1e-6)

    def test_a_plane_needs_no_mesh(self, scene):
        sheet()
        mesh_object("Bound", [], role="COLLIDER").vbd.collider_shape = "PLANE"
        assert type(bounds()[0]) is Plane

    @pytest.mark.parametrize("turn", [(0, 0, 0), TURN])
    @pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, -3)])
    def test_a_box_turns_and_shears_with_its_object(self, scene, turn, scale):
        parent = empty_object("Parent")
        parent.scale = (1, 2, 1)
        sheet()
        ob = bound("BOX")
        ob.parent, ob.location, ob.rotation_euler, ob.scale = parent, (1, 2, 3), turn, scale
        bpy.context.view_layer.update()
        world = np.array(ob.matrix_world)
        sides = bounds()
        assert len({side.name for side in sides}) == 6
        for local in np.random.default_rng(0).uniform(-1.5, 1.5, (50, 3)):
            point = world[:3, :3] @ local + world[:3, 3]
            assert (inside(sides, point) > 0.0) == (np.abs(local).max() < 1.0)
        corner = world[:3, :3] @ np.ones(3) + world[:3, 3]
        assert inside(sides, corner) == pytest.approx(0.0, abs=1e-5)

    def test_a_sphere_holds_the_mesh_and_sits_at_the_origin(self, scene):
        sheet()
        ob = bound("SPHERE")
        ob.location, ob.rotation_euler, ob.scale = (1, 2, 3), TURN, (2, 2, -2)
        (ball,) = bounds()
        assert type(ball) is Sphere
        np.testing.assert_allclose(ball.center, (1, 2, 3))
        assert ball.radius == pytest.approx(2 * np.sqrt(3))

    @pytest.mark.parametrize("shape", ["PLANE", "BOX", "SPHERE"])
    def test_they_have_a_friction_of_their_own_or_the_scenes(self, scene, shape):
        sheet()
        ob = bound(shape)
        ob.vbd.friction = 0.75
        assert all(one.friction is None for one in bounds())
        ob.vbd.use_friction = True
        assert all(one.friction == 0.75 for one in bounds())

    @pytest.mark.parametrize(
        ("shape", "place"),
        [("PLANE", (0, 0, -0.5)), ("BOX", (0, 0, 1)), ("SPHERE", (0, 0, -4))],
    )
    def test_a_block_stays_on_the_right_side(self, scene, shape, place):
        block = tet_block()  # from 0 to 1 along every axis
        bound(shape, size=4.0).location = place
        scene.vbd.substeps, scene.vbd.iterations = 2, 10
        frames(scene, 1, 16)
        assert baked().contact.touched
        points = shown(block, 16) - place
        radius, soft = 2 * np.sqrt(3), 0.02
        distance = np.linalg.norm(points, axis=1)
        assert {
            "PLANE": points[:, 2].min() > -soft,
            "BOX": np.abs(points).max() < 2 + soft,
            "SPHERE": distance.min() > radius - soft,
        }[shape]


class TestMotion:
    @pytest.mark.parametrize("parented", [False, True])
    def test_a_plane_that_rises_lifts_a_block(self, scene, parented):
        block, ob = tet_block(), bound("PLANE")
        ob.location.z = -0.05
        lift = ob
        if parented:
            lift = ob.parent = empty_object("Lift")
        scene.vbd.substeps, scene.vbd.iterations = 4, 20
        frames(scene, 1, 13)
        lift.location.z = 0.0 if parented else -0.05
        for frame, height in ((1, 0.0), (13, 1.0)):
            lift.location.z = height
            lift.keyframe_insert("location", index=2, frame=frame)
        straighten(lift)
        scene.frame_set(1)
        assert baked().frames == 12
        bottom = shown(block, 13)[:, 2].min()
        height = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world[2][3]
        assert height < bottom < height + 0.1
        assert height > 0.9

    def test_a_ball_that_turns_carries_a_sheet_along(self, scene):
        ob, cloth = bound("SPHERE", size=1.0), sheet()
        ob.location = (0.5, 0.5, -0.5 * np.sqrt(3) - 0.03)
        for frame, angle in ((1, 0.0), (25, 2.0)):
            ob.rotation_euler.y = angle
            ob.keyframe_insert("rotation_euler", index=1, frame=frame)
        straighten(ob)
        cloth.vbd.friction = 1.0
        ob.vbd.use_friction, ob.vbd.friction = True, 1.0
        frames(scene, 1, 13)
        baked()
        assert shown(cloth, 13)[:, 0].mean() > 0.6

    def test_a_room_that_turns_and_slides_keeps_what_is_in_it(self, scene):
        block, room = tet_block(), bound("BOX", size=4.0)
        for frame, turn in ((1, 0.0), (25, 1.0)):
            room.rotation_euler.x, room.location.y = turn, turn
            room.keyframe_insert("rotation_euler", index=0, frame=frame)
            room.keyframe_insert("location", index=1, frame=frame)
        straighten(room)
        scene.vbd.substeps, scene.vbd.iterations = 2, 10
        frames(scene, 1, 25)
        baked()
        points = shown(block, 25)
        inside = np.linalg.inv(np.array(room.matrix_world)) @ np.c_[points, np.ones(len(points))].T
        assert np.abs(inside[:3]).max() < 2.02

    def test_a_sphere_may_not_become_uneven(self, scene):
        ob = bound("SPHERE")
        sheet()
        frames(scene, 1, 5)
        for frame, scale in ((1, 1.0), (5, 2.0)):
            ob.scale.x = scale
            ob.keyframe_insert("scale", index=0, frame=frame)
        with pytest.raises(RuntimeError, match="Bound: a Sphere needs the same scale"):
            bpy.ops.vbd.bake()


class TestRefusals:
    def refused(self, sentence):
        with pytest.raises(RuntimeError, match=sentence) as error:
            bpy.ops.vbd.bake()
        assert len(str(error.value).strip().splitlines()) == 1

    def test_uneven_scale_of_a_sphere(self, scene):
        sheet()
        bound("SPHERE").scale = (1, 1, 1.01)
        self.refused("Bound: a Sphere needs the same scale along all axes")

    def test_a_bowl_of_an_older_file(self, scene):
        sheet()
        ob = bound("SPHERE")
        stored = getattr(ob, "bl_system_properties_get", lambda: ob)()["vbd"]
        stored["collider_shape"] = 4
        assert ob.vbd.collider_shape == ""
        self.refused("Bound: the Shape Bowl .* is gone; make its mesh a bowl .* Shape Mesh")
        ob.vbd.collider_shape = "MESH"
        assert type(bounds()[0]) is Collider

    def test_a_flat_box(self, scene):
        sheet()
        slab("Bound").vbd.collider_shape = "BOX"
        self.refused("Bound is flat, so its Box has no volume")

    @pytest.mark.parametrize("shape", ["BOX", "SPHERE"])
    def test_an_empty_mesh(self, scene, shape):
        sheet()
        mesh_object("Bound", [], role="COLLIDER").vbd.collider_shape = shape
        self.refused("Bound: the mesh is empty")

    def test_a_sphere_of_one_vertex(self, scene):
        sheet()
        mesh_object("Bound", [(0, 0, 0)], role="COLLIDER").vbd.collider_shape = "SPHERE"
        self.refused("Bound: the radius is 0")

    @pytest.mark.parametrize("shape", ["BOX", "SPHERE"])
    def test_a_box_or_sphere_may_not_deform(self, scene, shape):
        ob = bound(shape)
        cloth = sheet()
        frames(scene, 1, 10)
        displace = ob.modifiers.new("Displace", "DISPLACE")
        for frame, strength in ((3, 0.0), (5, 0.5)):
            displace.strength = strength
            displace.keyframe_insert("strength", frame=frame)
        self.refused("Bound changes its shape in frame 4; a Box or Sphere may move, but not deform")
        assert cloth.data.shape_keys is None

    def test_what_might_move_but_does_not_is_no_obstacle(self, scene):
        ob = bound("PLANE")
        sheet()
        ob.modifiers.new("Wave", "WAVE")  # a plane does not use its mesh
        ob.constraints.new("LIMIT_LOCATION")
        ob.location.z = -5.0
        frames(scene, 1, 3)
        assert baked().frames == 2


def collection(name, *objects):
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    for ob in objects:
        made.objects.link(ob)
    return made


class TestCollections:
    def accepted(self):
        bodies = (body for body in gathered().bodies if type(body) is not Plane)
        return {body.name: body.collides_with for body in bodies}

    def test_without_one_an_object_collides_with_everything(self, scene):
        sheet()
        slab()
        assert self.accepted() == {"Sheet": None, "Slab": None}

    def test_the_names_are_those_of_its_objects_that_take_part(self, scene):
        cloth, floor, prop = sheet(), slab(), mesh_object("Prop", [(0, 0, 0)])
        inner = collection("Inner", floor, prop, bound("PLANE"))
        outer = collection("Outer")
        scene.collection.children.unlink(inner)
        outer.children.link(inner)
        cloth.vbd.collision_collection = outer
        floor.vbd.collision_collection = collection("Nobody")
        accepted = self.accepted()
        assert (accepted["Sheet"], accepted["Slab"]) == (("Slab",), ())

    @pytest.mark.parametrize("side", ["Block", "Slab"])
    @pytest.mark.parametrize("accepts", [True, False])
    def test_a_block_falls_through_what_it_shall_not_meet(self, scene, side, accepts):
        block, floor = tet_block(), slab()
        block.location.z = 0.05
        ob, other = (block, floor) if side == "Block" else (floor, block)
        ob.vbd.collision_collection = collection("Friends", *([other] if accepts else []))
        scene.vbd.substeps, scene.vbd.iterations = 2, 5
        frames(scene, 1, 10)
        baked()
        assert (shown(block, 10)[:, 2].min() > 0.0) == accepts

    def test_it_survives_save_and_load_and_goes_with_its_collection(self, scene, tmp_path):
        sheet().vbd.collision_collection = collection("Friends")
        reopened(tmp_path / "saved.blend")
        vbd = bpy.data.objects["Sheet"].vbd
        assert vbd.collision_collection.name == "Friends"
        bpy.data.collections.remove(vbd.collision_collection)
        assert vbd.collision_collection is None


def test_self_contact_reaches_the_solver(scene):
    ob = sheet()
    assert not gathered().bodies[0].material.self_contact
    ob.vbd.self_contact = True
    assert gathered().bodies[0].material.self_contact


def test_what_is_still_in_the_ground_at_the_end_is_named(scene):
    for name, place in (("High", (0, 0, 3)), ("Deep", (3, 0, -0.4)), ("Low", (6, 0, 0))):
        tet_block(name).location = place
    scene.vbd.use_ground = True
    frames(scene, 1, 3)
    (line,) = [line for line in baked().lines() if "deep in the ground" in line.text]
    assert line.text.startswith("Deep is still ") and line.objects == ("Deep",)


def test_bodies_rest_on_each_other_and_the_bake_tells_of_it(scene):
    table, block = tet_block("Table"), tet_block()
    pin(table, range(len(table.data.vertices)))
    block.location.z = 1.02
    scene.vbd.substeps, scene.vbd.iterations = 2, 10
    frames(scene, 1, 12)
    outcome = baked()
    gap = shown(block, 12)[:, 2].min() - 1.0
    # The contact distance is twice a four hundredth of the size.
    assert 0.0 < gap < 0.0055
    assert any(line.startswith("Deepest:") for line in outcome.numbers())
    assert outcome.bodies.deepest in ("Table", "Block")
    depth = outcome.contact.last.stats.deepest
    assert depth == pytest.approx(0.005 - gap, abs=1e-4)
