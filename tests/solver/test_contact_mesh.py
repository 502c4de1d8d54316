# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact surface of a body in a lattice."""

import numpy as np
import pytest
from shapes import block, bumpy_ball, plane, rotation

from vbd.benchmarks.experiments.cells_shapes import hand
from vbd.solver.contact.surface import is_closed
from vbd.solver.lattice.contact_mesh import contact_mesh, simplified, split
from vbd.solver.lattice.voxels import closed_volume
from vbd.solver.topology.meshes import longest_edges, triangle_areas

MANY = 10**6


def distances(points, surface, triangles):
    """Distance of `points` from the triangles of a surface, by many points of each of them."""
    share = np.array([(i, j, 12 - i - j) for i in range(13) for j in range(13 - i)]) / 12.0
    there = np.einsum("sk,tki->tsi", share, surface[triangles]).reshape(-1, 3)
    return np.array([np.linalg.norm(there - p, axis=1).min() for p in points])


@pytest.mark.parametrize("cells", [3, 7, 12])
@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_box_of_eight_vertices_touches_at_the_spacing_of_its_lattice(cells, turn):
    points, triangles = block((1.0, 0.6, 0.4), (0.0, 0.0, 1.0))
    points = points @ rotation(np.array([0.6, 0.0, 0.8]), turn).T
    cell = 1.0 / cells
    touching, faces = contact_mesh(points, triangles, cell, MANY)
    # The point of a triangle that is farthest from its corners is at most L / √3 away from them.
    assert longest_edges(touching, faces).max() <= np.sqrt(2.0) * cell
    assert is_closed(faces)
    assert triangle_areas(touching, faces).sum() == pytest.approx(2.0 * (0.6 + 0.4 + 0.24))
    assert closed_volume(touching, faces) == pytest.approx(0.24)
    # No more than necessary: 8 points in the square of a cell.
    assert len(touching) < 8.0 * 2.0 * (0.6 + 0.4 + 0.24) / cell**2 + 100


def test_long_thin_faces_are_split_too():
    angle = np.linspace(0.0, 2.0 * np.pi, 33)[:-1]
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(32)], axis=1)
    sides = np.array([(k, (k + 1) % 32, 32 + k) for k in range(32)])
    fan = np.array([(32, 32 + k, 33 + k) for k in range(1, 31)])
    points, triangles = np.concatenate([ring, ring + [0, 0, 2]]), np.concatenate([sides, fan])
    touching, faces = contact_mesh(points, triangles, 0.2, MANY)
    assert longest_edges(touching, faces).max() <= 0.2 * np.sqrt(2.0)
    area = triangle_areas(points, triangles).sum()
    assert triangle_areas(touching, faces).sum() == pytest.approx(area)


def test_a_mesh_as_fine_as_its_lattice_stays_as_it_is():
    points, triangles = bumpy_ball(0.3)
    touching, faces = contact_mesh(points, triangles, 0.3, MANY)
    np.testing.assert_array_equal(touching, points)
    np.testing.assert_array_equal(faces, triangles)


def test_splitting_keeps_the_points_that_there_were_first():
    points, triangles = plane(2.0)
    finer, _ = split(points, triangles, 0.3)
    np.testing.assert_array_equal(finer[:4], points)


def test_faces_without_area_and_points_without_faces_are_left_out():
    points = np.array([[9.0, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]])
    touching, faces = contact_mesh(points, np.array([[1, 2, 3], [1, 2, 4]]), 5.0, MANY)
    np.testing.assert_array_equal(touching[faces], points[[[1, 2, 3]]])
    assert len(touching) == 3
    assert not len(contact_mesh(points, np.array([[1, 2, 4]]), 5.0, MANY)[1])


def test_a_fine_mesh_is_simplified_to_points_of_its_own():
    points, triangles = bumpy_ball(2.0, rows=50)
    cell = 0.2
    touching, faces = contact_mesh(points, triangles, cell, 2000)
    assert len(touching) < 2000 < len(points)
    own = np.isin(touching.round(9), points.round(9)).all(axis=1)
    assert own.mean() > 0.99  # but for an edge that was split twice
    # Half a cell apart, on bumps of radius 0.2 m: chords stay within a tenth of a cell of the mesh.
    share = np.full(3, 1.0 / 3.0)
    middles = np.einsum("k,tki->ti", share, touching[faces])[::25]
    assert distances(middles, points, triangles).max() < 0.1 * cell
    assert closed_volume(points, triangles) == pytest.approx(
        abs(np.linalg.det(touching[faces] - points.mean(axis=0)).sum()) / 6.0, rel=0.02
    )


def test_the_sides_of_a_thin_plate_stay_apart():
    points, triangles = block((1.0, 1.0, 0.02), (0.0, 0.0, 0.0))
    points, triangles = split(points, triangles, 0.02)
    coarse, faces = simplified(points, triangles, 0.2)
    heights = np.unique(coarse[np.unique(faces), 2].round(6))
    assert heights.min() == pytest.approx(-0.01)
    assert heights.max() == pytest.approx(0.01)
    top = (coarse[faces][:, :, 2] > 0.009).all(axis=1)
    assert triangle_areas(coarse, faces)[top].sum() > 0.75


def test_a_simplified_mesh_does_not_bridge_a_gap_narrower_than_its_spacing():
    points, triangles = split(*hand(0.1), 0.1)
    touching, faces = contact_mesh(points, triangles, 1.0, 100)
    assert len(touching) < 0.1 * len(points)
    corners = touching[faces]
    beyond = corners[:, :, 1].min(axis=1) > 0.5
    finger = (corners[beyond][:, :, 0] + 1e-6) // 0.9
    np.testing.assert_array_equal(finger, np.repeat(finger[:, :1], 3, axis=1))
