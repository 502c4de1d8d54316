# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces with corners along straight lines become triangles that have an area."""

import bpy
import numpy as np
import pytest
from blender_scenes import gathered, mesh_object

from vbd.addon.objects import read_mesh
from vbd.addon.objects.slivers import without_slivers
from vbd.solver.contact.surface import is_closed

CUTS = 6


@pytest.fixture
def cylinder(scene):
    """A cylinder with all edges subdivided: its lids are faces of many corners."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=24)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=CUTS)
    bpy.ops.object.mode_set(mode="OBJECT")
    return bpy.context.object


def areas(points, triangles):
    a, b, c = (points[triangles[:, k]].astype(float) for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def test_the_lids_of_a_subdivided_cylinder_have_no_slivers(cylinder):
    mesh = cylinder.data
    points, triangles = read_mesh.positions(mesh), read_mesh.triangles(mesh)
    mesh.calc_loop_triangles()
    theirs = np.array([triangle.vertices for triangle in mesh.loop_triangles])
    assert areas(points, theirs).min() < 1e-9  # slivers, in Blender's own triangulation
    assert len(triangles) == len(theirs)
    mine = areas(points, triangles)
    assert mine.min() > 1e-6
    assert mine.sum() == pytest.approx(areas(points, theirs).sum(), rel=1e-6)
    assert is_closed(triangles)


def test_such_a_cylinder_may_be_a_cloth(cylinder):
    cylinder.vbd.role = "CLOTH"
    gathered()


def test_other_meshes_keep_their_triangles(scene):
    bpy.ops.mesh.primitive_monkey_add()
    mesh = bpy.context.object.data
    mesh.calc_loop_triangles()
    theirs = [tuple(triangle.vertices) for triangle in mesh.loop_triangles]
    assert read_mesh.triangles(mesh).tolist() == [list(triangle) for triangle in theirs]


def test_what_has_no_area_as_a_whole_stays(scene):
    line = mesh_object("Line", [(k, 0, 0) for k in range(5)], faces=[range(5)])
    corners = read_mesh.triangles(line.data)
    assert len(corners) == 3 and not areas(read_mesh.positions(line.data), corners).any()
    one = np.array([[0, 1, 2]])
    face, vertex = np.zeros(1, int), np.arange(3)
    assert without_slivers(one, face, np.zeros((3, 3)), vertex).tolist() == one.tolist()
