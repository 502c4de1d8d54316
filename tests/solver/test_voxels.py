# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells that triangles touch."""

import numpy as np
from surfaces import random_surface_points

from vbd.solver.lattice.voxels import touched_cells


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


def test_a_triangle_without_area_touches_the_cells_that_its_points_are_in():
    rng = np.random.default_rng(2)
    for ends in rng.uniform(1.0, 11.0, (20, 2, 3)):
        triangle = np.array([ends[0], 0.3 * ends[0] + 0.7 * ends[1], ends[1]])
        touched = touched_cells(triangle[None], np.array([12, 12, 12]))
        along = ends[0] + np.linspace(0.0, 1.0, 1000)[:, None] * (ends[1] - ends[0])
        assert touched[tuple(np.floor(along).astype(int).T)].all()
