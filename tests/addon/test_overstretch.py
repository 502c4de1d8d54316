# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that contact holds stretched is reported, with smaller steps; one that its load or its
pins stretch is not.
"""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    baked,
    empty_object,
    frames,
    mesh_object,
    pin,
    sheet,
    shown,
    slide,
    straighten,
)

COUNT = 16


def rope(name, points, modulus):
    """A rope along points, with the material of the preset but for its modulus [Pa]."""
    ob = mesh_object(name, points, edges=[(k, k + 1) for k in range(COUNT)])
    with bpy.context.temp_override(object=ob, selected_objects=[ob]):
        bpy.ops.vbd.add(role="ROD")
    ob.vbd.youngs_modulus = modulus
    return ob


def caught_rod(scene, modulus):
    """A rod whose pinned ends turn about its middle past a post, at which it is caught."""
    points = [(k / COUNT - 0.5, 0.0, 0.0) for k in range(COUNT + 1)]
    rod = rope("Rod", points, modulus)
    pin(rod, [0, 1, COUNT - 1, COUNT])
    for frame, angle in ((1, 0.0), (20, 1.5 * np.pi)):
        rod.rotation_euler.z = angle
        rod.keyframe_insert("rotation_euler", index=2, frame=frame)
    straighten(rod)
    upright = [(0.3, 0.06, point[0]) for point in points]
    post = rope("Post", upright, 2e8)
    pin(post, range(COUNT + 1))
    frames(scene, 1, 12)
    scene.vbd.device = "CPU"


def stretched(outcome):
    return [line for line in outcome.lines() if "times" in line.text and "length" in line.text]


def test_a_stiff_rod_that_is_caught_between_turning_pins_asks_for_substeps(scene):
    """Iterations would not help: it is caught because steps are too long."""
    caught_rod(scene, 1e9)
    outcome = baked()
    (line,) = stretched(outcome)
    assert line.warns and line.objects == ("Rod",)
    assert (line.setting, line.value) == ("substeps", 4 * scene.vbd.substeps)
    assert line.text.startswith("Rod was pulled to ")
    assert float(line.text.split()[4]) > 2.0
    assert not [line for line in outcome.lines() if line.setting == "iterations"]


def test_the_same_rod_of_rubber_is_stretched_by_its_pins(scene):
    caught_rod(scene, 1e5)
    assert not stretched(baked())


@pytest.mark.parametrize("modulus", [20.0, 2000.0, 20000.0])
def test_what_its_load_makes_long_is_not_named(scene, modulus):
    """Rubber that its weight makes three times as long and that bounces, and bodies in nearly free
    fall: there the tension that remains is balanced by inertia.
    """
    frames(scene, 1, 20)
    scene.vbd.device = "CPU"
    band = rope("Band", [(0.0, 0.0, -k / COUNT) for k in range(COUNT + 1)], modulus)
    pin(band, [0])
    cloth = sheet("Skin", cells=8)
    cloth.location.x = 1.0
    cloth.vbd.youngs_modulus = modulus
    pin(cloth, [0, 8])
    outcome = baked()
    longest = [np.linalg.norm(np.ptp(points, axis=0)) for points in last(scene, "Band", "Skin")]
    assert modulus > 2000.0 or min(longest) > 2.0
    assert not stretched(outcome)


def test_a_sheet_that_pins_draw_out_is_not_named(scene):
    """Nothing is free to become shorter, however stiff it is."""
    frames(scene, 1, 10)
    scene.vbd.device = "CPU"
    cloth = sheet("Skin", cells=6)
    cloth.vbd.youngs_modulus = 1e6
    group = cloth.vertex_groups.new(name="Moved")
    far = [k for k, v in enumerate(cloth.data.vertices) if v.co.x > 0.99]
    near = [k for k, v in enumerate(cloth.data.vertices) if v.co.x < 0.01]
    group.add(far, 1.0, "REPLACE")
    pin(cloth, [*near, *far])
    hook = empty_object("Hook")
    modifier = cloth.modifiers.new("Hook", "HOOK")
    modifier.object, modifier.vertex_group = hook, "Moved"
    slide(hook, 0, 1, 10, 1.0)
    outcome = baked()
    (points,) = last(scene, "Skin")
    assert np.ptp(points[:, 0]) == pytest.approx(2.0, abs=0.02)
    assert not stretched(outcome)


def hung_net():
    """A cotton cloth of 2 m, flat, held at its corners."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=24, y_subdivisions=24, size=2.0)
    net = bpy.context.object
    net.name = "Net"
    bpy.ops.vbd.add(role="CLOTH")
    pin(net, [0, 24, 24 * 25, 25 * 25 - 1])
    return net


def test_what_lies_on_a_cloth_and_stretches_it_is_its_load(scene):
    """The rest of the forces at a vertex is contact, not tension that nothing balances."""
    frames(scene, 1, 22)
    scene.vbd.device = "CPU"
    net = hung_net()
    net.vbd.maximum_stretch = 0.0
    for k in range(2):
        place = (0.3 * (k - 1), 0.0, 0.6 + 0.6 * k)
        bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=0.25, location=place)
        bpy.ops.vbd.add(role="SOFT")
        bpy.context.object.vbd.resolution = 4
    outcome = baked()
    start, end = (shown(net, frame) for frame in (1, 22))
    ends = np.array([edge.vertices[:] for edge in net.data.edges])
    now, before = (np.linalg.norm(x[ends[:, 0]] - x[ends[:, 1]], axis=1) for x in (end, start))
    assert (now / before).max() > 1.5
    assert not stretched(outcome)


def test_a_cloth_that_a_fast_collider_drags_is_told_to_be_pulled_where_it_touches(scene):
    frames(scene, 1, 6)
    scene.vbd.device = "CPU"
    hung_net()
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0.0, 0.0, 3.0))
    bpy.ops.vbd.add(role="COLLIDER")
    ball = bpy.context.object
    for frame, height in ((2, 3.0), (4, -1.0)):
        ball.location.z = height
        ball.keyframe_insert("location", index=2, frame=frame)
    straighten(ball)
    (line,) = stretched(baked())
    assert line.text.startswith("Net was pulled to ")
    assert ", faster than it could give way" in line.text
    assert "nothing pulls" not in line.text


def last(scene, *names):
    """Points of objects in the last frame [m]."""
    return [shown(bpy.data.objects[name], scene.vbd.frame_end) for name in names]
