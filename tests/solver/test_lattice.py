# SPDX-License-Identifier: GPL-3.0-or-later
"""The lattice of cells: its contents, separation of components, and embedding of points."""

import numpy as np
import pytest
from shapes import bumpy_ball, grid
from surfaces import (
    CUBE,
    CUBE_TRIANGLES,
    SURFACES,
    open_tube,
    random_surface_points,
    sphere,
    turned,
)

from vbd.benchmarks.experiments.cells_shapes import blocks_surface, hand, joined, linked_rings
from vbd.solver.bodies.solids import CELL_CORNERS
from vbd.solver.lattice.contact_mesh import split
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.lattice.voxels import closed_volume, touched_cells
from vbd.solver.topology.graphs import connected_components, unique_edges

GAPS = [1 / 3, 0.1, 0.01]
BALL, BALL_TRIANGLES = bumpy_ball(1.0)
MOEBIUS_STEPS = 60


def moebius():
    """A band with one side."""
    angle = np.linspace(0.0, 2.0 * np.pi, MOEBIUS_STEPS, endpoint=False)[:, None]
    across = np.array([-0.4, 0.4])
    out = 1.0 + across * np.cos(0.5 * angle)
    up = across * np.sin(0.5 * angle)
    points = np.stack([out * np.cos(angle), out * np.sin(angle), up], axis=2).reshape(-1, 3)
    left = 2 * np.arange(MOEBIUS_STEPS)
    ahead = np.stack([left + 2, left + 3], axis=1)
    ahead[-1] = 1, 0
    a, b, (c, d) = left, left + 1, ahead.T
    return points, np.concatenate([np.stack([a, b, d], 1), np.stack([a, d, c], 1)])


def scaled(factor, shift, flip=False):
    return factor * BALL + shift, BALL_TRIANGLES[:, ::-1] if flip else BALL_TRIANGLES


ball = (BALL, BALL_TRIANGLES)
# Surfaces of one body each, and so of one lattice.
ONE_BODY = SURFACES | {
    "ball": ball,
    "grid": grid(12),
    "moebius": moebius(),
    "open_box": blocks_surface(np.ones((1, 1, 1), bool), [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]),
    "thin_block": blocks_surface(np.ones((1, 1, 1), bool), [0.0, 1.0], [0.0, 1.0], [0.0, 0.02]),
    "ball_with_ears": joined(ball, scaled(0.3, (0.45, 0.1, 0.2)), scaled(0.3, (-0.5, 0.1, 0.2))),
    "speck_in_a_ball": joined(ball, scaled(0.02, (0.05, 0.1, 0.12))),
    "bubble_in_a_ball": joined(ball, scaled(0.02, (0.05, 0.1, 0.12), flip=True)),
    "hollow_ball": joined(ball, scaled(0.9, 0.0, flip=True)),
    "plane_through_a_cube": joined(
        (CUBE, CUBE_TRIANGLES), (3.0 * CUBE[:4] - (1, 1, -0.5), [[0, 1, 3], [0, 3, 2]])
    ),
    "soup": (BALL[BALL_TRIANGLES].reshape(-1, 3), np.arange(BALL_TRIANGLES.size).reshape(-1, 3)),
}
ONE_BODY["open_box"] = (ONE_BODY["open_box"][0], ONE_BODY["open_box"][1][2:])
CONVEX = ["sphere", "cube", "far_cube", "square", "one_triangle", "grid"]


@pytest.fixture(params=ONE_BODY, ids=str)
def surface(request):
    return ONE_BODY[request.param]


def components(cells, count):
    """Connected components by shared vertices, [vertex]."""
    return connected_components(unique_edges(cells), count)


def bodies_in(lat):
    return len(np.unique(components(lat.cells, len(lat.points))[lat.cells]))


def volume_in(lat):
    return lat.filling.part.sum() * lat.cell_size**3


def moved(corners, weights, positions):
    return np.einsum("pk,pki->pi", weights, positions[corners])


@pytest.mark.parametrize("resolution", [1, 2, 3, 7, 12])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_one_body_is_one_lattice(surface, resolution, seed):
    points, triangles = surface
    points = points if seed is None else turned(points, seed)
    assert bodies_in(lattice(points, triangles, resolution)) == 1


@pytest.mark.parametrize("resolution", [1, 2, 7, 12])
def test_every_point_of_the_surface_lies_in_a_cell_that_it_follows(surface, resolution):
    points, triangles = surface
    on_it = random_surface_points(points, np.array(triangles))
    _, weights = embed(on_it, lattice(points, triangles, resolution))
    # Weights are lengths over the cell size, so rounding scales with the distance to the origin.
    scale = np.abs(points).max() / np.ptp(points, axis=0).max() * resolution
    assert weights.min() >= -1e-14 * scale - 1e-8


@pytest.mark.parametrize("resolution", [1, 2, 7, 12])
def test_embedded_points_are_reproduced_at_rest(surface, resolution):
    points, triangles = surface
    lat = lattice(points, triangles, resolution)
    corners, weights = embed(points, lat)
    assert corners.dtype == np.int32
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-13)
    back = moved(corners, weights, lat.points)
    np.testing.assert_allclose(back, points, rtol=0.0, atol=1e-12 * np.abs(points).max())


def test_embedded_points_follow_a_trilinear_motion_exactly():
    def motion(x):
        x, y, z = x.T
        return np.stack([x * y * z, x * y - z, y * z + x], axis=1)

    points, triangles = sphere()
    lat = lattice(points, triangles, 8)
    now = moved(*embed(points, lat), motion(lat.points))
    np.testing.assert_allclose(now, motion(points), atol=1e-13)


def test_a_point_outside_follows_the_nearest_cell():
    lat = lattice(CUBE, CUBE_TRIANGLES, 4)
    outside = np.array([[1.5, 0.5, 0.5], [-3.0, -3.0, -3.0]])
    corners, weights = embed(outside, lat)
    np.testing.assert_allclose(moved(corners, weights, lat.points), outside, atol=1e-12)
    assert lat.points[corners[0], 0].min() >= 0.74
    assert lat.points[corners[1]].max() <= 0.26


def test_corners_of_cells_are_where_they_are_said_to_be(surface):
    lat = lattice(*surface, 5)
    places = lat.grid[lat.cells]
    np.testing.assert_array_equal(
        places - places[:, :1], np.tile(CELL_CORNERS, (len(places), 1, 1))
    )
    rest = lat.origin + lat.cell_size * lat.grid
    np.testing.assert_allclose(lat.points, rest, rtol=0.0, atol=1e-15 * np.abs(rest).max())
    assert set(lat.cells.ravel()) == set(range(len(lat.points)))


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("resolution", [1, 4, 9, 16])
@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_without_narrow_gaps_every_place_has_one_cell_and_one_vertex(name, resolution, seed):
    points, triangles = ONE_BODY[name]
    lat = lattice(points if seed is None else turned(points, seed), triangles, resolution)
    assert len(np.unique(lat.grid, axis=0)) == len(lat.grid)
    assert len(np.unique(lat.cells[:, 0])) == len(lat.cells)


@pytest.mark.parametrize("resolution", [2, 4, 8, 12, 24])
def test_the_volume_of_a_sphere_is_right_within_2_percent(resolution):
    points, triangles = sphere()
    filled = volume_in(lattice(points, triangles, resolution))
    assert filled == pytest.approx(closed_volume(points, triangles), rel=0.02)


def test_the_volume_of_a_box_is_right_though_its_sides_run_along_the_cells():
    assert volume_in(lattice(CUBE, CUBE_TRIANGLES, 8)) == pytest.approx(1.0, rel=1e-4)


def test_the_volume_of_a_shell_leaves_its_cavity_out():
    points, triangles = ONE_BODY["hollow_ball"]
    filled = volume_in(lattice(points, triangles, 24))
    assert filled == pytest.approx(closed_volume(points, triangles), rel=0.05)


def test_where_shells_overlap_there_is_material_once():
    points, triangles = SURFACES["two_cubes"]
    assert volume_in(lattice(points, triangles, 14)) == pytest.approx(2.0 - 0.6**3, rel=0.02)


def test_turning_the_triangles_inside_out_changes_nothing():
    forward, backward = lattice(*sphere(), 6), lattice(sphere()[0], sphere()[1][:, ::-1], 6)
    np.testing.assert_array_equal(forward.cells, backward.cells)
    np.testing.assert_allclose(forward.filling.part, backward.filling.part)


def test_a_hole_narrower_than_a_cell_leaves_the_inside_filled():
    points, triangles = sphere()
    hole = [10 * 48 + 5, 23 * 48 + 10 * 48 + 5]  # both triangles of a quad, 0.4 cells wide
    whole, holed = lattice(points, triangles, 6), lattice(points, np.delete(triangles, hole, 0), 6)
    assert len(holed.cells) == len(whole.cells)
    assert volume_in(holed) == pytest.approx(volume_in(whole), rel=0.1)


def test_an_open_tube_stays_hollow():
    lat = lattice(*open_tube(), 24)
    assert not (lat.grid[lat.cells[:, 0]] == (6, 6, 12)).all(axis=1).any()


def test_all_cells_that_the_surface_touches_are_there(surface):
    points, triangles = surface
    lat = lattice(points, triangles, 9)
    counts = lat.grid.max(axis=0)
    corners = ((points - lat.origin) / lat.cell_size)[triangles]
    places = {tuple(place) for place in lat.grid[lat.cells[:, 0]]}
    assert {tuple(place) for place in np.argwhere(touched_cells(corners, counts))} <= places


class Hand:
    """A hand turned against the grid; cells are about 1 m."""

    def __init__(self, gap, seed, longest=10.0):
        self.gap, self.pitch = gap, 0.8 + gap
        own, self.triangles = hand(gap)
        own, self.triangles = split(own, self.triangles, longest)
        self.points = turned(own, seed)
        resolution = int(np.ptp(self.points, axis=0).max())
        self.lattice = lattice(self.points, self.triangles, resolution)
        self.to_own = np.linalg.lstsq(self._affine(self.points), own, rcond=None)[0]
        self.to_world = np.linalg.lstsq(self._affine(own), self.points, rcond=None)[0]
        cells = self.lattice.cells
        height = (self._affine(self.lattice.points) @ self.to_own)[:, 1]
        palm = (height[cells] < 0.0).any(axis=1)
        self.of_palm = np.zeros(len(self.lattice.points), bool)
        self.of_palm[cells[palm]] = True
        self.free = cells[~self.of_palm[cells].any(axis=1)]
        self.finger = components(self.free, len(self.lattice.points))

    @staticmethod
    def _affine(points):
        return np.column_stack([points, np.ones(len(points))])

    def random_points(self, outwards):
        """Points in the outer halves of the fingers or up to `outwards` gaps beside them, and the
        number of the finger.
        """
        rng = np.random.default_rng(0)
        number = rng.integers(4, size=400)
        reach = 0.4 + outwards * self.gap
        x = number * self.pitch + 0.4 + reach * rng.uniform(-1.0, 1.0, 400)
        own = np.stack([x, rng.uniform(4.5, 6.0, 400), rng.uniform(0.0, 0.8, 400)], axis=1)
        return self._affine(own) @ self.to_world, number


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("longest", [10.0, 0.3])
def test_fingers_share_nothing_beyond_the_cells_of_the_palm(gap, seed, longest):
    held = Hand(gap, seed, longest)
    assert bodies_in(held.lattice) == 1
    assert len(np.unique(held.finger[held.free])) == 4


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("longest", [10.0, 0.3])
def test_the_surface_of_a_finger_follows_its_own_cells(gap, seed, longest):
    held = Hand(gap, seed, longest)
    own = held._affine(held.points) @ held.to_own
    corners, weights = embed(held.points, held.lattice)
    tip = own[:, 1] > 4.5
    assert weights[tip].min() > -1e-6
    assert not held.of_palm[corners[tip]].any()
    finger, number = held.finger[corners[tip]], (own[tip, 0] + 1e-6) // held.pitch
    assert len(np.unique(np.column_stack([finger.ravel(), np.repeat(number, 8)]), axis=0)) == 4


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("outwards", [0.0, 0.4])
def test_points_in_and_beside_a_finger_follow_it(gap, outwards):
    held = Hand(gap, 5)
    points, number = held.random_points(outwards)
    corners, weights = embed(points, held.lattice)
    np.testing.assert_allclose(moved(corners, weights, held.lattice.points), points, atol=1e-12)
    assert not held.of_palm[corners].any()
    pairs = np.column_stack([held.finger[corners].ravel(), np.repeat(number, 8)])
    assert len(np.unique(pairs, axis=0)) == 4


@pytest.mark.parametrize("resolution", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("seed", range(4))
def test_rings_that_are_linked_stay_two(resolution, seed):
    points, triangles = linked_rings()
    points, half = turned(points, seed), len(points) // 2
    lat = lattice(points, triangles, resolution)
    assert bodies_in(lat) == 2
    corners, _ = embed(points, lat)
    body = components(lat.cells, len(lat.points))[corners]
    assert len(np.unique(body[:half])) == 1
    assert len(np.unique(body[half:])) == 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gap", GAPS)
def test_lips_part_where_a_slit_runs_through_cells(seed, gap):
    filled = np.ones((2, 1, 3), bool)
    filled[1, :, 1] = False
    points, triangles = blocks_surface(
        filled, [0.0, 2.0, 6.0], [0.0, 2.0], [0.0, 1.5, 1.5 + gap, 3.0 + gap]
    )
    tips = np.flatnonzero(points[:, 0] > 5.0)
    upper = points[tips, 2] > 1.5 + 0.5 * gap
    points = turned(points, seed)
    lat = lattice(points, triangles, int(np.ptp(points, axis=0).max()))
    corners, _ = embed(points[tips], lat)
    assert bodies_in(lat) == 1
    assert not set(corners[upper].ravel()) & set(corners[~upper].ravel())


def test_parts_of_a_cell_share_its_material():
    points, triangles = hand(0.2)
    filled = volume_in(lattice(points, triangles, 3))
    assert filled == pytest.approx(closed_volume(points, triangles), rel=0.1)


def test_loose_parts_far_apart_are_two_lattices():
    points, triangles = joined(ball, scaled(0.3, (3.0, 0.1, 0.2)))
    assert bodies_in(lattice(points, triangles, 12)) == 2


@pytest.mark.parametrize(
    ("points", "triangles", "resolution", "text"),
    [
        (CUBE, [], 8, "Blob: the mesh has no faces"),
        (np.zeros((0, 3)), [], 8, "Blob: the mesh has no faces"),
        (np.where(CUBE > 0.5, np.nan, CUBE), CUBE_TRIANGLES, 8, "Blob: 7 of 8 points are infinite"),
        (CUBE, CUBE_TRIANGLES, 0, "Blob: Cells Along is 0"),
        (CUBE, CUBE_TRIANGLES, 10000, "Blob: Cells Along is 10000"),
        (CUBE, CUBE_TRIANGLES, float("nan"), "Blob: Cells Along is nan"),
        (0.0 * CUBE, CUBE_TRIANGLES, 8, "Blob: all faces lie in one point"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(points, triangles, resolution, text):
    with pytest.raises(ValueError, match=text):
        lattice(points, np.array(triangles, int), resolution, "Blob")
