# SPDX-License-Identifier: GPL-3.0-or-later
"""Corners of a lattice that hold its pinned points, and the extent of the clamp in a body."""

import numpy as np
import pytest
from shapes import block

from vbd.benchmarks.reference import beams
from vbd.solver.bodies import Cells, Pins
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.lattice.pinned_corners import held_fraction, pinned_corners_of, vertices_to_pin
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

EVEN = np.ones(4000)


def test_a_face_on_the_border_of_cells_pins_its_own_corners_alone():
    """Rounding puts a millionth of it into the cells beyond."""
    points, triangles = block([0.25, 0.25, 1.0], [0.125, 0.125, 0.5])
    cells = lattice(points, triangles, 8)
    clamp = pinned_corners_of(points, triangles, np.flatnonzero(points[:, 2] == 0.0), cells)
    assert len(clamp.indices) == 9
    np.testing.assert_allclose(cells.points[clamp.indices, 2], 0.0, atol=1e-5)


def bar(resolution=10):
    """A lattice around a bar, ten times as long along x as it is thick, and the places of many
    points of its surface in it.
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
    """The bar drops as a beam of its free length; whole cells would make that 8 % shorter."""
    cells, points, corners, weights = bar(resolution)
    pinned = np.flatnonzero(points[:, 0] < clamp)
    cells.filling.held = held_fraction(cells.cells, corners, pinned, EVEN)
    indices = vertices_to_pin(corners, weights, pinned, EVEN)
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
    """Only a cell clamped all round has a rigid part. A cube on its pinned bottom leans as far in
    few cells as in many, but for 3 % from finer resolution; stiffer cells make it 20 %.
    """
    points, triangles = block([1.0, 1.0, 1.0], [0.5, 0.5, 0.5])
    leans = []
    for resolution in (4, 8):
        cells = lattice(points, triangles, resolution)
        clamp = pinned_corners_of(points, triangles, np.flatnonzero(points[:, 2] == 0.0), cells)
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


@pytest.mark.parametrize("seed", range(5))
def test_no_pinned_point_is_left_hanging(seed):
    """In any scatter of pinned points, each region of them has at least half its weight."""
    _, points, corners, weights = bar()
    chance = np.random.default_rng(seed)
    pinned = np.sort(chance.choice(len(points), size=chance.integers(1, 40), replace=False))
    indices = vertices_to_pin(corners, weights, pinned, EVEN)
    assert np.isin(indices, corners[pinned]).all()
    assert (weights[pinned] * np.isin(corners[pinned], indices)).sum() >= 0.5 * len(pinned) - 1e-6


@pytest.mark.parametrize("resolution", [5, 10, 20])
def test_what_lies_between_pinned_vertices_is_pinned(resolution):
    """A box of eight vertices hangs on the whole of its end, however fine its cells are; held only
    at its four vertices, finer cells would give way more and more."""
    points, triangles = block([2.0, 1.0, 1.0], [1.0, 0.5, 0.5])
    cells = lattice(points, triangles, resolution)
    pinned = np.flatnonzero(points[:, 0] < 1e-6)
    clamp = pinned_corners_of(points, triangles, pinned, cells)
    at_end = np.flatnonzero(cells.points[:, 0] < 0.5 * cells.cell_size)
    np.testing.assert_array_equal(np.intersect1d(clamp.indices, at_end), at_end)
    assert cells.points[clamp.indices, 0].max() < 1.5 * cells.cell_size


def test_points_between_pinned_vertices_go_with_them():
    points, triangles = block([2.0, 1.0, 1.0], [1.0, 0.5, 0.5])
    cells = lattice(points, triangles, 10)
    pinned = np.flatnonzero(points[:, 0] < 1e-6)
    clamp = pinned_corners_of(points, triangles, pinned, cells)
    places = clamp.places(points[pinned])
    np.testing.assert_array_equal(places[: len(pinned)], points[pinned])
    embedded = (clamp.weights[:, :, None] * cells.points[clamp.corners]).sum(axis=1)
    np.testing.assert_allclose(embedded, places, atol=1e-9)
    assert len(places) > 50
    assert np.abs(places[:, 0]).max() < 1e-6
