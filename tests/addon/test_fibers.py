# SPDX-License-Identifier: GPL-3.0-or-later
"""Muscle fibers, from the panel to the bake."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import baked, empty_object, frames, gathered, shown, straighten, tet_block
from panel_layout import Layout

from vbd.addon.panels.fibers import VBD_PT_fibers
from vbd.solver.messages import message


@pytest.fixture
def bar(scene):
    """A bar of 4 by 1 by 1 dm along x, in 8 by 2 by 2 cells."""
    bpy.ops.mesh.primitive_cube_add(size=0.1, location=(0.2, 0.05, 0.05))
    ob = bpy.context.object
    ob.name, ob.scale.x = "Bar", 4.0
    bpy.ops.object.transform_apply(scale=True)
    bpy.ops.vbd.add(role="SOFT")
    ob.vbd.resolution, ob.vbd.youngs_modulus = 8, 6e4
    frames(scene, 1, 4)
    return ob


def curve(points, kind="POLY"):
    data = bpy.data.curves.new("Line", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(points) - 1)
        for point, place in zip(spline.bezier_points, points, strict=True):
            point.co = place
            point.handle_left_type = point.handle_right_type = "AUTO"
    else:
        spline.points.add(len(points) - 1)
        for point, place in zip(spline.points, points, strict=True):
            point.co = (*place, 1.0)
    ob = bpy.data.objects.new("Line", data)
    bpy.context.collection.objects.link(ob)
    return ob


def armature(**bones):
    """An armature with bones from a head to a tail."""
    data = bpy.data.armatures.new("Rig")
    ob = bpy.data.objects.new("Rig", data)
    bpy.context.collection.objects.link(ob)
    active = bpy.context.view_layer.objects.active
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail) in bones.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = active
    return ob


def directions():
    """Middles of elements and their fibers."""
    (body,) = gathered().simulated()
    return body.points[body.elements].mean(axis=1), body.fibers


def test_without_an_object_there_are_none(bar):
    assert directions()[1] is None


def test_fibers_run_along_the_z_axis_of_an_empty(bar):
    bar.vbd.fibers_along = empty_object("Axis")
    bar.vbd.fibers_along.rotation_euler.y = 0.5 * np.pi
    bar.vbd.fibers_along.scale = (1.0, 1.0, 7.0)
    np.testing.assert_allclose(directions()[1], np.tile([1.0, 0.0, 0.0], (32, 1)), atol=1e-6)


def test_fibers_follow_the_nearest_part_of_a_curve(bar):
    bar.vbd.fibers_along = curve([(0.0, 0.0, 0.0), (0.2, 0.0, 0.0), (0.4, 0.2, 0.0)])
    middles, fibers = directions()
    left = middles[:, 0] < 0.15
    np.testing.assert_allclose(fibers[left], np.tile([1.0, 0.0, 0.0], (left.sum(), 1)), atol=1e-6)
    right = middles[:, 0] > 0.3
    diagonal = np.sqrt([[0.5, 0.5, 0.0]])
    np.testing.assert_allclose(fibers[right], np.repeat(diagonal, right.sum(), axis=0), atol=1e-6)


def test_fibers_bend_with_a_bezier_spline_in_the_unit_of_the_scene(bar, scene):
    scene.unit_settings.scale_length = 0.1
    places = [(0.2 - 0.2 * np.cos(a), 0.2 * np.sin(a), 0.0) for a in np.linspace(0.0, np.pi, 9)]
    bar.vbd.fibers_along = curve(places, "BEZIER")
    middles, fibers = directions()
    radius = middles[:, :2] - [0.02, 0.0]
    size = np.linalg.norm(radius, axis=1)
    across = (radius * fibers[:, :2]).sum(axis=1) / size
    # Edges of 7.5° each; Blender's automatic handles at the ends point to the next point, by 11°.
    assert np.abs(across[size > 0.01]).max() < np.sin(np.radians(15.0))


def test_fibers_run_along_the_nearest_bone_or_the_one_that_is_named(bar):
    rig = armature(upper=((0, 0, 0), (0.2, 0, 0)), lower=((0.2, 0, 0), (0.2, 0, 0.5)))
    bar.vbd.fibers_along = rig
    middles, fibers = directions()
    near = middles[:, 0] < 0.1
    np.testing.assert_allclose(fibers[near], np.tile([1.0, 0.0, 0.0], (near.sum(), 1)), atol=1e-6)
    bar.vbd.fiber_bone = "lower"
    np.testing.assert_allclose(directions()[1], np.tile([0.0, 0.0, 1.0], (32, 1)), atol=1e-6)
    pose = rig.pose.bones["lower"]
    pose.rotation_mode = "XYZ"
    pose.rotation_euler.x = 0.5 * np.pi
    fibers = directions()[1]
    assert np.abs(fibers[:, 2]).max() < 1e-5  # as posed


def test_own_tets_have_fibers_too(scene):
    ob = tet_block()
    ob.vbd.fibers_along = empty_object("Axis")
    frames(scene, 1, 2)
    (body,) = gathered().simulated()
    np.testing.assert_allclose(body.fibers, np.tile([0.0, 0.0, 1.0], (len(body.tets), 1)))


def test_what_cannot_give_a_direction_is_refused_by_name(bar):
    bar.vbd.fibers_along = empty_object("Axis")
    bar.vbd.fibers_along.hide_viewport = True
    with pytest.raises(ValueError, match=r"Bar: its fibers run along Axis, which is hidden"):
        gathered()
    bar.vbd.fibers_along = curve([(0.1, 0.1, 0.1), (0.1, 0.1, 0.1)])
    with pytest.raises(ValueError, match=r"Bar: its fibers run along Line, which has no length"):
        gathered()
    bar.vbd.fibers_along = armature(upper=((0, 0, 0), (0.2, 0, 0)))
    bar.vbd.fiber_bone = "lower"
    with pytest.raises(ValueError, match="along the bone lower, which Rig does not have"):
        gathered()


def test_a_keyed_activation_shortens_the_bar_and_lets_it_go(bar, scene):
    bar.vbd.fibers_along = empty_object("Axis")
    bar.vbd.fibers_along.rotation_euler.y = 0.5 * np.pi
    group = bar.vertex_groups.new(name="Held")
    group.add([int(v.index) for v in bar.data.vertices if v.co.x < 0.01], 1.0, "ADD")
    bar.vbd.pin_group = "Held"
    for frame, value in ((1, 0.0), (2, 0.3), (3, 0.3), (4, 0.0)):
        bar.vbd.activation = value
        bar.keyframe_insert("vbd.activation", frame=frame)
    straighten(bar)
    scene.vbd.quasistatic, scene.use_gravity = True, False
    baked()
    lengths = [np.ptp(shown(bar, frame)[:, 0]) for frame in (2, 3, 4)]
    assert lengths[0] < 0.75 * 0.4
    assert lengths[1] == pytest.approx(lengths[0], rel=0.01)
    assert lengths[2] == pytest.approx(0.4, rel=0.01)


def test_active_stress_may_be_painted(bar):
    bar.vbd.fibers_along = empty_object("Axis")
    group = bar.vertex_groups.new(name="Belly")
    group.add([int(v.index) for v in bar.data.vertices if v.co.x > 0.39], 1.0, "ADD")
    bpy.ops.vbd.add_painted()
    item = bar.vbd.painted[0]
    item.what, item.vertex_group, item.value = "active_stress", "Belly", 0.0
    (body,) = gathered().simulated()
    x = body.points[body.elements].mean(axis=1)[:, 0]
    # Corners of the lattice outside of the bar have the values of its surface.
    np.testing.assert_allclose(body.material.active_stress, 3e5 * x / 0.4, atol=0.02 * 3e5)


def test_an_activation_without_fibers_is_told(bar):
    assert message("note.no_fibers", name="Bar") not in gathered_notes()
    bar.vbd.activation = 0.5
    assert message("note.no_fibers", name="Bar") in gathered_notes()
    bar.vbd.fibers_along = empty_object("Axis")
    assert message("note.no_fibers", name="Bar") not in gathered_notes()


def gathered_notes():
    from vbd.addon.gathering import gather

    scene = bpy.context.scene
    with gather.prepared(scene, gather.participants(scene)) as notes:
        return notes


def test_the_panel_shows_a_bone_for_an_armature_alone(bar):
    layout = Layout()
    VBD_PT_fibers.draw(SimpleNamespace(layout=layout), bpy.context)
    assert "fiber_bone" not in layout.shown
    assert {"fiber_stiffness_kpa", "active_stress_kpa", "activation"} <= layout.grey
    bar.vbd.fibers_along = armature(upper=((0, 0, 0), (0.2, 0, 0)))
    layout = Layout()
    VBD_PT_fibers.draw(SimpleNamespace(layout=layout), bpy.context)
    assert "fiber_bone" in layout.shown
    assert not layout.grey
