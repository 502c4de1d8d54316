# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel shows the length of folds of a fabric and the shortest that its mesh allows, and a
button makes finer faces.
"""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import gathered, mesh_object, pin
from panel_layout import Layout

from vbd.addon.objects.face_size import automatic_thickness, triangle_area
from vbd.addon.objects.read_mesh import positions
from vbd.addon.panels import advice, folds, sidebar
from vbd.solver.bodies.folds import fold_length, mesh_fold_length
from vbd.solver.scene.thickness import collision_thickness


@pytest.fixture
def cloth(scene):
    """Cotton of 4 m with faces of 0.1 m, whose folds are of 21 mm."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=40, y_subdivisions=40, size=4.0)
    bpy.ops.vbd.add(role="CLOTH")
    ob = bpy.context.object
    ob.name = "Throw"
    return ob


def drawn(ob):
    layout = Layout()
    folds.draw_folds(layout, bpy.context, ob)
    return layout.shown


def test_both_lengths_are_told_with_a_button_where_the_mesh_is_coarser(cloth):
    fabric = fold_length(11.5e-6, 0.13, 9.81)
    mesh = mesh_fold_length(0.5 * 0.1**2)
    assert (float(fabric), float(mesh)) == pytest.approx((0.0208, 0.05), rel=0.01)
    assert drawn(cloth) == ["Folds: fabric 21 mm, mesh 50 mm", "vbd.subdivide_faces"]
    cloth.vbd.bending_stiffness = 1e-3  # folds of 92 mm
    assert drawn(cloth) == ["Folds: fabric 92 mm, mesh 50 mm"]


def test_the_line_is_whole_in_a_narrow_editor(cloth):
    to_view = SimpleNamespace(region_to_view=lambda x, y: (float(x), float(y)))
    region = SimpleNamespace(type="WINDOW", width=180, view2d=to_view)
    known = {name: getattr(bpy.context, name) for name in ("scene", "preferences", "object")}
    narrow, layout = SimpleNamespace(region=region, **known), Layout()
    narrow.preferences = SimpleNamespace(
        system=SimpleNamespace(ui_scale=1.0), ui_styles=bpy.context.preferences.ui_styles
    )
    folds.draw_folds(layout, narrow, cloth)
    *lines, _button = layout.shown
    assert len(lines) > 1 and " ".join(lines) == "Folds: fabric 21 mm, mesh 50 mm"
    width = advice.measured(narrow)
    assert max(map(width, lines)) <= advice.text_width(narrow) == 180 - advice.BESIDE_TEXT


def test_faces_are_measured_in_the_world(cloth):
    assert triangle_area(cloth) == pytest.approx(0.005)
    cloth.scale = (2.0, 3.0, 1.0)
    bpy.context.view_layer.update()
    assert triangle_area(cloth) == pytest.approx(0.03)
    cloth.rotation_euler = (0.3, 0.4, 0.5)
    bpy.context.view_layer.update()
    assert triangle_area(cloth) == pytest.approx(0.03, rel=1e-5)
    bpy.context.scene.unit_settings.scale_length = 0.1
    assert triangle_area(cloth) == pytest.approx(0.0003, rel=1e-5)


@pytest.mark.parametrize("role", ["CLOTH", "SOFT"])
@pytest.mark.parametrize("size", [4.0, 0.5])
def test_the_automatic_thickness_is_that_of_the_solver(scene, role, size):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=size, segments=64, ring_count=32)
    ob = bpy.context.object
    ob.vbd.role, ob.scale = role, (1.0, 2.0, 3.0)
    bpy.context.view_layer.update()
    expected = float(np.max(collision_thickness(gathered().bodies[0])))
    assert automatic_thickness(ob) == pytest.approx(expected, rel=0.05)
    ob.scale = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    assert automatic_thickness(ob) == pytest.approx(0.1 * expected, rel=0.05)


def test_of_faces_of_many_sizes_the_middle_triangle_counts(scene):
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (3, 0, 0), (3, 1, 0), (3, 9, 0)]
    ob = mesh_object("Rag", points, (), [(0, 1, 2, 3), (1, 4, 5), (1, 5, 2), (2, 5, 6)], "CLOTH")
    # Two of 0.5 in the quad, two of 1 beside it, and one of 8.
    assert triangle_area(ob) == pytest.approx(1.0)


@pytest.mark.parametrize("change", ["gravity", "bending", "after", "empty", "soft"])
def test_no_line_where_there_is_nothing_to_say(cloth, change):
    if change == "gravity":
        bpy.context.scene.use_gravity = False
    elif change == "bending":
        cloth.vbd.bending_stiffness = 0.0
    elif change == "after":
        modifier = cloth.modifiers.new("Round", "SUBSURF")
        cloth.vbd.stack_place, cloth.vbd.stack_modifier = "AFTER", modifier.name
    elif change == "empty":
        cloth.data.clear_geometry()
    else:
        cloth.vbd.role = "SOFT"
    assert drawn(cloth) == []


def test_the_sidebar_has_the_line_where_the_mesh_is_coarser(cloth):
    def shown():
        layout = Layout()
        sidebar.VBD_PT_sidebar.draw(SimpleNamespace(layout=layout), bpy.context)
        return [text for text in layout.shown if text.startswith("Folds")]

    assert shown() == ["Folds: fabric 21 mm, mesh 50 mm"]
    cloth.vbd.bending_stiffness = 1e-3
    assert shown() == []


def test_the_button_halves_every_face_of_a_cloth(cloth, capfd):
    pin(cloth, [0, 1])
    cloth.shape_key_add(name="Basis")
    before = positions(cloth.data).copy()
    assert bpy.ops.vbd.subdivide_faces() == {"FINISHED"}
    assert len(cloth.data.polygons) == 4 * 1600
    assert {len(face.vertices) for face in cloth.data.polygons} == {4}
    assert np.ptp(positions(cloth.data), axis=0) == pytest.approx(np.ptp(before, axis=0))
    assert triangle_area(cloth) == pytest.approx(0.005 / 4.0)
    pinned = [v for v in cloth.data.vertices if v.groups and v.groups[0].weight > 0.9]
    assert len(pinned) == 3  # and the vertex between the two
    assert drawn(cloth)[0].endswith("mesh 25 mm")


def test_triangles_and_faces_of_many_corners_are_halved_too(scene):
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (-0.5, 0.5, 0), (2, 0.5, 0)]
    ob = mesh_object("Rag", points, (), [(0, 1, 2, 3, 4), (1, 5, 2)], "CLOTH")
    ob.select_set(True)
    bpy.ops.vbd.subdivide_faces()
    assert len(ob.data.polygons) == 4 * 4
    assert max(len(face.vertices) for face in ob.data.polygons) == 3


def test_seams_are_halved_with_the_faces_that_they_join(scene):
    """Two quads face to face, sewn along one side, and a third seam that meets in one vertex."""
    points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    ob = mesh_object(
        "Case", points, [(0, 4), (1, 5), (3, 5)], [(0, 1, 3, 2), (4, 5, 7, 6)], "CLOTH"
    )
    ob.select_set(True)
    bpy.ops.vbd.subdivide_faces()
    seams = [sorted(edge.vertices) for edge in ob.data.edges if edge.is_loose]
    at = positions(ob.data)
    middles = {tuple(at[list(ends)].mean(axis=0).round(3)) for ends in seams}
    assert middles == {
        (0.0, 0.0, 0.5),
        (1.0, 0.0, 0.5),
        (1.0, 0.5, 0.5),
        (0.5, 0.0, 0.5),
        (1.0, 0.25, 0.5),
    }
    assert len(ob.data.polygons) == 8


def test_what_a_modifier_makes_is_not_halved_below_it(cloth, capfd):
    modifier = cloth.modifiers.new("Round", "SUBSURF")
    cloth.vbd.stack_place, cloth.vbd.stack_modifier = "AFTER", modifier.name
    assert bpy.ops.vbd.subdivide_faces() == {"CANCELLED"}
    assert "Throw: Round makes the faces that are simulated; raise its levels" in "".join(
        capfd.readouterr()
    )
    cloth.vbd.stack_place = "AUTO"
    assert bpy.ops.vbd.subdivide_faces() == {"FINISHED"}


def test_a_bake_of_a_cloth_is_freed_before_its_faces_are_halved(cloth):
    from vbd.addon.playing import playback

    count = len(cloth.data.vertices)
    playback.write(cloth, [np.zeros((count, 3), np.float32)] * 2, 1, [])
    cloth.vbd.baked = True
    assert bpy.ops.vbd.subdivide_faces() == {"FINISHED"}
    assert not cloth.vbd.baked and cloth.data.shape_keys is None
