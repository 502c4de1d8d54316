# SPDX-License-Identifier: GPL-3.0-or-later
"""Inner vertices of a lattice follow those around them."""

import numpy as np
from shapes import cell_box

from vbd.solver.lattice.harmonic import HarmonicExtension, cell_edges

AFFINE = np.array([[0.0, -1.1, 0.1], [0.9, 0.2, 0.0], [0.0, 0.3, 1.2]])


def cube(count):
    """A cube of cells and its vertices on the outside."""
    points, cells = cell_box((count, count, count), (count, count, count))
    middle = points - points.mean(axis=0)
    return points, cells, np.flatnonzero(np.abs(middle).max(axis=1) > count / 2 - 1e-6)


def test_a_cell_has_twelve_edges_of_its_side():
    points, cells, _ = cube(1)
    ends = cell_edges(cells)
    assert len(ends) == 12
    np.testing.assert_allclose(np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1), 1.0)


def test_an_affine_motion_of_the_outside_moves_the_inside_along():
    points, cells, outside = cube(5)
    moved = points @ AFFINE.T + [3.0, 0.0, -1.0]
    np.testing.assert_allclose(
        HarmonicExtension(points, cells, outside).of(moved[outside]), moved, atol=1e-9
    )


def test_inner_vertices_are_the_means_of_their_neighbors():
    points, cells, outside = cube(6)
    moved = points + np.sin(points[:, [1, 2, 0]])
    found = HarmonicExtension(points, cells, outside).of(moved[outside])
    inner = np.setdiff1d(np.arange(len(points)), outside)
    ends = np.unique(np.sort(cell_edges(cells), axis=1), axis=0)
    for vertex in inner:
        beside = ends[(ends == vertex).any(axis=1)]
        others = beside[beside != vertex]
        # Conjugate gradients end at a ten-thousandth of the first residual.
        np.testing.assert_allclose(found[vertex], found[others].mean(axis=0), atol=1e-3)


def test_without_inner_vertices_the_known_ones_are_all():
    points, cells, outside = cube(1)
    np.testing.assert_array_equal(
        HarmonicExtension(points, cells, outside).of(2.0 * points[outside]), 2.0 * points
    )
