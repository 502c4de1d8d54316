# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks that are dropped come to rest at their height, and never gain energy."""

from itertools import pairwise

import numpy as np
import pytest
from intersections import joined, piercings
from shapes import box, cell_box, grid, plane, rotation

from vbd.solver.bodies import Cells, Cloth, Collider, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.graphs import unique_edges
from vbd.solver.topology.meshes import boundary_triangles

SIDE = 0.1
# Default contact distance of a body of this size.
REACH = 0.0025 * SIDE


def cubes(count, cells, drop, modulus, kind):
    """Aligned cubes, dropped together."""
    rest, elements = (box if kind is Solid else cell_box)((cells,) * 3, (SIDE,) * 3)
    material = Material(youngs_modulus=modulus)
    starts = drop + 1.1 * REACH + np.arange(count) * (SIDE + 2.5 * REACH)
    return [kind(rest + [0.0, 0.0, z], elements, material, rest_points=rest) for z in starts]


def logs(layers, drop, modulus):
    """Layers of two bars each, every layer across the one below."""
    rest, tets = box((6, 1, 1), (0.3, 0.05, 0.05))
    reach, bodies = 0.0025 * 0.3, []
    for k in range(layers):
        turn = rotation((0.0, 0.0, 1.0), np.pi / 2.0 * (k % 2))
        for aside in (-0.1, 0.1):
            points = (rest + [-0.15, aside - 0.025, 0.0]) @ turn.T
            height = drop + 1.1 * reach + k * (0.05 + 2.2 * reach)
            material = Material(youngs_modulus=modulus)
            bodies.append(Solid(points + [0.0, 0.0, height], tets, material, rest_points=rest))
    return bodies


def wedges(count, drop, modulus, slope=0.2):
    """Blocks cut in two along a slope that friction holds: wedges on wedges."""
    rest, tets = box((1, 1, 1), (SIDE, SIDE, SIDE))
    low = rest.copy()
    low[:, 2] *= 0.5 + slope * (rest[:, 0] / SIDE - 0.5)
    turned = low * [-1.0, 1.0, -1.0] + [SIDE, 0.0, low[:, 2].max()]
    material, bodies = Material(youngs_modulus=modulus), []
    bottom = drop + 1.1 * REACH
    for k in range(count):
        rest = turned if k % 2 else low
        bodies.append(Solid(rest + [0.0, 0.0, bottom], tets, material, rest_points=rest))
        # Above the low side of a slope, or a level top.
        bottom += 2.5 * REACH + (0.5 * (1.0 + slope) if k % 2 else 0.5 * (1.0 - slope)) * SIDE
    return bodies


def wall(layers, drop, modulus):
    """Bars exactly along each other."""
    rest, tets = box((6, 1, 1), (0.3, 0.05, 0.05))
    reach, material = 0.0025 * 0.3, Material(youngs_modulus=modulus)
    starts = drop + 1.1 * reach + np.arange(layers) * (0.05 + 2.2 * reach)
    return [Solid(rest + [0.0, 0.0, z], tets, material, rest_points=rest) for z in starts]


def slabs(count, drop, modulus):
    """Flat solid grids exactly above each other."""
    rest, tets = box((3, 3, 1), (0.3, 0.3, 0.03))
    reach, material = 0.0025 * 0.3, Material(youngs_modulus=modulus)
    starts = drop + 1.1 * reach + np.arange(count) * (0.03 + 2.5 * reach)
    return [Solid(rest + [0.0, 0.0, z], tets, material, rest_points=rest) for z in starts]


def sheets(count, drop):
    """Sheets of cloth exactly above each other, each a meter wide."""
    points, triangles = grid(7)
    starts = drop + 0.0025 * (1.1 + 2.5 * np.arange(count))
    cotton = Material(density=0.3)
    return [Cloth(points + [0.0, 0.0, z], triangles, cotton) for z in starts]


def assert_apart(bodies, positions):
    """No edge of a body passes through a triangle of another one."""
    meshes = [
        (x, b.elements if isinstance(b, Cloth) else boundary_triangles(b.elements))
        for x, b in zip(positions, bodies, strict=True)
    ]
    points, triangles, owner = joined(meshes)
    edges, of = unique_edges(triangles), np.empty(len(points), dtype=int)
    of[triangles] = owner[:, None]
    found = piercings(points, edges, triangles)
    assert (of[edges[found[:, 0], 0]] == owner[found[:, 1]]).all()


def fall(bodies, on_mesh, frames=72):
    """Positions of the last half second, and the energy [J] of all frames."""
    floor = [Collider(*plane(2.0))] if on_mesh else []
    settings = Settings(friction=0.5, use_ground=not on_mesh, sleep=False)
    played = list(simulate([*bodies, *floor], settings, frames))
    for frame in played:
        assert_apart(bodies, frame.exact_positions[: len(bodies)])
    ends = [frame.exact_positions[: len(bodies)] for frame in played[-12:]]
    return ends, np.array([frame.stats.energy for frame in played])


def assert_at_rest(ends):
    """Nothing is faster than a millimeter per second."""
    speeds = [
        24.0 * np.abs(after - before).max()
        for one, other in pairwise(ends)
        for before, after in zip(one, other, strict=True)
    ]
    assert max(speeds) < 1e-3


def assert_distances_kept(positions, size, every=1):
    """Assert that the floor, and level faces above each other, those of `every` so many bodies, are
    a contact distance of bodies of this size [m] apart, to half of it: in the mean over each face,
    since a body that landed a little aside leans on a soft one below it.
    """
    reach = 0.0025 * size
    bottom, top = np.array([mean_heights(x[:, 2], size) for x in positions]).T
    level = bottom[every::every] - top[every - 1 : -1 : every]
    lowest = positions[0][:, 2].min()
    gaps = np.array([lowest - reach, *(level - 2.0 * reach)])
    assert np.abs(gaps).max() < 0.5 * 2.0 * reach


def mean_heights(z, size):
    """Mean heights of the lowest and of the highest face of a body, by its vertices [m]."""
    return z[z < z.min() + 0.02 * size].mean(), z[z > z.max() - 0.02 * size].mean()


@pytest.mark.parametrize(
    ("count", "cells", "drop", "modulus", "kind", "on_mesh"),
    [
        (2, 2, 1.0, 1e6, Solid, True),
        (3, 1, 1.0, 1e9, Solid, False),
        (3, 1, 0.1, 1e9, Solid, False),
        (3, 1, 1.0, 1e6, Cells, False),
        (3, 3, 0.3, 1e7, Cells, True),
        (5, 2, 0.1, 1e7, Solid, True),
        (5, 1, 1.0, 1e7, Solid, True),
        (10, 1, 0.1, 1e9, Solid, True),
        (10, 1, 0.1, 1e9, Cells, True),
        # These would lean if each body came down only to the one below, far above the ground.
        (5, 2, 0.3, 1e6, Solid, False),
        (10, 1, 0.01, 1e7, Cells, False),
        (10, 1, 1.0, 1e9, Solid, False),
    ],
)
def test_cubes_that_are_dropped_come_to_rest(count, cells, drop, modulus, kind, on_mesh):
    ends, energy = fall(cubes(count, cells, drop, modulus, kind), on_mesh)
    assert_at_rest(ends)
    assert_distances_kept(ends[-1], SIDE)
    # Multipliers extend contacts under a load, which lifts it by less than that.
    weight = count * 1000.0 * SIDE**3 * 9.81
    assert np.diff(energy).max() < weight * 0.3 * 2.0 * REACH * count


@pytest.mark.parametrize("drop", [0.1, 1.0])
@pytest.mark.parametrize("kind", [Solid, Cells])
def test_soft_cubes_do_not_gain_energy_when_they_land(kind, drop):
    # Shear waves cross six tenths of them in a substep.
    _ends, energy = fall(cubes(3, 1, drop, 1e5, kind), on_mesh=False, frames=20)
    # Vertices that are truncated one by one would gain up to a hundred times as much.
    assert np.diff(energy).max() < 3.0 * 9.81 * 1e-3


@pytest.mark.parametrize("on_mesh", [False, True])
@pytest.mark.parametrize(("count", "drop"), [(2, 1.0), (10, 0.1)])
def test_wedges_on_wedges_come_to_rest(count, drop, on_mesh):
    ends, _energy = fall(wedges(count, drop, 1e7), on_mesh)
    assert_at_rest(ends)
    assert_distances_kept(ends[-1], SIDE, every=2)


@pytest.mark.parametrize(
    ("bodies", "on_mesh"),
    [
        (wall(5, 0.3, 1e7), True),
        (slabs(2, 1.0, 1e6), True),
        (slabs(5, 0.3, 1e6), False),
    ],
)
def test_bars_along_bars_and_slabs_on_slabs_come_to_rest(bodies, on_mesh):
    ends, _energy = fall(bodies, on_mesh)
    assert_at_rest(ends)
    assert_distances_kept(ends[-1], 0.3)


def test_bars_across_bars_come_to_rest():
    ends, _energy = fall(logs(3, 0.1, 1e6), on_mesh=True)
    assert_at_rest(ends)


def test_a_tower_of_bars_across_bars_comes_to_rest():
    ends, _energy = fall(logs(10, 0.1, 1e7), on_mesh=False)
    assert_at_rest(ends)


@pytest.mark.parametrize(
    ("count", "drop", "on_mesh"), [(2, 0.1, False), (2, 0.1, True), (5, 0.1, True), (5, 1.0, False)]
)
def test_sheets_on_sheets_come_to_rest(count, drop, on_mesh):
    # Vertices of one color that close a pair must not fall into each other by the fall of a step, 1
    # mm: two of these would move at 60 to 180 mm/s. A guess that they continue to fall whenever
    # they have just done so would leave five moving at 7 to 12.
    ends, _energy = fall(sheets(count, drop), on_mesh)
    assert_at_rest(ends)
    assert_distances_kept(ends[-1], 1.0)
