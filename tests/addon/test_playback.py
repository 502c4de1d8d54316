# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames become shape keys, and freeing restores the mesh, bit for bit."""

import bpy
import numpy as np
import pytest
from blender_scenes import reopened, sheet, shown, slide

from vbd.addon.playing import key_curves, playback

COUNT = 5
START = 11


def motion(ob):
    """A baked motion that is independent of the mesh."""
    random = np.random.default_rng(1)
    return [random.random((len(ob.data.vertices), 3)).astype(np.float32) for _ in range(COUNT)]


def state(ob):
    """All data of an object that a bake may touch."""
    key = ob.data.shape_keys
    points = np.empty((len(ob.data.vertices), 3), np.float32)
    ob.data.vertices.foreach_get("co", points.ravel())
    result = {
        "points": points.tobytes(),
        "modifiers": [(m.name, m.show_viewport, m.show_render) for m in ob.modifiers],
        "active": ob.active_shape_key_index,
        "show_only": ob.show_only_shape_key,
        "record": ob.vbd.bake_record,
        "baked": ob.vbd.baked,
        "actions": {action.name: action.users for action in bpy.data.actions},
        "keys": len(bpy.data.shape_keys),
    }
    if key:
        result["relative"] = key.use_relative
        result["eval_time"] = key.eval_time
        result["animated"] = key.animation_data is not None
        result["action"] = key.animation_data and key.animation_data.action
        for block in key.key_blocks:
            co = np.empty((len(points), 3), np.float32)
            block.points.foreach_get("co", co.ravel())
            result[block.name] = (co.tobytes(), block.value, block.mute, block.relative_key.name)
    return result


def give_keys(ob):
    """Two keys of the user's own, one of them muted."""
    ob.shape_key_add(name="Basis", from_mix=False)
    for name, value, mute in (("Smile", 0.5, False), ("Frown", 0.25, True)):
        block = ob.shape_key_add(name=name, from_mix=False)
        block.points.foreach_set("co", motion(ob)[2 if mute else 3].ravel())
        block.value, block.mute = value, mute
    ob.active_shape_key_index = 2


def animate_keys(ob):
    block = ob.data.shape_keys.key_blocks["Smile"]
    for frame, value in ((1, 0.0), (20, 1.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)


def plain(ob):
    pass


def only_a_basis(ob):
    ob.shape_key_add(name="Basis", from_mix=False)


def animated_keys(ob):
    give_keys(ob)
    animate_keys(ob)


def absolute_keys(ob):
    give_keys(ob)
    ob.data.shape_keys.use_relative = False
    ob.data.shape_keys.eval_time = 7.25


def animated_basis(ob):
    only_a_basis(ob)
    key = ob.data.shape_keys
    key.eval_time = 3.0
    key.keyframe_insert("eval_time", frame=1)


def pinned_key(ob):
    give_keys(ob)
    ob.show_only_shape_key = True


def driven_key(ob):
    give_keys(ob)
    driver = ob.data.shape_keys.key_blocks["Smile"].driver_add("value").driver
    driver.expression = "frame / 40"


KINDS = (
    plain,
    only_a_basis,
    give_keys,
    animated_keys,
    absolute_keys,
    animated_basis,
    pinned_key,
    driven_key,
)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def ob(scene, request):
    ob = sheet()
    request.param(ob)
    scene.frame_set(START)
    return ob


def test_every_frame_is_shown_as_it_was_written(ob, scene):
    points = motion(ob)
    playback.write(ob, points, START, [])
    for index, frame in enumerate(points):
        np.testing.assert_allclose(shown(ob, START + index), frame, atol=3e-7)


def test_absolute_keys_have_no_value(scene):
    """Other software, such as an exporter, may take them for relative and must not add them up."""
    ob = sheet()
    playback.write(ob, motion(ob), START, [])
    assert {block.value for block in ob.data.shape_keys.key_blocks[1:]} == {0.0}


def test_freeing_gives_back_what_was_there(ob, scene):
    before, seen = state(ob), shown(ob)
    playback.write(ob, motion(ob), START, [])
    assert state(ob) != before
    scene.frame_set(START + 2)
    ob.active_shape_key_index = 1
    scene.frame_set(START)
    playback.free(ob)
    scene.frame_set(START)
    assert state(ob) == before
    np.testing.assert_array_equal(shown(ob), seen)


def test_a_suspended_bake_shows_the_object_without_it_and_comes_back(ob, scene):
    seen = shown(ob)
    points = motion(ob)
    playback.write(ob, points, START, [])
    shown(ob, START + 2)
    playback.suspend(ob)
    np.testing.assert_array_equal(shown(ob, START), seen)
    playback.resume(ob)
    np.testing.assert_allclose(shown(ob, START + 2), points[2], atol=3e-7)


def test_writing_twice_leaves_one_bake(ob, scene):
    before = state(ob)
    playback.write(ob, motion(ob), START, [])
    once = len(ob.data.shape_keys.key_blocks)
    playback.write(ob, motion(ob), START, [])
    assert len(ob.data.shape_keys.key_blocks) == once
    playback.free(ob)
    scene.frame_set(START)
    assert state(ob) == before


def test_the_users_keys_stay_and_are_muted(scene):
    ob = sheet()
    give_keys(ob)
    playback.write(ob, motion(ob), START, [])
    blocks = ob.data.shape_keys.key_blocks
    assert blocks["Smile"].mute and blocks["Frown"].mute
    assert ob.data.shape_keys.use_relative


def curve_of(ob):
    """The only curve of a bake."""
    (curve,) = key_curves.curves_of_block(ob.data.shape_keys)[2]
    return curve


def counting(ob, count):
    """A motion in which every frame shows its own number."""
    return [np.full((len(ob.data.vertices), 3), k, np.float32) for k in range(count)]


def test_one_straight_curve_with_two_keyframes_plays_a_bake(scene):
    ob = sheet()
    playback.write(ob, motion(ob), START, [])
    curve = curve_of(ob)
    assert curve.data_path == "eval_time"
    blocks = ob.data.shape_keys.key_blocks
    assert [tuple(point.co) for point in curve.keyframe_points] == [
        (START, blocks[1].frame),
        (START + COUNT - 1, blocks[-1].frame),
    ]


@pytest.mark.parametrize(("count", "start"), [(250, 1), (250, 1001), (2500, 100), (4200, 1)])
def test_every_frame_is_exact_however_many_there_are(scene, count, start):
    ob = sheet(cells=1)
    playback.write(ob, counting(ob, count), start, [])
    assert len(curve_of(ob).keyframe_points) == (2 if count < 4096 else 3)
    for frame in {*range(0, count, 41), *range(count - 9, count)}:
        assert shown(ob, start + frame)[0, 2] == frame
    # Between frames, the rounding of a key's place counts: 2.5e-4 of a step at 4,200 frames.
    assert shown(ob, start + count - 3, 0.5)[0, 2] == pytest.approx(count - 2.5, abs=5e-4)
    assert shown(ob, start - 20)[0, 2] == 0
    assert shown(ob, start + count + 20)[0, 2] == count - 1


@pytest.mark.parametrize(("old", "new"), [(100, 200), (100, 333), (300, 100)])
def test_time_remapping_plays_a_frame_at_its_frame(scene, old, new):
    ob, count = sheet(cells=1), 1000
    scene.render.frame_map_old, scene.render.frame_map_new = old, new
    playback.write(ob, counting(ob, count), 1, [], pace=old / new)
    for frame in range(0, count, 37):
        # Blender rounds the time of a frame, here by up to 1e-4 of a frame.
        assert shown(ob, 1 + frame)[0, 2] == pytest.approx(frame, abs=3e-4)


def test_a_basis_that_is_not_at_time_zero_stays_the_first_key(scene):
    """The curve has this form after the user has deleted the keys before it."""
    ob = sheet()
    give_keys(ob)
    ob.shape_key_remove(ob.data.shape_keys.key_blocks[0])
    ob.shape_key_remove(ob.data.shape_keys.key_blocks[0])
    assert ob.data.shape_keys.reference_key.frame > 1.0
    before, points = state(ob), motion(ob)
    playback.write(ob, points, START, [])
    for index, frame in enumerate(points):
        np.testing.assert_allclose(shown(ob, START + index), frame, atol=3e-7)
    playback.free(ob)
    assert state(ob) == before


def test_a_bake_whose_basis_was_deleted_can_be_freed_and_replaced(scene):
    """A Key without a block is removed at once, and using it then crashes."""
    for then in (playback.free, lambda ob: playback.write(ob, motion(ob), START, [])):
        ob = sheet()
        playback.write(ob, motion(ob), START, [])
        ob.shape_key_remove(ob.data.shape_keys.key_blocks["Basis"])
        then(ob)
        if playback.is_baked(ob):
            np.testing.assert_allclose(shown(ob, START + 2), motion(ob)[2], atol=3e-7)
            playback.free(ob)
        assert ob.data.shape_keys is None


def test_deforming_modifiers_are_off_while_baked_and_come_back_as_they_were(scene):
    ob = sheet()
    bend, cast = ob.modifiers.new("Bend", "SIMPLE_DEFORM"), ob.modifiers.new("Cast", "CAST")
    cast.show_render = False
    before = state(ob)
    playback.write(ob, motion(ob), START, ["Bend", "Cast"])
    assert not any(m.show_viewport or m.show_render for m in (bend, cast))
    playback.free(ob)
    assert state(ob) == before


def test_a_modifier_deleted_meanwhile_does_not_stop_freeing(scene):
    ob = sheet()
    bend = ob.modifiers.new("Bend", "SIMPLE_DEFORM")
    playback.write(ob, motion(ob), START, ["Bend"])
    ob.modifiers.remove(bend)
    playback.free(ob)
    assert ob.data.shape_keys is None


def test_keys_the_user_adds_to_a_bake_stay_when_it_is_freed(scene):
    ob = sheet()
    playback.write(ob, motion(ob), START, [])
    ob.shape_key_add(name="Later", from_mix=False)
    playback.free(ob)
    assert [block.name for block in ob.data.shape_keys.key_blocks] == ["Basis", "Later"]
    assert ob.data.shape_keys.use_relative


def test_the_objects_own_animation_is_not_touched(scene):
    ob = sheet()
    slide(ob, 0, 1, 20, 2.0)
    action = ob.animation_data.action
    playback.write(ob, motion(ob), START, [])
    playback.free(ob)
    assert ob.animation_data.action == action


def test_a_bake_survives_saving_and_loading_and_can_be_freed_then(scene, tmp_path):
    ob = sheet()
    give_keys(ob)
    scene.frame_set(START)
    seen, points = shown(ob), motion(ob)
    playback.write(ob, points, START, [])
    reopened(tmp_path / "bake.blend")
    ob = bpy.data.objects["Sheet"]
    np.testing.assert_allclose(shown(ob, START + 3), points[3], atol=3e-7)
    playback.free(ob)
    np.testing.assert_array_equal(shown(ob, START), seen)


def test_a_key_the_user_renames_while_baked_gets_its_mute_back(scene):
    ob = sheet()
    give_keys(ob)
    playback.write(ob, motion(ob), START, [])
    keys = ob.data.shape_keys.key_blocks
    keys["Smile"].name = "Grin"
    keys["Frown"].name = "Scowl"
    playback.free(ob)
    assert [(key.name, key.mute) for key in keys[1:]] == [("Grin", False), ("Scowl", True)]


def test_a_second_bake_keeps_the_key_datablock(scene):
    """A key deleted and made again in one step comes back from an undo empty, or crashes."""
    ob = sheet()
    playback.write(ob, motion(ob), START, [])
    first = ob.data.shape_keys.session_uid
    playback.write(ob, motion(ob), START, [])
    assert ob.data.shape_keys.session_uid == first
    playback.free(ob)
    assert ob.data.shape_keys is None


def test_freeing_a_copy_leaves_the_motion_of_the_other(scene):
    """`mesh.copy()` shares the action of its keys."""
    ob = sheet()
    points = motion(ob)
    playback.write(ob, points, START, [])
    twin = ob.copy()
    twin.data = ob.data.copy()
    scene.collection.objects.link(twin)
    playback.free(twin)
    np.testing.assert_allclose(shown(ob, START + 3), points[3], atol=3e-7)
    playback.free(ob)
    assert not bpy.data.actions
    assert not bpy.data.shape_keys  # Blender counts two users of copied ones
