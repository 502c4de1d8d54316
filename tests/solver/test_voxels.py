# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cells triangles touch."""

import numpy as np
from surfaces import random_surface_points

from vbd.solver.scene.voxels import touched_cells, touches


def test_a_triangle_touches_the_cells_of_its_points_and_none_that_a_plane_separates():
    rng = np.random.default_rng(1)
    corners = rng.uniform(1.0, 11.0, (20, 3, 3))
    for triangle in corners:
        touched = touched_cells(triangle[None], np.array([12, 12, 12]))
        on_it = random_surface_points(triangle, np.array([[0, 1, 2]]), 20000)
        assert touched[tuple(np.floor(on_it).astype(int).T)].all()
        # No cell is touched whose center is further away than its half diagonal.
        centers = np.argwhere(touched) + 0.5
        normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
        distance = np.abs((centers - triangle[0]) @ normal) / np.linalg.norm(normal)
        assert distance.max() <= np.sqrt(0.75) + 1e-6


def test_a_large_triangle_touches_as_many_cells_as_its_parts():
    counts = np.array([40, 40, 40])
    whole = np.array([[[0.5, 0.5, 0.5], [39.3, 2.0, 11.0], [5.0, 38.7, 36.0]]])
    a, b, c = whole[0]
    parts = np.array([[a, b, 0.5 * (b + c)], [a, 0.5 * (b + c), c]])
    np.testing.assert_array_equal(touched_cells(whole, counts), touched_cells(parts, counts))


def test_a_triangle_without_area_touches_the_cells_that_its_points_are_in():
    rng = np.random.default_rng(2)
    for ends in rng.uniform(1.0, 11.0, (20, 2, 3)):
        triangle = np.array([ends[0], 0.3 * ends[0] + 0.7 * ends[1], ends[1]])
        touched = touched_cells(triangle[None], np.array([12, 12, 12]))
        along = ends[0] + np.linspace(0.0, 1.0, 1000)[:, None] * (ends[1] - ends[0])
        assert touched[tuple(np.floor(along).astype(int).T)].all()


def test_pairs_of_triangles_and_cells_are_those_of_single_triangles():
    rng = np.random.default_rng(3)
    corners, counts = rng.uniform(0.0, 9.0, (10, 3, 3)), np.array([9, 9, 9])
    triangle, cell = touches(corners, counts)
    for number, one in enumerate(corners):
        alone = np.flatnonzero(touched_cells(one[None], counts))
        np.testing.assert_array_equal(cell[triangle == number], alone)
