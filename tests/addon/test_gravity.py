# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated gravity is read in every frame, wherever the playhead stands."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, sheet, shown, slab

from vbd.addon.gathering.reader import curves_of


def key_gravity(scene, *keys):
    """Keyframes (frame, pull along z) without anything between them."""
    for frame, pull in keys:
        scene.gravity = (0.0, 0.0, pull)
        scene.keyframe_insert("gravity", index=2, frame=frame)
    for curve in curves_of(scene.animation_data.action):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"


def baked_height(scene, ob, frame, playhead):
    scene.frame_set(playhead)
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    assert scene.frame_current == playhead
    return shown(ob, frame)[:, 2].mean()


def test_a_bake_does_not_depend_on_the_playhead(scene):
    ob = sheet()
    frames(scene, 1, 13)
    key_gravity(scene, (1, -9.81), (7, 9.81))
    first, second = (baked_height(scene, ob, 13, playhead) for playhead in (12, 1))
    assert first == pytest.approx(second, abs=1e-6)


def motion(scene, pulls):
    """Heights [frame] of a free body from rest, given the gravity in the first and every other
    frame: implicit Euler, with gravity linear between frames."""
    count = scene.vbd.substeps
    h = scene.render.fps_base / scene.render.fps / count
    frame = np.arange(len(pulls))
    at_steps = np.interp(np.arange(1, frame[-1] * count + 1) / count, frame, pulls)
    return np.cumsum(h * np.cumsum(h * at_steps))[count - 1 :: count]


def check_motion(scene, pulls, playhead):
    """Assert that a sheet baked from frame 1 on follows the gravity of every frame."""
    ob = sheet()
    frames(scene, 1, len(pulls))
    expected = motion(scene, pulls)
    assert baked_height(scene, ob, 2, playhead) == pytest.approx(expected[0], abs=1e-4)
    got = [shown(ob, frame)[:, 2].mean() for frame in range(2, len(pulls) + 1)]
    np.testing.assert_allclose(got, expected, atol=1e-4)


def test_gravity_keyed_to_flip_flips_the_fall(scene):
    key_gravity(scene, (1, -9.81), (5, 9.81))
    check_motion(scene, [-9.81] * 4 + [9.81] * 16, playhead=20)


def test_gravity_that_is_switched_on_lets_go(scene):
    for frame, on in ((1, False), (7, True)):
        scene.use_gravity = on
        scene.keyframe_insert("use_gravity", frame=frame)
    check_motion(scene, [0.0] * 6 + [-9.81] * 7, playhead=10)


def test_driven_gravity_is_read_in_every_frame(scene):
    scene.driver_add("gravity", 2).driver.expression = "-frame"
    check_motion(scene, [float(-frame) for frame in range(1, 10)], playhead=9)


def test_a_handler_may_change_gravity(scene):
    ob = sheet()
    frames(scene, 1, 9)

    def pull(scene, _depsgraph):
        scene.gravity = (0.0, 0.0, 9.81 if scene.frame_current > 1 else -9.81)

    bpy.app.handlers.frame_change_post.append(pull)
    try:
        assert baked_height(scene, ob, 9, playhead=5) > 0.3
    finally:
        bpy.app.handlers.frame_change_post.remove(pull)


def test_keyed_gravity_and_a_moving_collider_go_together(scene):
    ob = sheet()
    ob.location.z = 0.3
    floor = slab()
    for frame, height in ((1, 0.0), (13, -0.1)):
        floor.location.z = height
        floor.keyframe_insert("location", index=2, frame=frame)
    frames(scene, 1, 25)
    key_gravity(scene, (1, -9.81), (17, 20.0))
    landed = baked_height(scene, ob, 16, playhead=1)
    assert -0.1 < landed < 0.0
    assert shown(ob, 25)[:, 2].mean() > 0.3
