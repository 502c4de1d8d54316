# SPDX-License-Identifier: GPL-3.0-or-later
"""Rods from edge meshes and from curves, from the role to the baked keys."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, empty_object, frames, gathered, mesh_object, pin, shown

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.objects.curves import Strands, control_points
from vbd.addon.playing import playback, preview


def curve_object(kind, points, closed=False, **spline_settings):
    """A curve object with one spline through some points, or with them as its control points."""
    curve = bpy.data.curves.new(kind.title(), "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(points) - 1)
        for point, co in zip(spline.bezier_points, points, strict=True):
            point.co, point.handle_left_type, point.handle_right_type = co, "AUTO", "AUTO"
    else:
        spline.points.add(len(points) - 1)
        for point, co in zip(spline.points, points, strict=True):
            point.co = (*co, 1.0)
    spline.use_cyclic_u = closed
    for name, value in spline_settings.items():
        setattr(spline, name, value)
    ob = bpy.data.objects.new(kind.title(), curve)
    bpy.context.collection.objects.link(ob)
    ob.vbd.role = "ROD"
    return ob


def drawn(ob):
    """World points of the evaluated curve [point, 3]."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.array([tuple(vertex.co) for vertex in mesh.vertices])
    evaluated.to_mesh_clear()
    return points


LINE = [(0.25 * k, 0.0, 0.0) for k in range(5)]
ARCH = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.5), (1.0, 0.0, 0.0), (1.5, 0.3, -0.5)]
SPLINES = {
    "poly": ("POLY", ARCH, {}),
    "closed poly": ("POLY", ARCH, {"closed": True}),
    "bezier": ("BEZIER", ARCH, {}),
    "closed bezier": ("BEZIER", ARCH, {"closed": True}),
    "nurbs": ("NURBS", ARCH, {"order_u": 4, "use_endpoint_u": True}),
    "open nurbs": ("NURBS", [*ARCH, *ARCH[::-1]], {"order_u": 3, "use_endpoint_u": False}),
    "closed nurbs": ("NURBS", ARCH, {"order_u": 4, "closed": True}),
}


@pytest.mark.parametrize("name", SPLINES)
def test_points_along_a_spline_lie_on_it_and_give_it_back(scene, name):
    kind, points, options = SPLINES[name]
    ob = curve_object(kind, points, **options)
    ob.data.resolution_u = ob.data.splines[0].resolution_u = 12
    bpy.context.view_layer.update()
    given = control_points(ob, bpy.context.evaluated_depsgraph_get())[0].astype(float)
    strands = Strands(ob.data)
    along = strands.sampled(given)
    curve = drawn(ob)
    if kind == "POLY":
        np.testing.assert_allclose(along, curve, atol=1e-6)
    # Both are close on a smooth curve: a step of the drawn one is 0.05 m at most.
    off = np.linalg.norm(along[:, None] - curve, axis=2).min(axis=1)
    assert off.max() < 0.03
    back = strands.controls(along)
    np.testing.assert_allclose(strands.sampled(back), along, atol=1e-9)
    inner = slice(2, -1) if kind == "BEZIER" and "closed" not in name else slice(None)
    np.testing.assert_allclose(back[inner], given[inner], atol=1e-6)


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
def test_a_pinned_curve_hangs_down_and_is_given_back(scene, kind):
    ob = curve_object(kind, LINE)
    ob.vbd.youngs_modulus, ob.vbd.thickness, ob.vbd.bending_factor = 1e6, 0.02, 1.0
    ob.vbd.density, ob.vbd.pin_start = 0.3, True
    frames(scene, 1, 20)
    bpy.context.view_layer.update()
    before = drawn(ob)
    outcome = baked()
    assert outcome.frames == 19
    scene.frame_set(1)
    np.testing.assert_allclose(drawn(ob), before, atol=2e-3)
    scene.frame_set(20)
    now = drawn(ob)
    np.testing.assert_allclose(now[0], before[0], atol=1e-5)
    assert now[-1, 2] < -0.3
    length = np.linalg.norm(np.diff(now, axis=0), axis=1).sum()
    assert length == pytest.approx(np.linalg.norm(before[-1] - before[0]), rel=0.02)
    playback.free(ob)
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(drawn(ob), before)
    assert ob.data.shape_keys is None
    if kind == "BEZIER":
        assert {point.handle_left_type for point in ob.data.splines[0].bezier_points} == {"AUTO"}


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
@pytest.mark.parametrize("bevel", [0.0, 0.02])
def test_frames_of_a_curve_are_shown_while_it_is_baked(scene, monkeypatch, kind, bevel):
    monkeypatch.setattr(preview, "PAUSE", -1.0)  # every frame
    ob = curve_object(kind, LINE)
    ob.data.bevel_depth, ob.vbd.pin_start = bevel, True
    ob.location.x, ob.rotation_euler.z = 0.5, 1.0
    ob.shape_key_add(name="Basis", from_mix=False)
    frames(scene, 1, 5)
    quantities = len(bpy.data.curves), len(bpy.data.objects), len(bpy.data.node_groups)
    seen = {}
    for solved in bake_steps(bpy.context, visible=True):
        if solved is not None:
            seen[solved.index] = drawn(ob)
    assert sorted(seen) == [1, 2, 3, 4] and not len(ob.modifiers)
    assert quantities == (len(bpy.data.curves), len(bpy.data.objects), len(bpy.data.node_groups))
    for index, points in seen.items():
        scene.frame_set(1 + index)
        np.testing.assert_allclose(points, drawn(ob), atol=1e-5)


def test_what_a_script_deletes_during_a_bake_leaves_the_rest_in_order(scene):
    curve = curve_object("POLY", LINE)
    sheet = mesh_object("Sheet", LINE, edges=[(k, k + 1) for k in range(4)])
    sheet.vbd.role = "ROD"
    sheet.modifiers.new("Subdivision", "SUBSURF")
    lost = curve_object("BEZIER", LINE)
    frames(scene, 1, 5)
    steps = bake_steps(bpy.context, visible=True)
    while next(steps) is None:
        pass
    bpy.data.objects.remove(lost)
    outcome = run_to_end(steps, lambda _: None)
    assert outcome.frames == 4 and playback.is_baked(curve) and playback.is_baked(sheet)
    assert sheet.modifiers["Subdivision"].show_viewport and not len(bpy.data.node_groups)
    assert len(bpy.data.objects) == 2


def test_the_radius_of_points_makes_a_rod_thicker_and_heavier(scene):
    ob = curve_object("POLY", LINE)
    for number, point in enumerate(ob.data.splines[0].points):
        point.radius = 1.0 + number
    (body,) = gathered().bodies
    radius = np.array([1.5, 2.5, 3.5, 4.5])
    np.testing.assert_allclose(body.material.thickness, ob.vbd.thickness * radius, rtol=1e-6)
    np.testing.assert_allclose(body.material.density, ob.vbd.density * radius**2, rtol=1e-6)
    ob.keyframe_insert("vbd.density", frame=1)
    np.testing.assert_allclose(gathered().bodies[0].keyed["density"](0.0), body.material.density)


def test_a_curve_touches_others_where_its_bevel_ends(scene):
    ob = curve_object("POLY", LINE)
    ob.data.bevel_depth, ob.scale = 0.02, (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert gathered().bodies[0].material.collision_thickness == pytest.approx(0.04)
    ob.data.bevel_depth = 0.2  # a quarter of an edge is 0.125 m
    assert gathered().bodies[0].material.collision_thickness == pytest.approx(0.125)
    ob.vbd.collision_thickness = 0.01
    assert gathered().bodies[0].material.collision_thickness == pytest.approx(0.01)


def test_the_end_of_a_curve_can_be_pinned_as_well(scene):
    ob = curve_object("POLY", LINE)
    ob.vbd.pin_start = ob.vbd.pin_end = True
    (body,) = gathered().bodies
    assert sorted(body.pins.indices) == [0, 1, 3, 4]
    ob.vbd.bending_factor = 1.0
    (body,) = gathered().bodies
    assert sorted(body.pins.indices) == [0, 1, 3, 4, 5, 8]


def test_a_rod_with_a_bending_factor_stays_straighter_and_keeps_its_vertices(scene):
    ends = {}
    for factor in (0.0, 1.0):
        ob = mesh_object("Rod", LINE, edges=[(k, k + 1) for k in range(4)], role="ROD")
        ob.vbd.youngs_modulus, ob.vbd.thickness, ob.vbd.bending_factor = 1e7, 0.02, factor
        ob.vbd.density = 0.03
        pin(ob, [0, 1])
        frames(scene, 1, 10)
        baked()
        points = shown(ob, 10)
        assert len(points) == 5
        ends[factor] = points[-1, 2]
        bpy.data.objects.remove(ob)
    assert ends[0.0] < -0.4
    sag = 0.03 * 9.81 * 0.75**4 / (8.0 * 1e7 * np.pi * 0.02**4 / 64.0)
    assert -2.0 * sag < ends[1.0] < -0.2 * sag  # it swings about it


def test_a_clamp_that_turns_takes_the_directors_along(scene):
    ob = mesh_object("Rod", LINE, edges=[(k, k + 1) for k in range(4)], role="ROD")
    ob.vbd.bending_factor = 1.0
    pin(ob, [0, 1])
    for frame, angle in ((1, 0.0), (11, 1.0)):
        ob.rotation_euler[0] = angle
        ob.keyframe_insert("rotation_euler", index=0, frame=frame)
    frames(scene, 1, 11)
    ready = gathered()
    (body,), (target,) = ready.bodies, ready.targets
    scene.frame_set(11)
    pose = ready.reader._read(11)[target.key]
    held = target.shape.points(pose)[body.pins.indices]
    start = body.points[body.pins.indices]
    np.testing.assert_allclose(held[:2], start[:2], atol=1e-6)
    one, two = start[2] - start[:2].mean(axis=0), held[2] - held[:2].mean(axis=0)
    assert one @ two == pytest.approx(np.cos(1.0) * 0.25**2, abs=1e-5)


def test_a_hook_carries_the_pinned_end_of_a_curve(scene):
    ob = curve_object("POLY", LINE)
    ob.vbd.pin_start, ob.vbd.bending_factor = True, 1.0
    empty = empty_object("Hook")
    bpy.context.view_layer.update()
    hook = ob.modifiers.new("Hook", "HOOK")
    hook.object = empty
    hook.vertex_indices_set([0, 1])
    for frame, height in ((1, 0.0), (11, 0.5)):
        empty.location[2] = height
        empty.keyframe_insert("location", index=2, frame=frame)
    frames(scene, 1, 11)
    wave = ob.modifiers.new("Wave", "WAVE")  # which acts on the result of the splines
    wave.show_render = False
    baked()
    assert not hook.show_viewport and wave.show_viewport
    wave.show_viewport = False
    scene.frame_set(11)
    np.testing.assert_allclose(drawn(ob)[:2], [[0.0, 0.0, 0.5], [0.25, 0.0, 0.5]], atol=1e-4)


def test_a_curve_is_attached_to_what_leads_it(scene):
    ob = curve_object("NURBS", LINE, order_u=3, use_endpoint_u=True)
    ob.vbd.bending_factor, ob.vbd.density = 1.0, 0.01
    empty = empty_object("Hand", (1.0, 0.0, 0.0))
    bpy.context.view_layer.objects.active = ob
    bpy.ops.vbd.add_attachment()
    ob.vbd.attachments[0].target = empty
    frames(scene, 1, 13)
    for frame, height in ((1, 0.0), (13, 0.5)):
        empty.location[2] = height
        empty.keyframe_insert("location", index=2, frame=frame)
    baked()
    scene.frame_set(13)
    end = drawn(ob)[-1]
    np.testing.assert_allclose(end, [1.0, 0.0, 0.5], atol=0.05)


def test_what_a_curve_cannot_be_is_said(scene):
    ob = curve_object("POLY", LINE)
    ob.vbd.role = "NONE"
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    with pytest.raises(RuntimeError, match="Poly is a curve, which can only be a rod"):
        bpy.ops.vbd.add(role="CLOTH")
    bpy.ops.vbd.add(role="ROD")
    ob.data.dimensions = "2D"
    with pytest.raises(ValueError, match="Poly: it is a 2D curve"):
        gathered()
    ob.data.dimensions = "3D"
    ob.data.splines.new("POLY")
    with pytest.raises(ValueError, match="spline 1 has a single point"):
        gathered()
    ob.data.splines.clear()
    with pytest.raises(ValueError, match="the curve is empty"):
        gathered()
