# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair curves: from the role to played shapes, and back."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, gathered, mesh_object, reopened

from vbd.addon.baking.bake_steps import bake_steps
from vbd.addon.baking.loading import load
from vbd.addon.gathering import gather
from vbd.addon.objects import hair, read_mesh
from vbd.addon.playing import playback, preview

POINTS = 4


def grown(strands=3, points=POINTS, step=0.1):
    """Straight strands along x that start at (0, k, 0), as a rod; the object is active."""
    data = bpy.data.hair_curves.new("Hair")
    data.add_curves([points] * strands)
    places = np.zeros((strands, points, 3), np.float32)
    places[..., 0], places[..., 1] = step * np.arange(points), np.arange(strands)[:, None]
    data.attributes["position"].data.foreach_set("vector", places.ravel())
    ob = bpy.data.objects.new("Hair", data)
    bpy.context.collection.objects.link(ob)
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.vbd.add(role="ROD")
    return ob


def seen(ob):
    """Shown points of hair in its own space, float32 [point, 3]."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return read_mesh.positions(evaluated.data)


def quantities():
    data = bpy.data
    return [
        len(blocks)
        for blocks in (data.objects, data.meshes, data.node_groups, data.actions, data.shape_keys)
    ]


@pytest.fixture
def on_ribbon(scene):
    """Hair on a ribbon that an armature-like modifier twists, by Surface Deform."""
    ribbon = mesh_object(
        "Ribbon",
        [(0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 0, 0), (1, 1, 0), (1, 2, 0)],
        faces=[(0, 3, 4, 1), (1, 4, 5, 2)],
    )
    ribbon.data.uv_layers.new(name="UVMap")
    for loop, uv in zip(ribbon.data.loops, ribbon.data.uv_layers[0].uv, strict=True):
        place = ribbon.data.vertices[loop.vertex_index].co
        uv.vector = place.x, place.y / 2.0
    bpy.context.view_layer.objects.active = ribbon
    bpy.ops.object.curves_empty_hair_add()
    ob = bpy.context.object
    ob.data.add_curves([POINTS, POINTS])
    roots = np.array([(0.25, 0.5, 0.0), (0.75, 1.5, 0.0)], np.float32)
    places = roots[:, None] + np.outer(np.arange(POINTS), (0.03, 0.02, 0.1))
    places[:, 2:, 0] += 0.05  # not straight, so that turns are visible
    ob.data.attributes["position"].data.foreach_set("vector", np.float32(places).ravel())
    uv = ob.data.attributes.new("surface_uv_coordinate", "FLOAT2", "CURVE")
    uv.data.foreach_set("vector", np.float32(roots[:, :2] * (1.0, 0.5)).ravel())
    bpy.ops.vbd.add(role="ROD")
    twist = ribbon.modifiers.new("Twist", "SIMPLE_DEFORM")
    twist.deform_method, twist.deform_axis = "TWIST", "Y"
    for frame, angle in ((1, 0.0), (9, 1.0)):
        twist.angle = angle
        twist.keyframe_insert("angle", frame=frame)
    frames(scene, 1, 9)
    return ob


def test_a_modifier_that_would_simulate_it_again_is_named(scene):
    ob = grown()
    frames(scene, 1, 2)
    inner, outer = (hair.node_group(name) for name in ("Inner", "Outer"))
    start, end = (inner.nodes.new(f"GeometryNodeSimulation{end}") for end in ("Input", "Output"))
    start.pair_with_output(end)
    outer.nodes.new("GeometryNodeGroup").node_tree = inner
    ob.modifiers.new("Hair Dynamics", "NODES").node_group = outer
    said = "Hair Dynamics simulates the baked hair once more; put Surface Deform in its place"
    assert any(said in note for note in baked().notes)
    outer.nodes.clear()
    assert not any(said in note for note in baked().notes)


def test_hair_hangs_by_its_roots_and_is_given_back(scene):
    ob = grown()
    ob.location, ob.rotation_euler.z = (1.0, 2.0, 3.0), 0.5
    frames(scene, 1, 13)
    before, blocks = seen(ob), quantities()
    outcome = baked()
    assert outcome.frames == 12 and len(ob.modifiers) == 1
    scene.frame_set(1)
    np.testing.assert_allclose(seen(ob), before, atol=1e-6)
    scene.frame_set(13)
    now = seen(ob).reshape(3, POINTS, 3)
    rest = before.reshape(3, POINTS, 3)
    np.testing.assert_allclose(now[:, :2], rest[:, :2], atol=1e-6)
    assert (now[:, -1, 2] < -0.05).all()
    length = np.linalg.norm(np.diff(now, axis=1), axis=2)
    np.testing.assert_allclose(length, 0.1, rtol=1e-2)
    playback.free(ob)
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(seen(ob), before)
    assert quantities() == blocks and not len(ob.modifiers)


def test_a_bake_of_hair_is_kept_in_the_file_and_replaced_by_the_next(scene, tmp_path):
    ob = grown()
    frames(scene, 1, 5)
    baked()
    blocks = quantities()
    baked()
    assert quantities() == blocks and len(ob.modifiers) == 1
    scene.frame_set(5)
    points = seen(ob)
    scene.frame_set(4, subframe=0.5)
    between = seen(ob)
    scene.frame_set(4)
    np.testing.assert_allclose(between, 0.5 * (seen(ob) + points), atol=1e-6)
    reopened(tmp_path / "hair.blend")
    ob = bpy.data.objects["Hair"]
    bpy.context.scene.frame_set(5)
    np.testing.assert_array_equal(seen(ob), points)
    assert bpy.ops.vbd.free_bake() == {"FINISHED"}
    assert not len(bpy.data.meshes) and not len(bpy.data.node_groups) and not len(ob.modifiers)


def test_a_copy_of_baked_hair_plays_on_when_the_bake_is_freed(scene):
    ob = grown()
    frames(scene, 1, 3)
    baked()
    copy = ob.copy()
    bpy.context.collection.objects.link(copy)
    scene.frame_set(3)
    points = seen(copy)
    playback.free(ob)
    np.testing.assert_array_equal(seen(copy), points)
    playback.free(copy)
    assert not len(bpy.data.meshes) and not len(bpy.data.node_groups)


def test_what_a_surface_does_to_a_strand_is_one_rigid_motion(scene, on_ribbon):
    stored = read_mesh.positions(on_ribbon.data).astype(float)
    hair.add_probe(on_ribbon)
    scene.frame_set(9)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    points, motion = hair.read_strands(on_ribbon, depsgraph)
    hair.remove_probe(on_ribbon)
    np.testing.assert_array_equal(seen(on_ribbon), points)
    assert np.abs(points - stored).max() > 0.05
    turned = np.einsum("pij,pj->pi", motion.turn, stored)
    shift = (points - turned).reshape(2, POINTS, 3)
    np.testing.assert_allclose(shift, np.repeat(shift[:, :1], POINTS, axis=1), atol=1e-6)
    np.testing.assert_allclose(motion.undone(points.astype(float)), stored, atol=1e-6)


def test_roots_follow_a_surface_that_bends_and_the_modifier_stays(scene, on_ribbon):
    follows = on_ribbon.modifiers[0]
    scene.frame_set(9)
    led = seen(on_ribbon).reshape(2, POINTS, 3)
    baked()
    assert follows.show_viewport and list(on_ribbon.modifiers)[1] == follows
    scene.frame_set(9)
    now = seen(on_ribbon).reshape(2, POINTS, 3)
    np.testing.assert_allclose(now[:, :2], led[:, :2], atol=1e-5)
    assert np.linalg.norm(now[:, -1] - led[:, -1], axis=1).min() > 1e-3
    assert len(bpy.data.node_groups) == 2  # that modifier's and ours: the probe is deleted


def test_other_modifiers_of_hair_act_on_the_result(scene):
    ob = grown()
    group = hair.node_group("Double")
    join = group.nodes.new("GeometryNodeJoinGeometry")
    source, target = (group.nodes.new(f"NodeGroup{name}") for name in ("Input", "Output"))
    for _ in range(2):
        move = group.nodes.new("GeometryNodeSetPosition")
        group.links.new(source.outputs[0], move.inputs["Geometry"])
        group.links.new(move.outputs[0], join.inputs[0])
    group.links.new(join.outputs[0], target.inputs[0])
    ob.modifiers.new("Double", "NODES").node_group = group
    frames(scene, 1, 5)
    assert baked().frames == 4
    scene.frame_set(5)
    points = seen(ob).reshape(2, -1, 3)
    assert points.shape[1] == 3 * POINTS
    np.testing.assert_array_equal(points[0], points[1])
    assert points[0, POINTS - 1, 2] < -0.01


def test_frames_of_hair_are_shown_while_it_is_baked(scene, on_ribbon, monkeypatch):
    monkeypatch.setattr(preview, "PAUSE", -1.0)  # every frame
    blocks, during = quantities(), {}
    for solved in bake_steps(bpy.context, visible=True):
        if solved is not None:
            during[solved.index] = seen(on_ribbon)
    assert sorted(during) == list(range(1, 9))
    for index, points in during.items():
        scene.frame_set(1 + index)
        np.testing.assert_allclose(points, seen(on_ribbon), atol=1e-5)
    playback.free(on_ribbon)
    assert quantities() == blocks


def test_hair_starts_with_what_suits_it(scene):
    ob = grown()
    assert ob.vbd.pin_start and not ob.vbd.self_contact
    assert ob.vbd.bending_factor == pytest.approx(0.77)
    (body,) = gathered().bodies
    assert sorted(body.pins.indices[: 2 * 3]) == [0, 1, POINTS, POINTS + 1, 2 * POINTS, 9]


def test_the_radius_of_hair_scales_its_diameter_and_is_where_it_touches(scene):
    ob = grown(strands=1)
    radius = ob.data.attributes.new("radius", "FLOAT", "POINT")
    radius.data.foreach_set("value", np.float32([0.004, 0.002, 0.002, 0.0]))
    (body,) = gathered().bodies
    part = np.array([0.75, 0.5, 0.3])  # a tip of 0 counts as a tenth
    np.testing.assert_allclose(body.material.thickness, ob.vbd.thickness * part, rtol=1e-6)
    np.testing.assert_allclose(body.material.density, ob.vbd.density * part**2, rtol=1e-6)
    assert body.material.collision_thickness == pytest.approx(0.002)


def test_closed_strands_have_no_end(scene):
    ob = grown(strands=2)
    cyclic = ob.data.attributes.new("cyclic", "BOOLEAN", "CURVE")
    cyclic.data.foreach_set("value", [True, False])
    strands = hair.HairStrands(ob.data)
    assert strands.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7]]
    assert strands.ends(True, True).tolist() == [0, 1, 4, 5, 6, 7]


def test_what_hair_cannot_be_is_said(scene):
    ob = grown(strands=1)
    with pytest.raises(RuntimeError, match="Hair is a curve, which can only be a rod"):
        bpy.ops.vbd.add(role="CLOTH")
    ob.data.add_curves([1])
    with pytest.raises(ValueError, match="Hair: strand 1 has a single point"):
        gather.participants(scene)
    ob.data = bpy.data.hair_curves.new("None")
    with pytest.raises(ValueError, match="Hair: there is no hair"):
        gather.participants(scene)


@pytest.mark.any_blender
def test_two_hundred_strands_hang_with_the_settings_they_start_with(scene):
    ob = grown(strands=200, points=8, step=0.04)
    frames(scene, 1, 13)
    outcome = baked()
    assert outcome.report()[0] == "INFO", outcome.report()
    scene.frame_set(13)
    now = seen(ob).reshape(200, 8, 3)
    length = np.linalg.norm(np.diff(now, axis=1), axis=2)
    np.testing.assert_allclose(length, 0.04, rtol=2e-3)
    assert np.ptp(now[:, -1, 2]) < 1e-3 and now[0, -1, 2] < -0.1


def test_frames_of_hair_are_loaded_from_the_cache(scene, tmp_path):
    ob = grown()
    frames(scene, 1, 5)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hair.blend"))
    baked()
    scene.frame_set(5)
    points = seen(ob)
    playback.free(ob)
    load(scene)
    scene.frame_set(5)
    np.testing.assert_array_equal(seen(ob), points)
