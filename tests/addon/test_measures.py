# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretch, area, volume and inverted elements, against known values."""

import numpy as np
import pytest
from shapes import box, grid

from vbd.addon.objects.measures import (
    area,
    edge_stretch,
    enclosed_volume,
    inside_out,
    is_closed,
    per_vertex,
    triangle_stretch,
)
from vbd.solver.topology.meshes import boundary_triangles

# Rounding of a few operations in float64.
ROUNDING = 1e-12


def turned(points, angle=0.7, axis=(0.6, 0.0, 0.8)):
    """Points [vertex, 3] after a rotation."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return points @ turn.T


def test_the_stretch_of_triangles_is_the_larger_singular_value():
    points, triangles = grid(3)
    rest = turned(points.astype(float))
    for stretches in ((1.5, 1.0, 1.0), (0.5, 0.8, 1.0), (1.0, 1.0, 1.0)):
        now = turned(points * stretches, angle=-1.1) + 3.0
        found = triangle_stretch(rest, now, triangles)
        np.testing.assert_allclose(found, max(stretches[:2]), rtol=1e-9)


def test_shear_stretches_along_the_diagonal():
    points, triangles = grid(2)
    now = points.astype(float)
    now[:, 0] += 0.5 * now[:, 1]
    expected = np.linalg.svd([[1.0, 0.5], [0.0, 1.0]])[1].max()
    found = triangle_stretch(points, now, triangles)
    np.testing.assert_allclose(found, expected, rtol=ROUNDING)


def test_triangles_and_edges_of_no_size_are_not_stretched():
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 0, 0)], float)
    triangles = np.array([(0, 1, 2), (0, 1, 3)])
    now = points + np.array([(0, 0, 0), (0, 0, 0), (0, 0, 0), (5, 5, 5)])
    np.testing.assert_allclose(triangle_stretch(points, now, triangles), 1.0, rtol=ROUNDING)
    edges = np.array([(0, 1), (1, 1)])
    np.testing.assert_allclose(edge_stretch(points, 2 * points, edges), (2.0, 1.0))


def test_a_box_has_its_area_and_volume_wherever_it_is():
    points, tets = box((2, 3, 1))
    triangles = boundary_triangles(tets)
    size = np.ptp(points, axis=0)
    moved = turned(points.astype(float)) + 100.0
    x, y, z = size
    assert is_closed(triangles)
    assert not is_closed(triangles[1:])
    assert area(moved, triangles) == pytest.approx(2 * (x * y + y * z + z * x), rel=1e-9)
    assert abs(enclosed_volume(moved, triangles)) == pytest.approx(x * y * z, rel=1e-9)


def test_tets_and_cells_that_are_inside_out_are_found():
    points, tets = box((2, 1, 1))
    assert len(inside_out(points, tets)) == 0
    assert len(inside_out(points * (1, 1, -1), tets)) == len(tets)
    corners = np.array([(k & 1, k >> 1 & 1, k >> 2) for k in range(8)], float)
    cell = np.arange(8)[None]
    assert len(inside_out(corners, cell)) == 0
    np.testing.assert_allclose(inside_out(corners * (-1, 1, 1), cell), [(-0.5, 0.5, 0.5)])


def test_a_vertex_has_the_mean_of_its_triangles():
    values = per_vertex(np.array([1.0, 3.0]), np.array([(0, 1, 2), (2, 1, 3)]), 5)
    np.testing.assert_allclose(values, (1.0, 2.0, 2.0, 3.0, 1.0))
