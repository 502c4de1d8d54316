# SPDX-License-Identifier: GPL-3.0-or-later
"""Partly filled cells: the places of their material, and the stiffness of a bar in them."""

import numpy as np
import pytest
import references
from shapes import block
from surfaces import sphere, turned

from vbd.benchmarks.experiments.cells_resolution import capsule
from vbd.benchmarks.experiments.cells_shapes import blocks_surface
from vbd.solver.bodies import Cells, Filling
from vbd.solver.elements.cells import cells_of
from vbd.solver.lattice.lattice import lattice
from vbd.solver.settings import Settings


def test_a_thin_plate_in_one_cell_is_known_by_its_moments():
    cells = lattice(*block((1.0, 1.0, 0.25), (0.0, 0.0, 0.0)), 1)
    filling = cells.filling
    assert len(cells.cells) == 1
    assert filling.part == pytest.approx([0.25], abs=1e-3)
    np.testing.assert_allclose(filling.middle, 0.0, atol=1e-6)
    # Along z it reaches a quarter as far as the cell; an eighth of the cell is a subcell.
    np.testing.assert_allclose(filling.spread, [[1.0, 1.0, 0.25**2]], atol=1e-3)


@pytest.mark.parametrize("resolution", [2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(3))
def test_the_moments_of_a_ball_are_right(resolution, seed):
    """Volume, middle and mean square distances, wherever the cells cut it; to the size of subcells,
    and to the volume that the least fraction of a cell adds."""
    points, triangles = sphere()
    cells = lattice(turned(points, seed), triangles, resolution)
    filling, side = cells.filling, cells.cell_size
    place = cells.points[cells.cells[:, 0]] + 0.5 * side * (1.0 + filling.middle)
    mass = filling.part / filling.part.sum()
    middle = mass @ place
    np.testing.assert_allclose(middle, turned(points, seed).mean(axis=0), atol=0.02)
    squares = mass @ ((place - middle) ** 2 + filling.spread * side**2 / 12.0)
    np.testing.assert_allclose(squares, 0.2, rtol=0.04)


@pytest.mark.parametrize(
    ("slope", "resolution"),
    [*((0.0, count) for count in (6, 7, 8, 11, 20)), (0.3, 8), (0.3, 11), (0.3, 20)],
)
def test_a_bar_thinner_than_cells_bends_as_thick_as_it_is(resolution, slope):
    """Energy of a round bar of a radius of 0.15 m in cells of up to 0.5 m, bent uniformly.

    Spread uniformly over its cells it would be up to twelve times too stiff. Where it runs
    obliquely the cells have to be a little smaller.
    """
    radius, length, curvature, modulus = 0.15, 3.0, 1e-3, 1.0
    points, triangles = capsule((-length / 2, 0, 0), (length / 2, 0, 0), radius)
    turn = np.array(
        [[np.cos(slope), -np.sin(slope), 0], [np.sin(slope), np.cos(slope), 0], [0, 0, 1]]
    )
    cells = lattice(points @ turn.T, triangles, resolution)
    x, _, z = (cells.points @ turn).T
    bend = curvature * np.stack([-x * z, np.zeros_like(x), 0.5 * x**2], axis=1) @ turn.T
    mu, found = 0.5 * modulus, 0.0
    for corners, *filling in zip(
        cells.cells,
        cells.filling.middle,
        cells.filling.spread,
        cells.filling.part,
        strict=True,
    ):
        rest, now = cells.points[corners], (cells.points + bend)[corners]
        for at, sign in ((now, 1.0), (rest, -1.0)):
            tet = lambda *p: references.neo_hookean(*p, mu, mu)  # noqa: E731
            found += sign * references.cell_center(tet, rest, at, filling)
            found += sign * references.hourglass(rest, at, mu, 0.0, filling)
    caps = 2.0 * np.pi / 4.0 * radius**5 * 8.0 / 15.0
    wanted = 0.5 * modulus * curvature**2 * (np.pi / 4.0 * radius**4 * length + caps)
    assert found == pytest.approx(wanted, rel=0.25)


def test_what_is_no_filling_is_refused():
    points, cells = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)], float), [range(8)]
    for part, middle in ((1.5, 0.0), (0.5, 2.0)):
        filling = Filling(np.array([part]), np.full((1, 3), middle), np.ones((1, 3)))
        with pytest.raises(ValueError, match=r"Jelly: (part|middle) of the Filling"):
            Cells(points, cells, filling=filling, name="Jelly")
    filling = Filling.full(1)
    filling.held = np.array([1.5])
    with pytest.raises(ValueError, match="Jelly: held of the Filling"):
        Cells(points, cells, filling=filling, name="Jelly")


def block_of(filled, *coordinates):
    """The `Filling` of one cell around blocks that exactly fit it."""
    cells = lattice(*blocks_surface(np.array(filled, bool), *coordinates), 1)
    assert len(cells.cells) == 1
    return cells.filling


def test_a_waist_in_a_cell_gives_between_its_sections_and_its_straight_fibers():
    """Two slabs, joined by a post of a quarter of their area, half as high as the cell."""
    filled = np.zeros((3, 3, 3), bool)
    filled[:, :, [0, 2]] = filled[1, 1] = True
    edges = np.array([0.0, 0.25, 0.75, 1.0])
    found = block_of(filled, edges, edges, edges).evenness
    # The harmonic mean of areas and the post over their arithmetic mean, along z: the direction in
    # which material connects the whole cell.
    assert found == pytest.approx([(0.4 + 0.25) / 2.0 / 0.625], rel=1e-6)


def test_another_part_in_its_cell_does_not_make_a_notch_even():
    """A plate with a groove, alone and beside another plate in the same cell."""
    filled = np.zeros((8, 8, 8), bool)
    filled[:3, :, [0, 1, 6, 7]] = filled[0] = True
    edges = 3 * [np.linspace(0.0, 1.0, 9)]
    alone = block_of(filled, *edges).evenness
    filled[6:] = True
    both = lattice(*blocks_surface(filled, *edges), 1).filling.evenness
    np.testing.assert_allclose(np.sort(both), [alone[0], 1.0], rtol=1e-6)
    assert alone < 0.8


@pytest.mark.parametrize("thickness", [0.25, 0.5, 1.0, 1.5, 2.25])
def test_a_bar_along_the_cells_is_even(thickness):
    """For any filling of its cells, and any end."""
    cells = lattice(*block((7.0, thickness, 0.75 * thickness), (0.1, 0.2, 0.3)), 6)
    np.testing.assert_allclose(cells.filling.evenness, 1.0, rtol=1e-12)


def test_evenness_is_between_least_and_all_and_the_same_for_mirrored_bodies():
    points, triangles = capsule((-1.0, 0.2, 0.1), (0.9, 0.8, -0.4), 0.3)
    there = lattice(points, triangles, 6).filling.evenness
    back = lattice(-points, triangles[:, ::-1], 6).filling.evenness
    assert 0.0 < there.min() < 0.9
    assert there.max() <= 1.0
    np.testing.assert_allclose(np.sort(there), np.sort(back), atol=0.02)


def test_cells_are_as_stiff_as_they_are_even():
    points, cells = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)], float), [range(8)]
    filling = Filling.full(1)
    filling.evenness = np.array([0.25])
    body = Cells(points, cells, filling=filling)
    assert cells_of(body, Settings()).volume == pytest.approx([0.25])
