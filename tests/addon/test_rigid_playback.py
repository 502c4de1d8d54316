# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies play as keyframes of their objects: exact in every rotation mode, and given back."""

import bpy
import numpy as np
import pytest
from blender_scenes import empty_object, mesh_object, reopened, slide
from mathutils import Matrix, Quaternion, Vector

from vbd.addon.gathering.reader import curves_of
from vbd.addon.playing import object_keys, playback
from vbd.addon.playing.baked import edits
from vbd.addon.playing.object_keys import space_of

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
FIRST, COUNT = 11, 30
# Rotations and places of single precision, some metres from the origin.
EXACT = 5e-6


@pytest.fixture
def crate(scene):
    """A box that is turned and stretched, and mirrored along one axis."""
    bpy.ops.mesh.primitive_cube_add(location=(1.0, -2.0, 3.0), rotation=(0.3, 0.2, -0.5))
    ob = bpy.context.object
    ob.vbd.role, ob.scale = "RIGID", (1.0, 0.5, -2.0)
    return ob


def worlds(ob, count=COUNT):
    """World transforms of a body that flies and tumbles about a changing axis, [frame][4, 4]."""
    start = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.copy()
    turn, found = Quaternion(), []
    for index in range(count):
        axis = Vector((1.0, np.sin(0.3 * index), 0.5))
        turn = Quaternion(axis, 0.4 if index else 0.0) @ turn
        shift = Matrix.Translation((0.1 * index, 0.0, -0.01 * index**2))
        pivot = Matrix.Translation(start.translation)
        found.append(shift @ pivot @ turn.to_matrix().to_4x4() @ pivot.inverted() @ start)
    return found


def play(ob, poses, spaces=None):
    """Bake world transforms into an object; `spaces` are those of its parent in every frame."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    spaces = spaces or [space_of(ob, depsgraph)] * len(poses)
    rows = [
        object_keys.rows_of(np.linalg.inv(space) @ np.array(pose)).astype(np.float32)
        for space, pose in zip(spaces, poses, strict=True)
    ]
    playback.write(ob, rows, FIRST, [])


def world(ob, frame):
    bpy.context.scene.frame_set(frame)
    return np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)


def assert_plays(ob, poses, exact=EXACT):
    for index, pose in enumerate(poses):
        np.testing.assert_allclose(world(ob, FIRST + index), pose, atol=exact)


@pytest.mark.parametrize("mode", MODES)
def test_every_frame_is_exact_in_every_rotation_mode(crate, mode):
    crate.rotation_mode = mode
    if mode == "QUATERNION":
        crate.rotation_quaternion = Quaternion((1.0, 2.0, 0.0), 2.0)
    poses = worlds(crate)
    play(crate, poses)
    assert_plays(crate, poses)
    assert crate.rotation_mode == mode
    paths = {curve.data_path for curve in curves_of(crate.animation_data.action)}
    assert paths == {"location", object_keys.rotation_path(crate)}


@pytest.mark.parametrize("mode", MODES)
def test_a_rotation_does_not_jump_between_two_frames(crate, mode):
    """A turn of 0.4 rad a frame: halfway between two frames it is near the middle of both."""
    crate.rotation_mode = mode
    poses = worlds(crate)
    play(crate, poses)
    scene = bpy.context.scene
    for index in range(COUNT - 1):
        scene.frame_set(FIRST + index, subframe=0.5)
        now = crate.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
        halves = [pose.to_quaternion() for pose in poses[index : index + 2]]
        middle = halves[0].slerp(halves[1], 0.5)
        angle = middle.rotation_difference(now.to_quaternion()).angle
        # Straight lines between angles near a gimbal lock leave the arc, but do not turn around.
        assert min(angle, 2.0 * np.pi - angle) < 0.2


def test_deltas_stay_and_are_taken_off(crate):
    crate.delta_location = (0.5, 0.0, 1.0)
    crate.delta_rotation_euler = (0.0, 0.7, 0.1)
    crate.delta_scale = (2.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    poses = worlds(crate)
    play(crate, poses)
    assert_plays(crate, poses)
    assert tuple(crate.delta_scale) == (2.0, 1.0, 1.0)


@pytest.mark.parametrize("kind", ["OBJECT", "BONE", "VERTEX"])
def test_keyframes_below_a_parent_are_in_its_space(crate, kind):
    """A parent that moves, turns and grows evenly while the body flies on its own way."""
    scene = bpy.context.scene
    if kind == "BONE":
        bpy.ops.object.armature_add(location=(0.0, 1.0, 0.0))
        parent = bpy.context.object
    else:
        parent = mesh_object("Cart", np.eye(3), faces=[(0, 1, 2)])
        parent.rotation_euler = (0.1, 0.0, 0.4)
    crate.parent, crate.parent_type = parent, kind
    if kind == "BONE":
        crate.parent_bone = parent.data.bones[0].name
    crate.matrix_parent_inverse = Matrix.Translation((0.3, 0.0, 0.2))
    slide(parent, 0, FIRST, FIRST + COUNT, 3.0)
    for frame, turn, size in ((FIRST, 0.0, 1.0), (FIRST + COUNT, 1.0, 1.5)):
        parent.rotation_euler.z, parent.scale = turn, (size, size, size)
        parent.keyframe_insert("rotation_euler", frame=frame)
        parent.keyframe_insert("scale", frame=frame)
    scene.frame_set(FIRST)
    poses, spaces = worlds(crate), []
    for index in range(COUNT):
        scene.frame_set(FIRST + index)
        spaces.append(space_of(crate, bpy.context.evaluated_depsgraph_get()))
    play(crate, poses, spaces)
    assert_plays(crate, poses, 10 * EXACT)  # two transforms are multiplied in single precision
    playback.free(crate)
    assert crate.animation_data is None
    np.testing.assert_allclose(world(crate, FIRST), poses[0], atol=EXACT)


def curves(ob):
    return {
        (curve.data_path, curve.array_index): [tuple(p.co) for p in curve.keyframe_points]
        for curve in curves_of(ob.animation_data.action)
    }


def test_the_animation_before_the_start_is_kept_and_all_of_it_comes_back(crate):
    slide(crate, 0, 1, FIRST + 5, 5.0)
    crate.keyframe_insert("hide_render", frame=3)
    before, action = curves(crate), crate.animation_data.action
    places = {frame: world(crate, frame) for frame in (1, 4, FIRST - 1, FIRST + 5)}
    bpy.context.scene.frame_set(FIRST)
    poses = worlds(crate)
    play(crate, poses)
    assert_plays(crate, poses)
    for frame in (1, 4, FIRST - 1):
        np.testing.assert_allclose(world(crate, frame), places[frame], atol=EXACT)
    assert crate.animation_data.action != action
    playback.suspend(crate)
    np.testing.assert_allclose(world(crate, FIRST + 5), places[FIRST + 5], atol=EXACT)
    playback.resume(crate)
    assert_plays(crate, poses)
    playback.free(crate)
    assert crate.animation_data.action == action and curves(crate) == before
    assert not [other for other in bpy.data.actions if other != action]
    assert crate.vbd.kept_action is None
    np.testing.assert_allclose(world(crate, FIRST + 5), places[FIRST + 5], atol=EXACT)


def test_curves_that_the_user_makes_after_the_bake_stay(crate):
    for own in (False, True):
        if own:
            slide(crate, 0, 1, 5, 5.0)
        play(crate, worlds(crate))
        crate.keyframe_insert("hide_render", frame=3)
        playback.free(crate)
        assert ("hide_render", 0) in curves(crate)
        assert (("location", 0) in curves(crate)) == own
        assert not any(map(object_keys.is_ours, bpy.data.actions))


def test_free_gives_back_the_place_of_what_was_not_animated(crate):
    start = world(crate, FIRST)
    channels = tuple(crate.location), tuple(crate.rotation_euler), tuple(crate.scale)
    play(crate, worlds(crate))
    world(crate, FIRST + 20)
    playback.free(crate)
    assert crate.animation_data is None and not len(bpy.data.actions)
    assert (tuple(crate.location), tuple(crate.rotation_euler), tuple(crate.scale)) == channels
    np.testing.assert_array_equal(world(crate, FIRST), start)
    assert not crate.vbd.baked and not crate.vbd.bake_record


def test_constraints_and_drivers_are_off_while_the_bake_plays(crate):
    target = empty_object(location=(9.0, 9.0, 9.0))
    constraint = crate.constraints.new("COPY_LOCATION")
    constraint.target, constraint.use_z = target, False
    muted = crate.constraints.new("COPY_ROTATION")
    muted.mute = True
    crate.driver_add("location", 2).driver.expression = "4.5"
    start = world(crate, FIRST)
    np.testing.assert_allclose(start[:3, 3], (9.0, 9.0, 4.5))
    poses = worlds(crate)
    play(crate, poses)
    assert_plays(crate, poses)
    playback.free(crate)
    assert not constraint.mute and muted.mute
    np.testing.assert_allclose(world(crate, FIRST), start, atol=EXACT)


def test_a_bake_that_was_pushed_down_is_freed_too(crate):
    slide(crate, 0, 1, 5, 5.0)
    action = crate.animation_data.action
    poses = worlds(crate)
    play(crate, poses)
    data = crate.animation_data
    track = data.nla_tracks.new()
    track.strips.new("Bake", FIRST, data.action)
    data.action = None
    assert not edits(bpy.context.scene)
    playback.free(crate)
    assert crate.animation_data.action == action
    assert not crate.animation_data.nla_tracks and list(bpy.data.actions) == [action]


def test_a_bake_survives_saving_and_can_be_freed_afterwards(crate, tmp_path):
    slide(crate, 0, 1, FIRST, 5.0)
    before, name = curves(crate), crate.name
    bpy.context.scene.frame_set(FIRST)
    poses = worlds(crate)
    play(crate, poses)
    reopened(tmp_path / "file.blend")
    crate = bpy.data.objects[name]
    assert_plays(crate, poses)
    playback.free(crate)
    assert curves(crate) == before


def test_a_copy_of_a_baked_body_is_freed_alone(crate):
    poses = worlds(crate)
    play(crate, poses)
    bpy.ops.object.select_all(action="DESELECT")
    crate.select_set(True)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != crate
    playback.free(copy)
    assert not copy.vbd.baked and not object_keys.is_ours(
        copy.animation_data and copy.animation_data.action
    )
    assert_plays(crate, poses)
    playback.free(crate)
    assert crate.animation_data is None


def test_a_bake_whose_keyframes_are_gone_is_told(crate):
    play(crate, worlds(crate))
    assert not edits(bpy.context.scene)
    crate.animation_data_clear()
    assert edits(bpy.context.scene)
    playback.free(crate)
    assert not crate.vbd.baked
