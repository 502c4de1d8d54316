# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments of one object to another, from the panel to the bake."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    attach,
    baked,
    empty_object,
    frames,
    gathered,
    mesh_object,
    pin,
    reopened,
    sheet,
    shown,
    slab,
    tet_block,
)
from shapes import block

from vbd.addon.objects import read_mesh
from vbd.addon.objects.nearest import nearest, weights_in
from vbd.addon.viewport.attachment_lines import attachment_lines

GRAVITY = 9.81


def tie():
    """The attachment of the scene in a bake."""
    return gathered().holding[0]


def top(ob):
    return np.flatnonzero(read_mesh.positions(ob.data)[:, 2] == 1.0)


def hung_block(location=(0.5, 0.5, 1.0), **values):
    """A block of 1 m that hangs with its upper side on an empty."""
    ob = tet_block()
    ob.vbd.youngs_modulus = 1e6
    hook = empty_object(location=location)
    attach(ob, hook, top(ob), **values)
    return ob, hook


def test_a_body_hangs_on_an_attachment_of_so_much_stiffness(scene):
    ob, _hook = hung_block(stiffness=4e5, damping=0.2)
    frames(scene, 1, 37)
    baked()
    sag = -(shown(ob, 37) - shown(ob, 1))[top(ob), 2].mean()
    mass = ob.vbd.density
    assert sag == pytest.approx(mass * GRAVITY / 4e5, rel=0.02)


def test_what_is_attached_follows_an_animated_empty_and_turns_with_it(scene):
    ob, hook = hung_block(stiffness=1e7, damping=0.0)
    scene.use_gravity = False
    frames(scene, 1, 25)
    for frame, angle in ((1, 0.0), (25, np.pi / 2)):
        hook.rotation_euler.z = angle
        hook.keyframe_insert("rotation_euler", frame=frame)
    start = shown(ob, 1)[top(ob)] - [0.5, 0.5, 1.0]
    baked()
    now = shown(ob, 25)[top(ob)] - [0.5, 0.5, 1.0]
    turned = np.stack([-start[:, 1], start[:, 0], start[:, 2]], axis=1)
    np.testing.assert_allclose(now, turned, atol=0.01)


@pytest.mark.parametrize("tears", [False, True])
def test_an_attachment_gives_or_tears_at_its_maximum_force(scene, tears):
    ob, _hook = hung_block(stiffness=1e6, damping=0.0, tears=tears)
    weight = ob.vbd.density * GRAVITY
    ob.vbd.attachments[0].maximum_force = 0.5 * weight
    frames(scene, 1, 13)
    outcome = baked()
    fallen = -(shown(ob, 13) - shown(ob, 1))[:, 2].mean()
    # Half of the weight remains, or all of it.
    part = 1.0 if tears else 0.5
    assert fallen == pytest.approx(part * 0.5 * GRAVITY * 0.25, rel=0.15)
    stats = outcome.last.stats
    assert (stats.broken > 0) == tears
    assert sum(torn.broken for torn in stats.torn) == stats.broken
    told = [line for line in outcome.lines() if "tore in" in line.text]
    assert [line.objects for line in told] == [("Block",)] * tears
    assert all(line.text.startswith("Block: Tie tore in ") for line in told)


def test_both_sides_feel_an_attachment(scene):
    scene.use_gravity = False
    ob, other = tet_block(), tet_block("Other")
    other.location.x = 1.5
    right = np.flatnonzero(read_mesh.positions(ob.data)[:, 0] == 1.0)
    attach(ob, other, right, keep_distance=False, stiffness=1e5, damping=0.05)
    for each in (ob, other):
        each.vbd.collision_collection = bpy.data.collections.new("Nobody")
    frames(scene, 1, 25)
    baked()
    left_moved, right_moved = ((shown(o, 25) - shown(o, 1))[:, 0].mean() for o in (ob, other))
    assert left_moved == pytest.approx(-right_moved, rel=0.02)
    assert left_moved == pytest.approx(0.25, abs=0.03)


def targets():
    def faces():
        return slab(size=4.0, height=-0.3)

    def soft():
        points, quads = block([1.0, 1.0, 1.0], [0.5, 0.5, -0.8])
        ob = mesh_object("Soft", points, faces=quads, role="SOFT")
        ob.vbd.resolution = 2
        return ob

    def cloth():
        ob = sheet("Cloth")
        ob.location.z = -0.3
        return ob

    def rod():
        return mesh_object("Rod", [(-1, 0.5, -0.3), (2, 0.5, -0.3)], edges=[(0, 1)], role="ROD")

    def tets():
        ob = tet_block("Tets")
        ob.location.z = -1.3
        return ob

    return {f.__name__: f for f in (faces, soft, cloth, rod, tets)}


@pytest.mark.parametrize("kind", targets())
def test_every_vertex_is_tied_to_the_nearest_place_of_its_target(scene, kind):
    ob = sheet()
    attach(ob, targets()[kind](), [12], stiffness=70.0)  # the middle, 0.3 m above
    found = tie()
    np.testing.assert_array_equal(found.vertices, [[12]])
    np.testing.assert_allclose(found.stiffness, 70.0)
    if found.other is None:
        np.testing.assert_allclose(found.points, [[0.5, 0.5, 0.0]])
        return
    there = np.einsum("rk,rki->ri", found.weights, found.other.points[found.corners])
    # A soft body holds vertices less than a cell away as if they belonged to it.
    distance = 0.0 if kind == "soft" else 0.3
    np.testing.assert_allclose(there, [[0.5, 0.5, -distance]], atol=1e-6)
    np.testing.assert_allclose(found.length, distance, rtol=1e-6)


def test_pulled_onto_its_target_a_vertex_goes_to_the_nearest_place(scene):
    ob = sheet()
    attach(ob, targets()["faces"](), [12], keep_distance=False)
    np.testing.assert_allclose(tie().points, [[0.5, 0.5, -0.3]])


def test_without_a_group_the_nearest_vertex_is_tied_or_all_within_a_distance(scene):
    ob, hook = sheet(), empty_object(location=(0.1, 0.0, 0.0))
    item = attach(ob, hook)
    np.testing.assert_array_equal(tie().vertices, [[0]])
    item.distance = 0.3
    expected = np.flatnonzero(
        np.linalg.norm(read_mesh.positions(ob.data) - [0.1, 0, 0], axis=1) <= 0.3
    )
    np.testing.assert_array_equal(tie().vertices.ravel(), expected)
    assert len(expected) == 4


def test_weights_of_a_group_share_the_stiffness(scene):
    ob = sheet()
    item = attach(ob, empty_object(), [0, 1], stiffness=90.0, maximum_force=30.0)
    ob.vertex_groups["Tied"].add([1], 0.5, "REPLACE")
    np.testing.assert_allclose(tie().stiffness, [60.0, 30.0])
    np.testing.assert_allclose(tie().maximum_force, [20.0, 10.0])
    item.tears = True
    np.testing.assert_allclose(tie().strength, [20.0, 10.0])


def test_faces_carry_what_is_tied_to_them(scene):
    ob, wall = sheet(), slab(size=4.0, height=-0.3)
    attach(ob, wall, [12])
    for frame, angle in ((1, 0.0), (11, np.pi / 2)):
        wall.rotation_euler.y = angle
        wall.keyframe_insert("rotation_euler", frame=frame)
    frames(scene, 1, 11)
    found = gathered()
    while found.reader.has_room():
        found.reader.fill()
    time = scene.render.fps_base / scene.render.fps
    point = found.holding[0].points(time)[0]
    scene.frame_set(2)
    turned = np.array(wall.matrix_world) @ [0.5, 0.5, 0.3, 1.0]
    np.testing.assert_allclose(point, turned[:3], atol=1e-5)


def test_what_is_switched_off_takes_no_part(scene):
    attach(sheet(), empty_object(), enabled=False)
    assert not gathered().holding


@pytest.mark.parametrize("kind", targets())
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_lines_in_the_viewport_lead_where_the_attachment_does(scene, kind, scale):
    scene.unit_settings.scale_length = scale
    ob, target = sheet(), targets()[kind]()
    if not len(target.data.polygons):
        target.data.vertices.add(1)
        target.data.vertices[-1].co = 0.5, 0.5, 1.0 if kind == "tets" else -0.3
    item = attach(ob, target, range(25), distance=0.4)
    lines = attachment_lines(ob, item, bpy.context.evaluated_depsgraph_get())
    middle = lines[(lines[:, 0] == [0.5, 0.5, 0.0]).all(axis=1)]
    np.testing.assert_allclose(middle, [[[0.5, 0.5, 0.0], [0.5, 0.5, -0.3]]], atol=1e-6)
    item.enabled = False
    assert not len(attachment_lines(ob, item, bpy.context.evaluated_depsgraph_get()))


def test_lines_lead_to_and_from_a_curve(scene):
    """Lines to a curve end at its points, not at its origin, and lines from a curve exist."""
    ob, rope = sheet(), rope_at((0.4, 0.4, 0.3), (0.4, 0.4, 1.0))
    there = attach(ob, rope)
    back = attach(rope, ob)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    ((start, end),) = attachment_lines(ob, there, depsgraph)
    np.testing.assert_allclose(end, (0.4, 0.4, 0.3), atol=1e-6)
    ((start, end),) = attachment_lines(rope, back, depsgraph)
    np.testing.assert_allclose([start, end], [(0.4, 0.4, 0.3), (0.4, 0.4, 0.0)], atol=1e-6)


def rope_at(*points):
    """A rod that is a curve."""
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions = "3D"
    curve.splines.new("POLY").points.add(len(points) - 1)
    for point, place in zip(curve.splines[0].points, points, strict=True):
        point.co = (*place, 1.0)
    rope = bpy.data.objects.new("Rope", curve)
    bpy.context.scene.collection.objects.link(rope)
    rope.vbd.role = "ROD"
    return rope


def test_the_buttons_add_and_remove(scene):
    ob, hook = sheet(), empty_object()
    bpy.context.view_layer.objects.active = ob
    for each in (ob, hook):
        each.select_set(True)
    bpy.ops.vbd.add_attachment()
    bpy.ops.vbd.add_attachment()
    assert [item.name for item in ob.vbd.attachments] == [hook.name, f"{hook.name} 2"]
    assert ob.vbd.attachments[0].target == hook
    bpy.ops.vbd.remove_attachment()
    assert [item.name for item in ob.vbd.attachments] == [hook.name]
    bpy.ops.vbd.remove_attachment()
    with pytest.raises(RuntimeError, match="The list is empty"):
        bpy.ops.vbd.remove_attachment()


def test_attachments_survive_a_file(scene, tmp_path):
    ob = sheet()
    attach(ob, empty_object(), [3], stiffness=5.0)
    pin(ob, [0])
    reopened(tmp_path / "tied.blend")
    item = bpy.data.objects["Sheet"].vbd.attachments[0]
    assert (item.name, item.target.name, item.vertex_group) == ("Tie", "Hook", "Tied")
    assert item.stiffness == 5.0


def test_the_nearest_places_are_those_of_a_search_through_all():
    rng = np.random.default_rng(3)
    vertices, points = rng.normal(size=(30, 3)), rng.normal(size=(40, 3))
    for width in (2, 3):
        elements = rng.permuted(np.tile(np.arange(30), (20, 1)), axis=1)[:, :width]
        found, place = nearest(points, vertices, elements)
        parts = rng.dirichlet(np.full(width, 0.7), 4000)
        samples = np.einsum("sk,eki->esi", parts, vertices[elements])
        least = np.linalg.norm(samples[None] - points[:, None, None], axis=3).min(axis=(1, 2))
        assert (np.linalg.norm(place - points, axis=1) <= least + 1e-6).all()
        weights = weights_in(place, vertices[elements[found]])
        np.testing.assert_allclose(
            np.einsum("pk,pki->pi", weights, vertices[elements[found]]), place, atol=1e-6
        )
