# SPDX-License-Identifier: GPL-3.0-or-later
"""View layers, frame rates of several scenes, and NLA strips."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, sheet, shown, slab, slide

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.playing.baked import warnings


def push_down(block):
    """Push the action down into a strip of an NLA track, as Push Down does."""
    data = block.animation_data
    action, data.action = data.action, None
    strip = data.nla_tracks.new().strips.new("Strip", int(action.frame_range[0]), action)
    if hasattr(strip, "action_slot") and strip.action_slot is None:
        strip.action_slot = action.slots[0]
    return strip


@pytest.fixture
def cloth(scene):
    ob = sheet()
    ob.vbd.drag = 0.0
    scene.vbd.substeps, scene.vbd.iterations = 2, 5
    frames(scene, 1, 7)
    return ob


def bake():
    return run_to_end(bake_steps(bpy.context), show=lambda _: None)


def two_layers(scene, ob):
    """The view layers of a scene, without and with a collection that an object is in alone."""
    props = bpy.data.collections.new("Props")
    scene.collection.children.link(props)
    props.objects.link(ob)
    scene.collection.objects.unlink(ob)
    first, second = scene.view_layers[0], scene.view_layers.new("Second")
    first.layer_collection.children["Props"].exclude = True
    return first, second


def test_what_the_view_layer_excludes_is_baked_in_another_one(scene, cloth):
    first, second = two_layers(scene, cloth)
    with pytest.raises(
        ValueError,
        match=f"Sheet is excluded from the view layer {first.name}; .* view layer Second",
    ):
        bake()
    with bpy.context.temp_override(view_layer=second):
        assert bake().frames == 6
    first.layer_collection.children["Props"].exclude = False
    assert shown(cloth, 7)[:, 2].max() < -0.2


def test_a_field_that_the_view_layer_excludes_does_not_act(scene, cloth):
    scene.use_gravity = False
    bpy.ops.object.effector_add(type="FORCE")
    push = bpy.context.object
    push.field.shape, push.location.z = "PLANE", -1.0
    push.field.strength = 10.0
    two_layers(scene, push)
    bake()
    assert np.abs(shown(cloth, 7) - shown(cloth, 1)).max() < 1e-6


def test_a_collider_and_gravity_move_by_strips(scene, cloth):
    floor = slab(height=-0.05)
    slide(floor, 2, 1, 7, 0.3)
    push_down(floor)
    scene.gravity = (0.0, 0.0, -1.0)
    for frame, pull in ((1, 0.0), (7, 0.0)):
        scene.gravity[2] = pull
        scene.keyframe_insert("gravity", index=2, frame=frame)
    push_down(scene)
    scene.gravity[2] = -9.81
    bake()
    # Gravity is keyed to zero: nothing falls, and the floor lifts it.
    assert 0.2 < shown(cloth, 7)[:, 2].mean() < 0.4


def test_pins_and_pressure_are_read_from_strips(scene, cloth):
    cloth.vertex_groups.new(name="Pins").add(range(25), 1.0, "REPLACE")
    cloth.vbd.pin_group = "Pins"
    for frame, strength in ((1, 1.0), (2, 0.0)):
        cloth.vbd.pin_strength = strength
        cloth.keyframe_insert("vbd.pin_strength", frame=frame)
    push_down(cloth)
    bake()
    assert shown(cloth, 7)[:, 2].max() < -0.05


@pytest.mark.parametrize("own_keys", [False, True])
def test_a_bake_that_was_pushed_down_plays_and_is_freed_without_a_trace(scene, cloth, own_keys):
    if own_keys:
        cloth.shape_key_add(name="Basis")
        cloth.shape_key_add(name="High")
    before, actions = shown(cloth, 7), len(bpy.data.actions)
    bake()
    played = shown(cloth, 7)
    push_down(cloth.data.shape_keys)
    np.testing.assert_array_equal(shown(cloth, 7), played)
    assert bpy.ops.vbd.bake(mode="NEW") == {"FINISHED"}
    np.testing.assert_array_equal(shown(cloth, 7), played)
    push_down(cloth.data.shape_keys)
    assert bpy.ops.vbd.free_bake() == {"FINISHED"}
    np.testing.assert_array_equal(shown(cloth, 7), before)
    assert len(bpy.data.actions) == actions
    key = cloth.data.shape_keys
    assert (key is not None and key.animation_data is None) if own_keys else key is None


def test_a_scene_of_another_rate_says_so(scene, cloth):
    bake()
    assert warnings(scene) == []
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(cloth)
    other.render.fps = 30
    assert warnings(other) == ["Sheet was baked at 24 frames per second, not 30"]
    assert bpy.ops.vbd.free_bake() == {"FINISHED"}
    assert warnings(other) == []
