# SPDX-License-Identifier: GPL-3.0-or-later
"""Which corners of a lattice hold its pinned points, and how far out that clamps a body."""

import numpy as np
import pytest
from shapes import block

from vbd.benchmarks.reference import beams
from vbd.solver.bodies import Cells, Pins
from vbd.solver.scene.clamps import clamp_of, clamped, enclosed, held_part, surface_of
from vbd.solver.scene.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

EVEN = np.ones(4000)


def test_a_face_on_the_border_of_cells_pins_its_own_corners_alone():
    """Rounding puts a millionth of it into the cells beyond."""
    points, triangles = block([0.25, 0.25, 1.0], [0.125, 0.125, 0.5])
    cells = lattice(points, triangles, 8)
    clamp = clamp_of(points, triangles, np.flatnonzero(points[:, 2] == 0.0), cells)
    assert len(clamp.indices) == 9
    np.testing.assert_allclose(cells.points[clamp.indices, 2], 0.0, atol=1e-5)


def bar(resolution=10):
    """A lattice around a bar, ten times as long along x as it is thick, and where many points of
    its surface are in it.
    """
    cells = lattice(*block([10.0, 1.0, 1.0], [5.0, 0.5, 0.5]), resolution)
    x, way = (np.arange(4000) + 0.5) / 400, np.arange(4000) % 4
    across = np.modf(np.arange(4000) * 0.618)[0]
    y = np.choose(way, [across, across, 0.0 * x, 0.0 * x + 1.0])
    z = np.choose(way, [0.0 * x, 0.0 * x + 1.0, across, across])
    points = np.stack([x, y, z], axis=1)
    return cells, points, *embed(points, cells)


@pytest.mark.parametrize("resolution", [10, 20])
@pytest.mark.parametrize("clamp", [0.2, 1.0, 1.25, 1.5, 1.75])
def test_a_clamp_that_ends_inside_a_cell_leaves_the_rest_free(clamp, resolution):
    """The bar drops as a beam of what is not pinned; whole cells would make that 8 % shorter."""
    cells, points, corners, weights = bar(resolution)
    pinned = np.flatnonzero(points[:, 0] < clamp)
    cells.filling.held = held_part(cells.cells, corners, pinned, EVEN)
    indices = clamped(corners, weights, pinned, EVEN)
    material = beams.material(0.0, 1.0)
    body = Cells(cells.points, cells.cells, material, Pins(indices), filling=cells.filling)
    settings = Settings(quasistatic=True, gravity=(0.0, 0.0, -10.0), iterations=60, substeps=1)
    *_, last = simulate([body], settings, 2)
    tip = cells.points[:, 0] > 9.99
    found = (cells.points - last.positions[0])[tip, 2].mean()
    free = beams.LENGTH - clamp
    wanted = beams.drop((free / beams.LENGTH) ** 3, 0.0) * free
    assert found == pytest.approx(wanted, rel=0.05)


def test_cells_that_are_held_at_one_side_are_as_soft_as_others():
    """Only what is held all round has a part that cannot give. A cube on its pinned bottom leans as
    far in few cells as in many, but for 3 % that more of them find; stiffer cells make it 20 %.
    """
    points, triangles = block([1.0, 1.0, 1.0], [0.5, 0.5, 0.5])
    leans = []
    for resolution in (4, 8):
        cells = lattice(points, triangles, resolution)
        clamp = clamp_of(points, triangles, np.flatnonzero(points[:, 2] == 0.0), cells)
        np.testing.assert_array_equal(clamp.held, 0.0)
        cells.filling.held = clamp.held
        body = Cells(
            cells.points,
            cells.cells,
            Material(youngs_modulus=1e5, poisson_ratio=0.3),
            Pins(clamp.indices),
            filling=cells.filling,
        )
        settings = Settings(quasistatic=True, gravity=(2.0, 0.0, 0.0), iterations=60, substeps=1)
        *_, last = simulate([body], settings, 2)
        top = cells.points[:, 2] > 0.99
        leans.append((last.positions[0] - cells.points)[top, 0].mean())
    assert leans[0] == pytest.approx(leans[1], rel=0.05)


def test_what_is_around_material_is_told_from_what_is_beside_it():
    """A plane, both sides of a plate, and the side of a quarter of a round bar, in a cell each."""
    cells, turn = np.arange(24).reshape(3, 8), np.linspace(0.0, 0.5 * np.pi, 1001)
    round_bar = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    normals = np.concatenate([[[0, 0, 1.0], [0, 0, 2]], [[0, 0, 1.0], [0, 0, -1]], round_bar])
    own = np.repeat(np.arange(3), [2, 2, len(turn)])
    np.testing.assert_allclose(enclosed(cells, cells[own], normals), [0.0, 1.0, 1.0], atol=1e-3)


def test_all_corners_in_the_midst_of_pinned_points_are_pinned():
    cells, points, corners, weights = bar()
    pinned = np.flatnonzero(points[:, 0] < 3.0)
    held = cells.points[clamped(corners, weights, pinned, EVEN)]
    assert sorted(set(np.round(held[:, 0]))) == [0.0, 1.0, 2.0, 3.0]
    assert len(held) == 16
    part = held_part(cells.cells, corners, pinned, EVEN)
    low = cells.points[cells.cells[:, 0], 0]
    np.testing.assert_array_equal(part, np.round(low) < 3.0)


def test_a_part_of_a_cell_is_held():
    cells, points, corners, _ = bar()
    part = held_part(cells.cells, corners, np.flatnonzero(points[:, 0] < 2.25), EVEN)
    low = np.round(cells.points[cells.cells[:, 0], 0])
    np.testing.assert_allclose(part[low == 2.0], 0.25)
    assert part[low > 2.0].max() == 0.0


def test_few_pinned_points_are_held_by_what_carries_them():
    """A lone point and a thin strip hold the bar, each in its place."""
    cells, points, corners, weights = bar()
    lone = np.argmin(np.linalg.norm(points - [7.5, 0.5, 0.0], axis=1))
    strip = np.flatnonzero(points[:, 0] < 0.1)
    indices = clamped(corners, weights, np.append(strip, lone), EVEN)
    held = np.isin(np.arange(len(cells.points)), indices)
    assert (weights[lone] * held[corners[lone]]).sum() > 0.9
    assert sorted(set(np.round(cells.points[held, 0]))) == [0.0, 7.0, 8.0]
    assert held[np.round(cells.points[:, 0]) == 0.0].all()


@pytest.mark.parametrize(("area", "last"), [(0.1, 0.0), (1.0, 1.0)])
def test_a_cell_that_is_pinned_all_over_holds_no_corners_that_carry_far_more_of_others(area, last):
    """What is in the first cell of a bar is pinned: a sliver, or as much as is elsewhere."""
    cells, points, corners, weights = bar()
    pinned = points[:, 0] < 1.0
    surface = np.where(pinned, area * (1.1 - 0.2 * points[:, 0]), 1.0)
    indices = clamped(corners, weights, np.flatnonzero(pinned), surface)
    assert cells.points[indices, 0].max() == pytest.approx(last, abs=1e-4)
    assert len(indices) == 4 * (1 + round(last))


@pytest.mark.parametrize("seed", range(5))
def test_no_pinned_point_is_left_hanging(seed):
    """However the pinned points are scattered, each region of them has at least half its weight."""
    _, points, corners, weights = bar()
    chance = np.random.default_rng(seed)
    pinned = np.sort(chance.choice(len(points), size=chance.integers(1, 40), replace=False))
    indices = clamped(corners, weights, pinned, EVEN)
    assert np.isin(indices, corners[pinned]).all()
    assert (weights[pinned] * np.isin(corners[pinned], indices)).sum() >= 0.5 * len(pinned) - 1e-6


def test_a_mesh_that_is_finer_in_places_is_held_alike():
    """Points count by the surface that they stand for."""
    points, triangles = block([1.0, 1.0, 1.0], [0.5, 0.5, 0.5])
    surface = surface_of(points, triangles)
    assert surface.sum() == pytest.approx(6.0)
    finer = np.concatenate([triangles[1:], 8 + np.array([[0, 1, 3], [1, 2, 3], [2, 0, 3]])])
    first = points[triangles[0]]
    points = np.concatenate([points, first, [first.mean(axis=0)]])
    finer = np.where(finer >= 8, np.append(triangles[0], 11)[finer.clip(8) - 8], finer)
    assert surface_of(points, finer)[:8].sum() + 0.5 / 3.0 == pytest.approx(6.0)


@pytest.mark.parametrize("resolution", [5, 10, 20])
def test_what_lies_between_pinned_vertices_is_pinned(resolution):
    """A box of eight vertices hangs on the whole of its end, however fine its cells are; were it
    held in its four vertices, finer cells would give more and more."""
    points, triangles = block([2.0, 1.0, 1.0], [1.0, 0.5, 0.5])
    cells = lattice(points, triangles, resolution)
    pinned = np.flatnonzero(points[:, 0] < 1e-6)
    clamp = clamp_of(points, triangles, pinned, cells)
    at_end = np.flatnonzero(cells.points[:, 0] < 0.5 * cells.cell_size)
    np.testing.assert_array_equal(np.intersect1d(clamp.indices, at_end), at_end)
    assert cells.points[clamp.indices, 0].max() < 1.5 * cells.cell_size


def test_points_between_pinned_vertices_go_with_them():
    points, triangles = block([2.0, 1.0, 1.0], [1.0, 0.5, 0.5])
    cells = lattice(points, triangles, 10)
    pinned = np.flatnonzero(points[:, 0] < 1e-6)
    clamp = clamp_of(points, triangles, pinned, cells)
    places = clamp.places(points[pinned])
    np.testing.assert_array_equal(places[: len(pinned)], points[pinned])
    embedded = (clamp.weights[:, :, None] * cells.points[clamp.corners]).sum(axis=1)
    np.testing.assert_allclose(embedded, places, atol=1e-9)
    assert len(places) > 50
    assert np.abs(places[:, 0]).max() < 1e-6


def test_a_pinned_vertex_of_a_coarse_mesh_holds_no_face():
    points, triangles = block([2.0, 1.0, 1.0], [1.0, 0.5, 0.5])
    clamp = clamp_of(points, triangles, np.array([0]), lattice(points, triangles, 10))
    assert len(clamp.corners) == 1
    assert 0 < len(clamp.indices) <= 8
