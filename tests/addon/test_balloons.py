# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed cloth under pressure, from the panel to the bake."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, sheet, shown


@pytest.fixture
def balloon(scene):
    """A weightless ball of thin rubber in a fresh file."""
    scene.use_gravity = False
    frames(scene, 1, 9)
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.2)
    ob = bpy.context.object
    ob.vbd.role = "CLOTH"
    ob.vbd.drag, ob.vbd.density = 0.0, 0.2
    return ob


def radii(ob, frame):
    """The mean distance of the vertices from their middle [m]."""
    points = shown(ob, frame)
    return np.linalg.norm(points - points.mean(axis=0), axis=1).mean()


def test_pressure_blows_a_ball_up_and_sucks_it_empty(balloon):
    balloon.vbd.self_contact = True
    for pressure, grows in ((200.0, True), (-20.0, False)):
        balloon.vbd.pressure = pressure
        assert bpy.ops.vbd.bake() == {"FINISHED"}
        growth = radii(balloon, 9) / radii(balloon, 1)
        assert growth > 1.05 if grows else growth < 0.99


def test_a_mirrored_ball_is_blown_up_too(balloon):
    balloon.scale.x = -1.0
    balloon.vbd.pressure = 200.0
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    assert radii(balloon, 9) > 1.05 * radii(balloon, 1)


def test_the_air_of_a_shrinking_ball_keeps_it_as_large_as_it_is(balloon):
    balloon.vbd.shrink = 0.2
    for keeps in (True, False):
        balloon.vbd.keep_volume = keeps
        assert bpy.ops.vbd.bake() == {"FINISHED"}
        assert (radii(balloon, 9) > 0.98 * radii(balloon, 1)) == keeps


def test_a_ball_with_a_hole_is_refused_by_name(balloon):
    balloon.vbd.pressure = 200.0
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    balloon.data.polygons[0].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.delete(type="ONLY_FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(RuntimeError, match="Icosphere: pressure needs a closed mesh, and 3 edges"):
        bpy.ops.vbd.bake()


def test_keyed_pressure_blows_a_ball_up_when_it_is_due(balloon):
    for frame, pressure in ((1, 0.0), (5, 0.0), (7, 200.0)):
        balloon.vbd.pressure = pressure
        balloon.keyframe_insert("vbd.pressure", frame=frame)
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    assert radii(balloon, 5) == pytest.approx(radii(balloon, 1), rel=1e-3)
    assert radii(balloon, 9) > 1.02 * radii(balloon, 1)


def test_an_open_mesh_with_keyed_pressure_is_refused(scene):
    ob = sheet()
    ob.vbd.keyframe_insert("pressure", frame=1)
    with pytest.raises(RuntimeError, match="Sheet: pressure needs a closed mesh"):
        bpy.ops.vbd.bake()
