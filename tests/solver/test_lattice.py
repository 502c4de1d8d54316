# SPDX-License-Identifier: GPL-3.0-or-later
"""The lattice cage: what it holds, and how exactly surface points sit in it."""

import numpy as np
import pytest

from vbd.solver.scene.lattice import cage, embed
from vbd.solver.scene.voxels import touched_cells
from vbd.solver.topology.meshes import tet_volumes

CUBE = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
CUBE_SIDES = np.array(
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
)
CUBE_TRIANGLES = np.concatenate([CUBE_SIDES[:, [0, 1, 2]], CUBE_SIDES[:, [0, 2, 3]]])
SQUARE = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]])
SQUARE_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])


def tube_points(radius, centers_z, around):
    """Rings of `around` points, one for every radius and height."""
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(around)], axis=1)
    rings = [r * ring + (0.0, 0.0, z) for r, z in zip(radius, centers_z, strict=True)]
    return np.concatenate(rings)


def tube_triangles(rings, around):
    i, j = (a.ravel() for a in np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij"))
    a, b = i * around + j, i * around + (j + 1) % around
    lower = np.stack([a, b, b + around], axis=1)
    return np.concatenate([lower, np.stack([a, b + around, a + around], axis=1)])


def sphere(rings=24, around=48):
    """A closed unit sphere whose poles are rings of almost no size, and fans over them."""
    t = np.linspace(0.05, np.pi - 0.05, rings)
    points = tube_points(np.sin(t), -np.cos(t), around)
    south, north = len(points), len(points) + 1
    points = np.concatenate([points, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    j = np.arange(around)
    k, top = (j + 1) % around, (rings - 1) * around
    fans = [np.stack([k, j, np.full(around, south)], 1)]
    fans += [np.stack([top + j, top + k, np.full(around, north)], 1)]
    return points, np.concatenate([tube_triangles(rings, around), *fans])


def open_tube():
    """No caps: the outside reaches the inside through both ends."""
    return tube_points(np.full(5, 0.5), np.linspace(0.0, 2.0, 5), 24), tube_triangles(5, 24)


def two_cubes():
    """Overlapping, so the surface intersects itself."""
    points = np.concatenate([CUBE, CUBE + 0.4])
    return points, np.concatenate([CUBE_TRIANGLES, CUBE_TRIANGLES + 8])


def fan():
    """Three triangles on one edge: not a manifold."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, -1, 0], [0.5, 0, 1]], float)
    return points, np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])


def line():
    """A triangle without area."""
    return np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]), np.array([[0, 1, 2]])


SURFACES = {
    "sphere": sphere(),
    "cube": (CUBE, CUBE_TRIANGLES),
    "far_cube": (1e-3 * CUBE + (50.0, -20.0, 3.0), CUBE_TRIANGLES),
    "open_tube": open_tube(),
    "two_cubes": two_cubes(),
    "fan": fan(),
    "square": (SQUARE, SQUARE_TRIANGLES),
    "one_triangle": (SQUARE, SQUARE_TRIANGLES[:1]),
    "line": line(),
}


@pytest.fixture(params=SURFACES, ids=str)
def surface(request):
    return SURFACES[request.param]


def random_surface_points(points, triangles, count=2000):
    rng = np.random.default_rng(0)
    weights = rng.dirichlet((1.0, 1.0, 1.0), count)
    corners = points[triangles[rng.integers(len(triangles), size=count)]]
    return np.einsum("ij,ijk->ik", weights, corners)


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
