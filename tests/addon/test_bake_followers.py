# SPDX-License-Identifier: GPL-3.0-or-later
"""In a bake pins follow what is animated, colliders push, and modifiers keep their place."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    empty_object,
    fall,
    frames,
    pin,
    sheet,
    shown,
    slab,
    slide,
    tet_block,
)
from short_bakes import baked, close, short_scene


@pytest.fixture
def scene(scene):
    return short_scene(scene)


def test_a_vertex_pinned_by_less_than_half_is_free_where_no_pins_are_soft(scene):
    ob = sheet()
    ob.vbd.soft_pins = False
    pin(ob, range(len(ob.data.vertices)), weight=0.49)
    start = shown(ob)
    baked()
    assert (shown(ob, 6)[:, 2] < start[:, 2] - 0.1).all()


def test_pins_follow_the_object(scene):
    ob = sheet()
    pin(ob, [0, 4])
    slide(ob, 0, 1, 6, 1.0)
    start = shown(ob, 1)
    baked()
    for frame in (1, 3, 6):
        moved = start[[0, 4]] + [(frame - 1) / 5, 0, 0]
        close(shown(ob, frame)[[0, 4]], moved, 1e-5)
    assert shown(ob, 6)[-1, 2] < -0.05  # the rest is free


def test_pins_follow_an_armature_and_its_modifier_is_off_while_baked(scene):
    ob = sheet()
    pin(ob, [0, 4])
    hook = empty_object("Hand")
    slide(hook, 2, 1, 6, 0.5)
    modifier = ob.modifiers.new("Hook", "HOOK")
    modifier.object, modifier.vertex_group = hook, "Pins"
    scene.frame_set(1)
    targets = {frame: shown(ob, frame)[[0, 4]] for frame in (1, 3, 6)}
    assert targets[6][0, 2] == pytest.approx(0.5)
    baked()
    assert not modifier.show_viewport and not modifier.show_render
    for frame, points in targets.items():
        close(shown(ob, frame)[[0, 4]], points, 1e-5)
    bpy.ops.vbd.free_bake()
    assert modifier.show_viewport and modifier.show_render


def pull_apart(ob):
    """Each side of a cube follows a hook of its own."""
    for side in (-1.0, 1.0):
        hand = empty_object("Hand")
        slide(hand, 0, 1, 6, 0.5 * side)
        modifier = ob.modifiers.new("Hook", "HOOK")
        modifier.object = hand
        modifier.vertex_indices_set([v.index for v in ob.data.vertices if v.co.x * side > 0.0])


def grow(ob):
    for frame, size in ((1, 1.0), (6, 1.5)):
        ob.scale = (size, size, size)
        ob.keyframe_insert("scale", frame=frame)


@pytest.mark.parametrize("animate", [pull_apart, grow])
def test_pins_of_a_lattice_body_follow_though_they_do_not_move_rigidly(scene, animate):
    bpy.ops.mesh.primitive_cube_add()
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution, ob.vbd.keep_coarse = "SOFT", 4, True
    pin(ob, range(8))
    scene.gravity = (0, 0, 0)
    animate(ob)
    expected = {frame: shown(ob, frame) for frame in (1, 4, 6)}
    assert np.ptp(expected[6][:, 0]) == pytest.approx(3.0)
    baked()
    for frame, points in expected.items():
        close(shown(ob, frame), points, 0.005)


def test_an_animated_collider_pushes(scene):
    block = tet_block()
    scene.gravity = (0, 0, 0)
    scene.vbd.substeps, scene.vbd.iterations = 8, 20
    frames(scene, 1, 10)
    hand = slab(height=0.0)
    slide(hand, 2, 1, 10, 0.5)
    block.location.z = 0.1
    assert baked().frames == 9
    assert shown(block, 10)[:, 2].min() > 0.4


def test_a_body_rests_on_a_static_collider(scene):
    block = tet_block()
    block.location.z = 0.05
    slab()
    scene.vbd.substeps, scene.vbd.iterations = 4, 20
    frames(scene, 1, 12)
    baked()
    assert -0.02 < shown(block, 12)[:, 2].min() < 0.05


def test_keys_are_in_the_space_of_a_sheared_and_mirrored_parent(scene):
    parent = empty_object("Parent")
    parent.scale, parent.rotation_euler = (-2.0, 1.0, 0.5), (0.3, 0.2, 0.1)
    block = tet_block()
    block.parent, block.rotation_euler, block.location = parent, (0.0, 0.7, 0.4), (0, 0, 3)
    start = shown(block, 1)
    assert baked().frames == 5
    close(shown(block, 6), start - [0, 0, fall(scene, 5)], 1e-4)


def test_a_moving_object_without_pins_falls_straight(scene):
    block = tet_block()
    slide(block, 0, 1, 6, 2.0)
    start = shown(block, 1)
    baked()
    close(shown(block, 6), start - [0, 0, fall(scene, 5)], 1e-5)


def test_subdivision_stays_behind_the_keys(scene):
    ob = sheet()
    modifier = ob.modifiers.new("Subdivision", "SUBSURF")
    count = len(shown(ob))
    baked()
    assert modifier.show_viewport
    assert len(shown(ob, 6)) == count
    assert len(ob.data.shape_keys.key_blocks[1].points) == len(ob.data.vertices)


def test_a_deforming_modifier_behind_subdivision_is_named(scene):
    ob = sheet()
    ob.modifiers.new("Subdivision", "SUBSURF")
    ob.modifiers.new("Bend", "SIMPLE_DEFORM")
    level, text = baked().report()
    assert level == "WARNING"
    assert "Sheet: Bend comes after Subdivision" in text
