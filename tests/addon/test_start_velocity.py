# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that is animated up to the first frame starts with its velocity there."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    empty_object,
    frames,
    gathered,
    mesh_object,
    pin,
    sheet,
    shown,
    slide,
    straighten,
    tet_block,
)
from shapes import block

from vbd.addon.baking.report import noted
from vbd.addon.gathering.reader import curves_of
from vbd.solver.messages import message


def weightless(scene, first=1, last=9):
    scene.use_gravity = False
    frames(scene, first, last)


def soft_box(name="Box"):
    points, faces = block([1.0, 0.6, 0.4], [0.0, 0.0, 0.0])
    ob = mesh_object(name, points, faces=faces, role="SOFT")
    ob.vbd.resolution = 4
    return ob


def rope(name="Rope"):
    return mesh_object(
        name, [(k / 4, 0, 0) for k in range(5)], [(k, k + 1) for k in range(4)], role="ROD"
    )


def key_linear(ob, path, index, *keys):
    for frame, value in keys:
        getattr(ob, path)[index] = value
        ob.keyframe_insert(path, index=index, frame=frame)
    straighten(ob)


@pytest.mark.parametrize("make", [sheet, soft_box, tet_block, rope])
def test_a_flight_goes_on(scene, make):
    weightless(scene)
    ob = make()
    slide(ob, 0, -10, 1, 1.1)  # 0.1 m in every frame
    bpy.ops.vbd.bake()
    way = shown(ob, 9) - shown(ob, 1)
    np.testing.assert_allclose(way, np.tile([0.8, 0.0, 0.0], (len(way), 1)), atol=2e-3)


def test_a_motion_that_goes_on_leads_the_pins_only(scene):
    """The object's own motion never ends; free vertices have its first velocity."""
    weightless(scene)
    ob = sheet()
    slide(ob, 0, -10, 1, 1.1)
    key_linear(ob, "location", 0, (-10, 0.0), (1, 1.1), (5, 3.0))
    bpy.ops.vbd.bake()
    np.testing.assert_allclose(
        shown(ob, 9) - shown(ob, 1), np.tile([0.8, 0, 0], (25, 1)), atol=2e-3
    )


@pytest.mark.parametrize("make", [sheet, soft_box, tet_block])
def test_a_turn_goes_on(scene, make):
    """Velocities are those of the turn, ω × r, half a frame earlier: a chord, not an arc."""
    weightless(scene)
    ob, step = make(), 0.02
    key_linear(ob, "rotation_euler", 2, (0, 0.0), (1, step))
    body = gathered().bodies[0]
    turn = np.array([[np.cos(step), np.sin(step), 0], [-np.sin(step), np.cos(step), 0], [0, 0, 1]])
    expected = (body.points - body.points @ turn.T) * 24.0
    np.testing.assert_allclose(body.velocities, expected, atol=1e-4)
    assert np.abs(expected).max() > 0.2


def test_what_stands_still_before_the_start_is_at_rest(scene):
    ob = sheet()
    slide(ob, 0, 1, 9, 1.0)
    assert not gathered().bodies[0].velocities.any()


def test_parents_and_the_unit_scale_count(scene):
    parent = empty_object("Parent")
    slide(parent, 2, 0, 1, 10.0)
    ob = soft_box()
    ob.parent = parent
    scene.unit_settings.scale_length = 0.01
    np.testing.assert_allclose(
        gathered().bodies[0].velocities.mean(axis=0), [0.0, 0.0, 10.0 * 0.01 * 24.0], rtol=1e-5
    )


def key_shape(ob, matrix):
    """Shape keys that show the mesh under a linear map in frame 0 and as it is in frame 1."""
    ob.shape_key_add(name="Basis")
    before = ob.shape_key_add(name="Before")
    for point, vertex in zip(before.points, ob.data.vertices, strict=True):
        point.co = matrix @ np.array(vertex.co)
    for frame, value in ((0, 1.0), (1, 0.0)):
        before.value = value
        before.keyframe_insert("value", frame=frame)


@pytest.mark.parametrize("make", [sheet, soft_box])
def test_a_body_led_by_its_vertices_starts_with_their_velocity(scene, make):
    """Like an armature: the object stands still and its vertices turn."""
    ob, step = make(), 0.1
    turn = np.array([[np.cos(step), np.sin(step), 0], [-np.sin(step), np.cos(step), 0], [0, 0, 1]])
    key_shape(ob, turn)
    body = gathered().bodies[0]
    expected = (body.points - body.points @ turn.T) * 24.0
    np.testing.assert_allclose(body.velocities, expected, atol=1e-3 * np.abs(expected).max())


def test_parts_of_a_lattice_start_with_the_velocity_of_the_vertices_near_them(scene):
    """A bar of which one end moves: so does the lattice there, and not at the other end."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=40, y_subdivisions=4, size=1.0)
    ob = bpy.context.object
    ob.scale.x = 4.0
    bpy.ops.object.transform_apply()
    ob.vbd.role, ob.vbd.resolution = "SOFT", 16
    ob.shape_key_add(name="Basis")
    before = ob.shape_key_add(name="Before")
    for point in before.points:
        point.co.z -= 0.5 if point.co.x > 0.0 else 0.0
    for frame, value in ((0, 1.0), (1, 0.0)):
        before.value = value
        before.keyframe_insert("value", frame=frame)
    body = gathered().bodies[0]
    right, left = body.points[:, 0] > 0.5, body.points[:, 0] < -0.5
    np.testing.assert_allclose(
        body.velocities[right], np.tile([0, 0, 12.0], (right.sum(), 1)), atol=1e-3
    )
    np.testing.assert_allclose(body.velocities[left], 0.0, atol=1e-3)


def test_pins_stay_led(scene):
    weightless(scene)
    ob = sheet()
    pin(ob, [0])
    slide(ob, 0, -10, 1, 1.1)
    bpy.ops.vbd.bake()
    np.testing.assert_allclose(shown(ob, 9)[0], [1.1, 0.0, 0.0], atol=1e-5)
    assert shown(ob, 9)[24, 0] > shown(ob, 1)[24, 0] + 0.05


def test_what_grows_out_of_nothing_is_baked_from_rest(scene):
    ob = sheet()
    for axis in range(3):
        key_linear(ob, "scale", axis, (0, 0.0), (1, 1.0))
    assert not gathered().bodies[0].velocities.any()


def test_the_playhead_is_where_it_was(scene):
    slide(sheet(), 0, -10, 1, 1.1)
    scene.frame_set(5)
    gathered()
    assert scene.frame_current == 5


def hold(ob, *keys):
    """Keys (frame, x) between which the object stands, and leaps."""
    key_linear(ob, "location", 0, *keys)


def test_a_leap_into_place_is_told(scene):
    """Thrown in the last frame, or put there: nobody can know, so the report names the velocity."""
    ob = sheet()
    hold(ob, (-5, 0.0), (0, 0.0), (1, 0.5))
    group = gathered()
    np.testing.assert_allclose(group.bodies[0].velocities[:, 0], 12.0, rtol=1e-5)
    assert group.notes == [
        "Sheet moves 0.5 m from frame 0 to 1 and starts with that velocity; to start at "
        "rest, give it the pose of frame 1 in frame 0 too"
    ]
    hold(ob, (0, 0.5))
    assert gathered().notes == []
    assert not gathered().bodies[0].velocities.any()


def warned():
    """The notes that make the report of a bake yellow."""
    return [note for note in gathered().notes if noted(note, ["Sheet"]).warns]


@pytest.mark.parametrize("keys", [[(0, 0.0), (1, 0.5)], [(-3, 0.0), (1, 1.0), (9, 3.0)]])
def test_a_throw_is_told_and_is_no_warning(scene, keys):
    """Keys in the two frames before the flight, or a path that continues for a while."""
    weightless(scene)
    ob = sheet()
    hold(ob, *keys)
    assert len(gathered().notes) == 1 and not warned()
    pin(ob, [0])  # pinned, the leap strains it
    assert len(warned()) == (keys[0][0] == 0)


def test_what_is_put_into_place_at_once_or_led_by_others_is_warned_of(scene):
    weightless(scene)
    ob = sheet()
    hold(ob, (0, 0.0), (1, 0.5))
    for curve in curves_of(ob.animation_data.action):
        curve.keyframe_points[0].interpolation = "CONSTANT"
    assert len(warned()) == 1
    ob.animation_data_clear()
    parent = empty_object("Parent")
    hold(parent, (0, 0.0), (1, 0.5))
    ob.parent = parent
    assert len(warned()) == 1


@pytest.mark.parametrize("keys", [[(-10, 0.0), (1, 5.0)], [(0, 0.0), (1, 0.05)]])
def test_a_steady_motion_and_a_short_one_are_no_leap(scene, keys):
    ob = sheet()
    hold(ob, *keys)
    group = gathered()
    assert group.bodies[0].velocities.any()
    assert group.notes == []


def test_a_body_on_an_armature_starts_with_the_velocity_of_its_bone(scene):
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    ob = sheet()
    ob.vertex_groups.new(name="Bone").add(range(25), 1.0, "REPLACE")
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    bone = rig.pose.bones["Bone"]
    for frame, height in ((-5, 0.0), (7, 6.0)):
        bone.location.y = height  # the bone points up
        bone.keyframe_insert("location", index=1, frame=frame)
    frames(scene, 1, 5)
    velocities = gathered().bodies[0].velocities
    np.testing.assert_allclose(velocities[:, :2], 0.0, atol=1e-4)
    before, start = (shown(ob, frame)[:, 2] for frame in (0, 1))
    np.testing.assert_allclose(velocities[:, 2], 24.0 * (start - before), rtol=1e-3)
    assert velocities[0, 2] > 12.0


def test_animation_that_goes_on_without_pins_is_named(scene):
    weightless(scene)

    def notes():
        return [note for note in gathered().notes if "has no pins" in note]

    ob = sheet()
    slide(ob, 0, -10, 1, 1.1)
    assert not notes()  # thrown, as it should be
    key_linear(ob, "location", 0, (1, 0.0), (5, 1.0))
    assert notes() == [message("animation.no_pins", name="Sheet")]
    pin(ob, [0])
    assert not notes()


def test_what_is_attached_or_led_by_what_keeps_still_is_not_named_for_its_animation(scene):
    weightless(scene)
    ob, hook = sheet(), empty_object("Hook")
    ob.parent = hook
    hook.constraints.new("COPY_LOCATION")
    ob.constraints.new("COPY_LOCATION")
    assert not gathered().notes
    slide(hook, 0, 1, 9, 1.0)
    hook.constraints.clear()
    assert len(gathered().notes) == 1
    item = ob.vbd.attachments.add()
    item.name, item.target, item.distance = "Tie", hook, 3.0
    assert not gathered().notes
