# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins that hold along some axes of the world only."""

import numpy as np
import pytest
from blender_scenes import baked, frames, mesh_object, pin, sheet, shown, slide
from shapes import block


@pytest.mark.parametrize("soft_pins", [True, False])
def test_what_is_locked_to_a_plane_falls_in_it(scene, soft_pins):
    ob = sheet()
    ob.vbd.drag, ob.vbd.soft_pins = 0.0, soft_pins
    ob.rotation_euler.x = np.radians(60.0)
    pin(ob, range(25))
    ob.vbd.pin_axes = (True, True, False)
    frames(scene, 1, 13)
    baked()
    way = shown(ob, 13) - shown(ob, 1)
    assert np.abs(way[:, :2]).max() < 1e-3
    np.testing.assert_allclose(way[:, 2], -9.81 * 0.5**2 / 2, rtol=0.05)


def test_one_axis_holds_and_the_others_are_free(scene):
    ob = sheet()
    pin(ob, range(25))
    ob.vbd.pin_axes = (False, False, True)
    scene.gravity = (3.0, 0.0, -9.81)
    ob.vbd.drag = 0.0
    frames(scene, 1, 13)
    baked()
    way = shown(ob, 13) - shown(ob, 1)
    assert np.abs(way[:, 1:]).max() < 2e-3
    np.testing.assert_allclose(way[:, 0], 3.0 * 0.5**2 / 2, rtol=0.05)


def test_a_locked_axis_follows_the_animation(scene):
    ob = sheet()
    ob.vbd.drag = 0.0
    pin(ob, range(25))
    ob.vbd.pin_axes = (True, False, False)
    slide(ob, 0, 1, 13, 1.2)
    frames(scene, 1, 13)
    baked()
    way = shown(ob, 13) - shown(ob, 1)
    np.testing.assert_allclose(way[:, 0], 1.2, atol=5e-3)
    assert way[:, 2].max() < -1.0


def test_a_soft_body_on_rails(scene):
    points, faces = block([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    ob = mesh_object("Box", points, faces=faces, role="SOFT")
    ob.vbd.resolution, ob.vbd.keep_coarse = 2, True
    pin(ob, np.flatnonzero(points[:, 2] == points[:, 2].max()))
    ob.vbd.pin_axes = (False, True, True)
    scene.gravity = (3.0, 3.0, -9.81)
    frames(scene, 1, 13)
    baked()
    way = (shown(ob, 13) - shown(ob, 1))[points[:, 2] == points[:, 2].max()]
    assert np.abs(way[:, 1:]).max() < 5e-3
    np.testing.assert_allclose(way[:, 0].mean(), 3.0 * 0.5**2 / 2, rtol=0.05)


def test_pins_without_an_axis_are_refused(scene):
    ob = sheet()
    pin(ob, [0])
    ob.vbd.pin_axes = (False, False, False)
    with pytest.raises(ValueError, match="Sheet: its pins hold along no axis; switch on X, Y or Z"):
        baked()
