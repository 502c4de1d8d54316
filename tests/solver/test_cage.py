# SPDX-License-Identifier: GPL-3.0-or-later
"""The lattice cage: what it holds, and how exactly surface points sit in it."""

import numpy as np
import pytest
from surfaces import (
    CUBE,
    CUBE_TRIANGLES,
    SQUARE,
    SQUARE_TRIANGLES,
    SURFACES,
    open_tube,
    random_surface_points,
    sphere,
)

from vbd.solver.scene.cage import cage
from vbd.solver.scene.cage import embed_in_tets as embed
from vbd.solver.topology.meshes import tet_volumes


@pytest.fixture(params=SURFACES, ids=str)
def surface(request):
    return SURFACES[request.param]


def enclosed_mass(box):
    return (tet_volumes(box.points, box.tets) * box.fractions).sum()


@pytest.mark.parametrize("resolution", [1, 2, 7, 12])
def test_every_point_of_the_surface_lies_in_a_tet_of_the_cage(surface, resolution):
    points, triangles = surface
    on_it = random_surface_points(points, triangles)
    _, weights = embed(on_it, cage(points, triangles, resolution))
    # Weights are lengths over the cell size, so rounding scales with the distance to the origin.
    scale = np.abs(points).max() / np.ptp(points, axis=0).max() * resolution
    assert weights.min() >= -1e-14 * scale


@pytest.mark.parametrize("resolution", [1, 2, 7, 12])
def test_embedded_points_are_reproduced_at_rest(surface, resolution):
    points, triangles = surface
    box = cage(points, triangles, resolution)
    corners, weights = embed(points, box)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-14)
    back = np.einsum("ij,ijk->ik", weights, box.points[corners])
    np.testing.assert_allclose(back, points, rtol=0.0, atol=1e-12 * np.abs(points).max())


def test_embedded_points_follow_an_affine_motion_of_the_cage_exactly():
    points, triangles = sphere()
    box = cage(points, triangles, 8)
    corners, weights = embed(points, box)
    A = np.array([[1.2, 0.3, 0.0], [-0.4, 0.9, 0.1], [0.2, 0.0, 0.7]])
    moved = np.einsum("ij,ijk->ik", weights, (box.points @ A.T + 1.0)[corners])
    np.testing.assert_allclose(moved, points @ A.T + 1.0, atol=1e-13)


def test_a_point_outside_follows_the_nearest_cell():
    box = cage(CUBE, CUBE_TRIANGLES, 4)
    outside = np.array([[1.5, 0.5, 0.5], [-3.0, -3.0, -3.0]])
    corners, weights = embed(outside, box)
    np.testing.assert_allclose(
        np.einsum("ij,ijk->ik", weights, box.points[corners]), outside, atol=1e-12
    )
    assert box.points[corners[0], 0].min() >= 0.74
    assert box.points[corners[1]].max() <= 0.26


def test_tets_are_positively_oriented_and_equal_in_size(surface):
    box = cage(*surface, 5)
    volumes = tet_volumes(box.points, box.tets)
    np.testing.assert_allclose(volumes, box.cell_size**3 / 6.0, rtol=1e-9)


def test_neighboring_cells_share_whole_faces():
    box = cage(*sphere(), 6)
    faces = np.sort(
        box.tets[:, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]].reshape(-1, 3), axis=1
    )
    _, uses = np.unique(faces, axis=0, return_counts=True)
    assert uses.max() == 2
    # A face that is used once must be on the border of the cage: all of one border plane of a cell
    # without a neighbor. Two cells that cut their common square differently would break this.
    cells = np.argwhere(box.cell_index >= 0)
    kept = np.pad(box.cell_index >= 0, 1)
    border = sum(
        (~kept[tuple((cells + 1 + way * step).T)]).sum()
        for step in np.eye(3, dtype=int)
        for way in (-1, 1)
    )
    assert (uses == 1).sum() == 2 * border


def test_cell_corners_are_shared_and_all_used(surface):
    box = cage(*surface, 5)
    places = np.round((box.points - box.origin) / box.cell_size).astype(int)
    assert len(np.unique(places, axis=0)) == len(places)
    assert set(box.tets.ravel()) == set(range(len(box.points)))


@pytest.mark.parametrize("resolution", [4, 8, 12, 24])
def test_the_mass_of_a_sphere_is_right_within_2_percent(resolution):
    # The polyhedron of 24 rings holds 0.99 of the round sphere; measure against itself.
    points, triangles = sphere()
    a, b, c = points[triangles].swapaxes(0, 1)
    exact = abs(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0
    assert enclosed_mass(cage(points, triangles, resolution)) == pytest.approx(exact, rel=0.02)


def test_the_mass_of_a_box_is_right_though_its_sides_run_along_the_cells():
    assert enclosed_mass(cage(CUBE, CUBE_TRIANGLES, 8)) == pytest.approx(1.0, rel=1e-4)


def test_turning_the_triangles_inside_out_changes_nothing():
    forward, backward = cage(*sphere(), 6), cage(sphere()[0], sphere()[1][:, ::-1], 6)
    np.testing.assert_array_equal(forward.tets, backward.tets)
    np.testing.assert_allclose(forward.fractions, backward.fractions)


def test_a_hole_narrower_than_a_cell_leaves_the_inside_filled():
    points, triangles = sphere()
    # Both triangles of one quad, 0.13 wide; a cell is 0.33, a cell of the finer lattice 0.11.
    hole = [10 * 48 + 5, 23 * 48 + 10 * 48 + 5]
    whole, holed = cage(points, triangles, 6), cage(points, np.delete(triangles, hole, axis=0), 6)
    assert len(holed.tets) == len(whole.tets)
    assert enclosed_mass(holed) == pytest.approx(enclosed_mass(whole), rel=0.1)


def test_an_open_tube_stays_hollow():
    assert cage(*open_tube(), 24).cell_index[6, 6, 12] == -1


def test_a_flat_sheet_becomes_one_layer_of_cells():
    assert cage(SQUARE, SQUARE_TRIANGLES, 10).cell_index.shape == (10, 10, 1)


def test_every_fraction_is_above_zero_and_at_most_one(surface):
    fractions = cage(*surface, 9).fractions
    assert fractions.min() > 0.0
    assert fractions.max() <= 1.0


def test_the_same_input_gives_the_same_cage_bit_for_bit(surface):
    first, second = cage(*surface, 6), cage(*surface, 6)
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.tets, second.tets)
    np.testing.assert_array_equal(first.fractions, second.fractions)


@pytest.mark.parametrize(
    ("points", "triangles", "resolution", "text"),
    [
        (CUBE, [], 8, "Blob: the mesh has no faces"),
        (np.zeros((0, 3)), [], 8, "Blob: the mesh has no faces"),
        (np.where(CUBE > 0.5, np.nan, CUBE), CUBE_TRIANGLES, 8, "Blob: 7 of 8 points are not fin"),
        (CUBE, CUBE_TRIANGLES, 0, "Blob: the cage resolution is 0"),
        (CUBE, CUBE_TRIANGLES, 10000, "Blob: the cage resolution is 10000"),
        (CUBE, CUBE_TRIANGLES, float("nan"), "Blob: the cage resolution is nan"),
        (0.0 * CUBE, CUBE_TRIANGLES, 8, "Blob: all faces lie in one point"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(points, triangles, resolution, text):
    with pytest.raises(ValueError, match=text):
        cage(points, np.array(triangles, int), resolution, "Blob")
