# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights below 1 are springs, and animated weights release vertices and catch them again."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, gathered, mesh_object, pin, sheet, shown, slide
from shapes import block

GRAVITY = 9.81


def held(ob=None):
    """The body of the first object and its soft pins."""
    bodies = gathered().bodies
    return bodies[0], bodies[-1] if len(bodies) > 1 else None


def key_strength(ob, keys):
    for frame, value in keys.items():
        ob.vbd.pin_strength = value
        ob.keyframe_insert("vbd.pin_strength", frame=frame)


def test_weights_below_one_are_springs_and_one_is_a_pin(scene):
    ob = sheet()
    pin(ob, [0, 1], 1.0)
    pin(ob, [2], 0.5)
    pin(ob, [3], 0.0)
    body, soft = held()
    np.testing.assert_array_equal(body.pins.indices, [0, 1])
    np.testing.assert_array_equal(soft.vertices, [[2]])
    share = np.bincount(body.triangles.ravel())[:3]  # of the sheet of 1 m² that all three hold
    mass = ob.vbd.density * share[2] / share.sum()
    assert soft.stiffness == pytest.approx(0.5 * ob.vbd.pin_stiffness * mass)
    assert soft.damping == pytest.approx(ob.vbd.pin_damping)


def test_a_role_of_before_keeps_hard_pins(scene):
    ob = bpy.data.objects.new("Plain", bpy.data.meshes.new("Plain"))
    assert not ob.vbd.soft_pins  # the value of a file of version 0.1
    ob.vbd.role = "CLOTH"
    assert ob.vbd.soft_pins


@pytest.mark.parametrize("pinned", [range(8), range(4, 8)], ids=["all over", "top"])
def test_soft_pins_of_a_soft_body_hold_it_by_its_mass(scene, pinned):
    points, faces = block([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    ob = mesh_object("Box", points, faces=faces, role="SOFT")
    ob.vbd.resolution, ob.vbd.keep_coarse = 2, True
    pin(ob, pinned, 0.5)
    body, soft = held()
    assert body.pins is None
    mass = ob.vbd.density
    assert soft.stiffness.sum() == pytest.approx(0.5 * ob.vbd.pin_stiffness * mass, rel=1e-5)
    at = np.einsum("rk,rki->ri", soft.own_weights, body.points[soft.vertices])
    np.testing.assert_allclose(at, points[pinned], atol=1e-6)


def test_soft_pins_of_a_soft_body_beside_hard_ones_hold_their_part(scene):
    points, faces = block([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    ob = mesh_object("Box", points, faces=faces, role="SOFT")
    ob.vbd.resolution, ob.vbd.keep_coarse = 2, True
    pin(ob, [0, 7])
    pin(ob, [3, 4], 0.5)
    _body, soft = held()
    share = np.bincount(faces.ravel())  # of all triangles, which are alike
    mass = ob.vbd.density * share[[3, 4]] / share[[0, 3, 4, 7]].sum()
    np.testing.assert_allclose(soft.stiffness, 0.5 * ob.vbd.pin_stiffness * mass, rtol=1e-5)


def test_a_curtain_on_soft_pins_sags_by_gravity_over_stiffness(scene):
    ob = sheet(cells=8)
    ob.rotation_euler.x = np.pi / 2
    ob.vbd.density = 0.3
    pin(ob, range(72, 81), 0.9)
    frames(scene, 1, 25)
    baked()
    sag = shown(ob, 1)[72:, 2] - shown(ob, 25)[72:, 2]
    # Springs go by the mass of a vertex, of one triangle or three; soft cloth does not even that.
    np.testing.assert_allclose(sag, GRAVITY / 900.0, rtol=0.15)


def test_soft_pins_follow_the_animation(scene):
    ob = sheet()
    pin(ob, range(25), 0.9)
    ob.vbd.pin_stiffness = 1e5
    slide(ob, 0, 1, 13, 1.2)
    scene.use_gravity = False
    frames(scene, 1, 13)
    baked()
    moved = shown(ob, 13)[:, 0] - shown(ob, 1)[:, 0]
    np.testing.assert_allclose(moved, 1.2, atol=0.03)


def test_a_keyed_strength_lets_go_and_catches_again(scene):
    ob = sheet()
    pin(ob, range(25))
    key_strength(ob, {1: 1.0, 6: 1.0, 7: 0.0, 14: 0.0, 15: 1.0, 20: 1.0})
    frames(scene, 1, 20)
    body, _soft = held()
    assert body.pins is None
    baked()
    height = [shown(ob, frame)[:, 2].mean() for frame in range(1, 21)]
    np.testing.assert_allclose(height[:6], 0.0, atol=1e-4)
    assert height[13] < -0.3  # some 8 frames of falling
    # Back within a frame, but for the error that 20 iterations leave.
    np.testing.assert_allclose(height[15:], 0.0, atol=3e-3)


def test_weights_of_modifiers_are_followed(scene):
    ob = sheet()
    pin(ob, range(25))
    probe = mesh_object("Probe", [(0, 0, 0)])
    slide(probe, 2, 5, 6, 50.0)
    modifier = ob.modifiers.new("Near", "VERTEX_WEIGHT_PROXIMITY")
    modifier.vertex_group, modifier.target = ob.vbd.pin_group, probe
    modifier.proximity_mode, modifier.proximity_geometry = "GEOMETRY", {"VERTEX"}
    modifier.min_dist, modifier.max_dist = 10.0, 9.0  # weight 1 up to 9 m, then none
    frames(scene, 1, 12)
    baked()
    np.testing.assert_allclose(shown(ob, 5)[:, 2], 0.0, atol=1e-4)
    assert shown(ob, 12)[:, 2].mean() < -0.1
