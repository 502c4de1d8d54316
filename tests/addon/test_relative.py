# SPDX-License-Identifier: GPL-3.0-or-later
"""Absolute keys become relative ones with equal motion, and are exported through glTF and FBX."""

import addon_utils
import bpy
import numpy as np
import pytest
from blender_scenes import sheet, shown

from vbd.addon.playing import key_curves, playback
from vbd.addon.playing.baked import mark, warnings

COUNT = 12
START = 3


@pytest.fixture
def ob(scene):
    """A baked sheet that waves, away from the origin."""
    ob = sheet()
    ob.location, ob.rotation_euler = (0.5, -0.25, 1.0), (0.1, 0.2, 0.3)
    bake(ob)
    scene.frame_start, scene.frame_end = START, START + COUNT - 1
    return ob


def wave(ob):
    points = np.empty((len(ob.data.vertices), 3), np.float32)
    ob.data.vertices.foreach_get("co", points.ravel())
    for index in range(COUNT):
        lift = 0.3 * np.sin(4.0 * points[:, 0] + 0.7 * index) + 0.01 * index**2
        yield points + np.outer(lift, [0.2, 0.1, 1.0]).astype(np.float32)


def bake(ob, start=START, pace=1.0):
    playback.write(ob, wave(ob), start, [], pace)
    mark(ob, bpy.context.scene, "id")


def motion(ob, frames=range(START - 2, START + COUNT + 2)):
    return np.array([shown(ob, frame, part) for frame in frames for part in (0.0, 0.25)])


def test_the_motion_is_the_same(ob, scene):
    before = motion(ob)
    assert bpy.ops.vbd.convert_to_relative() == {"FINISHED"}
    assert ob.data.shape_keys.use_relative
    np.testing.assert_allclose(motion(ob), before, atol=1e-6)


def test_it_is_freed_as_any_bake(ob, scene):
    seen = shown(ob, START)
    playback.free(ob)
    plain = shown(ob, START)
    bake(ob)
    bpy.ops.vbd.convert_to_relative()
    np.testing.assert_allclose(shown(ob, START), seen, atol=1e-6)
    bpy.ops.vbd.free_bake()
    np.testing.assert_array_equal(shown(ob, START), plain)
    assert ob.data.shape_keys is None and not bpy.data.actions


def test_it_can_be_baked_anew(ob, scene):
    before = motion(ob)
    bpy.ops.vbd.convert_to_relative()
    bake(ob)
    assert not ob.data.shape_keys.use_relative
    np.testing.assert_array_equal(motion(ob), before)


def test_a_bake_of_version_0_1_with_a_key_per_frame_is_converted(ob, scene):
    before = motion(ob)
    curve = key_curves.curves_of_block(ob.data.shape_keys)[2][0]
    blocks = ob.data.shape_keys.key_blocks
    curve.keyframe_points.clear()
    key_curves.add_linear_keys(
        curve, np.arange(START, START + COUNT), [block.frame for block in blocks[1:]]
    )
    bpy.ops.vbd.convert_to_relative()
    np.testing.assert_allclose(motion(ob), before, atol=1e-6)


def test_a_bake_that_was_stretched_in_time_stays_so(ob, scene):
    curve = key_curves.curves_of_block(ob.data.shape_keys)[2][0]
    curve.keyframe_points[1].co.x += COUNT - 1  # half as fast
    curve.update()
    frames = range(START - 1, START + 2 * COUNT)
    before = motion(ob, frames)
    bpy.ops.vbd.convert_to_relative()
    np.testing.assert_allclose(motion(ob, frames), before, atol=2e-6)


def test_time_remapping_is_kept(ob, scene):
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 200
    bake(ob, pace=0.5)
    before = motion(ob)
    bpy.ops.vbd.convert_to_relative()
    np.testing.assert_allclose(motion(ob), before, atol=1e-6)


def turn_back(curve):
    curve.keyframe_points[1].co.y = 0.5


def bend(curve):
    curve.keyframe_points[0].interpolation = "SINE"


def trim(curve):
    curve.keyframe_points[1].co.y -= 3.0


def push_down(curve):
    """Move the curve into a strip of the NLA."""
    data = bpy.data.objects["Sheet"].data.shape_keys.animation_data
    data.nla_tracks.new().strips.new("Bake", START, curve.id_data)
    data.action = None


@pytest.mark.parametrize("edit", [turn_back, bend, trim, push_down])
def test_a_curve_that_was_edited_otherwise_is_refused(ob, scene, edit):
    edit(key_curves.curves_of_block(ob.data.shape_keys)[2][0])
    before = motion(ob)
    with pytest.raises(RuntimeError, match="Sheet: the Evaluation Time curve of its bake is"):
        bpy.ops.vbd.convert_to_relative()
    np.testing.assert_array_equal(motion(ob), before)


def test_converting_a_copy_leaves_the_motion_of_the_other(ob, scene):
    twin = ob.copy()
    twin.data = ob.data.copy()
    scene.collection.objects.link(twin)
    before = motion(ob)
    twin.select_set(True)
    bpy.ops.vbd.convert_to_relative()
    assert playback.is_absolute(ob)
    np.testing.assert_array_equal(motion(ob), before)
    np.testing.assert_allclose(motion(twin), before, atol=1e-6)


def test_a_bake_whose_keys_were_deleted_is_not_converted(ob, scene):
    ob.shape_key_clear()
    with pytest.raises(RuntimeError, match="Nothing to prepare for glTF"):
        bpy.ops.vbd.convert_to_relative()
    assert warnings(scene)[0] == "Sheet is baked and was edited"


def test_the_selected_objects_are_converted_or_else_all(ob, scene):
    other = sheet("Other")
    bake(other)
    for item in (ob, other):
        item.select_set(item == other)
    bpy.ops.vbd.convert_to_relative()
    assert playback.is_absolute(ob) and not playback.is_absolute(other)
    bpy.ops.vbd.convert_to_relative()  # the selected one is done already
    assert not playback.is_absolute(ob)
    with pytest.raises(RuntimeError, match="Nothing to prepare for glTF"):
        bpy.ops.vbd.convert_to_relative()


def through_gltf(path):
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.export_scene.gltf(filepath=path + ".glb")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path + ".glb")


def through_fbx(path):
    """Export and import by FBX, as in the guide; on import, FBX is one frame later by default."""
    addon_utils.enable("io_scene_fbx")
    bpy.ops.export_scene.fbx(
        filepath=path + ".fbx", bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False
    )
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_scene.fbx(filepath=path + ".fbx", anim_offset=0.0)


def farthest(points, others):
    """Largest distance of `points` to the nearest of `others`; formats sort and split vertices."""
    return np.linalg.norm(points[:, None] - others[None], axis=2).min(axis=1).max()


@pytest.mark.parametrize("through", [through_gltf, through_fbx])
def test_a_converted_bake_moves_in_other_programs(ob, scene, tmp_path, through):
    before = {frame: shown(ob, frame) for frame in range(START, START + COUNT)}
    bpy.ops.vbd.convert_to_relative()
    through(str(tmp_path / "sheet"))
    (again,) = (ob for ob in bpy.data.objects if ob.type == "MESH")
    for frame, points in before.items():
        assert farthest(points, shown(again, frame)) < 1e-5
        assert farthest(shown(again, frame), points) < 1e-5
