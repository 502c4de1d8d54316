# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of a cloth without area, and doubled ones, are left out of a bake and shown by a button."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    baked,
    empty_object,
    frames,
    gathered,
    mesh_object,
    pin,
    sheet,
    shown,
    slide,
)
from shapes import grid

from vbd.addon.baking.frame_numbers import Shapes
from vbd.addon.objects.sound_faces import left_out
from vbd.addon.panels.advice import lines_of
from vbd.solver.messages import message

CELLS = 4
COUNT = (CELLS + 1) ** 2


def rag(*faces, more=(), role="CLOTH", edges=()):
    """A sheet of 1 m with more vertices and more faces than it needs."""
    points, triangles = grid(CELLS)
    points = np.concatenate([points, np.reshape(more, (-1, 3))])
    return mesh_object("Rag", points, edges, [*triangles.tolist(), *faces], role)


def hem(**values):
    """A sheet whose corner 0 has a double that belongs only to faces without area, as after a
    cancelled extrusion, and a spike beyond its corner 4.
    """
    return rag((0, 1, COUNT), (0, 4, COUNT + 1), more=[(0, 0, 0), (1.2, 0, 0)], **values)


def note_of(found):
    (note,) = [note for note in found.notes if "left out" in note]
    return note


def test_faces_without_area_are_left_out_and_named(scene):
    frames(scene, 1, 5)
    ob = hem()
    start = shown(ob, 1)
    outcome = baked()
    end = shown(ob, 5)
    assert end[:, 2].max() < -0.05
    np.testing.assert_allclose(end[COUNT], end[0], atol=1e-6)
    np.testing.assert_allclose(end[COUNT + 1] - end[4], start[COUNT + 1] - start[4], atol=1e-3)
    (line,) = [line for line in outcome.lines() if "left out" in line.text]
    assert line.text == message("note.flat_faces", name="Rag", count=2)
    assert line.objects == ("Rag",) and line.operator == "vbd.select_faces" and not line.warns


def test_doubled_faces_are_left_out_once(scene):
    a, b, c = grid(CELLS)[1][0].tolist()
    ob = rag((b, a, c))
    found = gathered()
    assert len(found.bodies[0].triangles) == 2 * CELLS**2
    assert note_of(found).startswith(
        "Rag: 1 face has the same corners as another one and is left out"
    )
    ob.vbd.role = "NONE"
    rag((b, a, c), (0, 1, 2))
    assert note_of(gathered()).startswith("Rag.001: 2 faces have no area or the same corners")


def test_quads_that_wind_the_other_way_are_doubled_too(scene):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=2, y_subdivisions=2)
    ob = bpy.context.object
    points = [v.co[:] for v in ob.data.vertices]
    faces = [tuple(face.vertices) for face in ob.data.polygons]
    twin = mesh_object("Twin", points, (), [*faces, faces[2][::-1]], "CLOTH")
    found = left_out(twin.data, np.array(points))
    np.testing.assert_array_equal(found.doubled, [4])
    assert not len(found.flat)


def test_a_plain_cloth_leaves_nothing_out_and_has_all_its_vertices(scene):
    sheet()
    found = gathered()
    assert not found.notes and found.targets[0].own is None


def test_without_any_area_a_cloth_is_refused(scene):
    mesh_object("Rag", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], faces=[(0, 1, 2)], role="CLOTH")
    with pytest.raises(ValueError, match="Rag: none of its faces has an area"):
        gathered()


def test_faces_that_are_flat_in_the_rest_shape_are_left_out(scene):
    ob = rag((0, 1, COUNT), more=[(0.1, -0.2, 0.0)])
    assert not gathered().notes
    ob.shape_key_add(name="Basis")
    ob.shape_key_add(name="Rest").data[COUNT].co = (0.1, 0.0, 0.0)
    ob.vbd.rest_shape_key = "Rest"
    found = gathered()
    assert note_of(found).startswith("Rag: 1 face has no area and is left out")
    assert found.bodies[0].rest_points.shape == (COUNT, 3)


def test_what_belongs_to_vertices_finds_those_that_are_left(scene):
    ob = hem(edges=[(COUNT, 24)])
    ob.vbd.use_sewing = True
    pin(ob, [3, COUNT])
    pin(ob, [7, COUNT + 1], 0.5)
    ob.vertex_groups.new(name="Heavy").add([24], 1.0, "REPLACE")
    row = ob.vbd.painted.add()
    row.what, row.vertex_group, row.value = "friction", "Heavy", 0.2
    hook = empty_object("Hook")
    ob.vertex_groups.new(name="Tied").add([COUNT + 1, 12], 1.0, "REPLACE")
    item = ob.vbd.attachments.add()
    item.target, item.vertex_group = hook, "Tied"
    slide(ob, 2, 0, 4, 1.0)
    frames(scene, 1, 4)
    found = gathered()
    body, target = found.bodies[0], found.targets[0]
    assert body.points.shape == (COUNT, 3)
    np.testing.assert_array_equal(body.pins.indices, [3])
    np.testing.assert_allclose(body.velocities[:, 2], 0.25 * scene.render.fps, rtol=1e-4)
    assert np.argmax(body.material.friction) == 24
    soft, seam, tied = found.holding
    assert soft.vertices.shape[0] == 1 and len(seam.vertices) == 1 and len(tied.vertices) == 2
    # A pinned vertex that is left out follows its object.
    start = target.start_points()
    up = target.visible(body.points + [0.0, 0.0, 5.0], target.start) - start
    np.testing.assert_allclose(up[[COUNT, COUNT + 1], 2], [0.0, 5.0], atol=1e-6)
    outcome = baked()
    assert not outcome.error


def test_others_can_be_tied_to_such_a_cloth(scene):
    hem()
    other = sheet("Other")
    other.location = (0.0, 0.0, 0.3)
    item = other.vbd.attachments.add()
    item.target = bpy.data.objects["Rag"]
    bpy.context.view_layer.update()
    (tied,) = gathered().holding
    assert tied.other.name == "Rag" and tied.corners.max() < COUNT


def test_what_is_carried_turns_with_the_cloth(scene):
    hem()
    found = gathered()
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    body, target = found.bodies[0], found.targets[0]
    now = target.visible(body.points @ turn.T, target.start)
    np.testing.assert_allclose(now, target.start.world_points() @ turn.T, atol=1e-6)
    numbers = Shapes(found).numbers(0, [body.points])["objects"]["Rag"]
    assert numbers["area"] == pytest.approx(1.0)


def test_loose_vertices_go_along(scene):
    ob = rag(more=[(0.3, 0.3, 0.1)])
    found = gathered()
    target, body = found.targets[0], found.bodies[0]
    np.testing.assert_allclose(target.visible(body.points, target.start)[COUNT], (0.3, 0.3, 0.1))
    assert found.notes == [message("note.loose_vertices", name="Rag", count=1)]
    assert ob.vbd.role == "CLOTH"


def test_the_button_selects_those_faces_in_edit_mode(scene):
    frames(scene, 1, 2)
    ob = hem()
    bpy.context.view_layer.objects.active = ob
    bpy.ops.vbd.bake()
    (index,) = [k for k, line in enumerate(lines_of(scene)) if line.operator == "vbd.select_faces"]
    assert bpy.ops.vbd.select_faces(line=index) == {"FINISHED"}
    try:
        assert ob.mode == "EDIT"
        assert scene.tool_settings.mesh_select_mode[2]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    chosen = [face.index for face in ob.data.polygons if face.select]
    assert chosen == [2 * CELLS**2, 2 * CELLS**2 + 1]
    assert ob.vbd.baked


def test_the_button_of_a_clean_cloth_says_so(scene, capfd):
    ob = sheet()
    bpy.context.view_layer.objects.active = ob
    assert bpy.ops.vbd.select_faces() == {"CANCELLED"}
    assert "Sheet: no faces are left out" in "".join(capfd.readouterr())
    assert ob.mode == "OBJECT"
