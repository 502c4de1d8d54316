# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks that are dropped come to rest, as high as they should be, and never gain energy."""

from itertools import pairwise

import numpy as np
import pytest
from shapes import box, cell_box, plane, rotation

from vbd.solver.bodies import Cells, Collider, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

SIDE = 0.1
# The distance that a body of this size keeps if it is given none.
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


def fall(bodies, on_mesh, frames=72):
    """Positions of the last half second, and the energy [J] of all frames."""
    floor = [Collider(*plane(2.0))] if on_mesh else []
    settings = Settings(friction=0.5, use_ground=not on_mesh)
    played = list(simulate([*bodies, *floor], settings, frames))
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
    ],
)
def test_cubes_that_are_dropped_come_to_rest(count, cells, drop, modulus, kind, on_mesh):
    ends, energy = fall(cubes(count, cells, drop, modulus, kind), on_mesh)
    assert_at_rest(ends)
    bottom, top = (np.array([f(x[:, 2]) for x in ends[-1]]) for f in (np.min, np.max))
    gaps = np.array([bottom[0] - REACH, *(bottom[1:] - top[:-1] - 2.0 * REACH)])
    assert np.abs(gaps).max() < 0.5 * 2.0 * REACH
    # Contacts are told to reach farther under a load, which lifts it by less than that.
    weight = count * 1000.0 * SIDE**3 * 9.81
    assert np.diff(energy).max() < weight * 0.3 * 2.0 * REACH * count


@pytest.mark.parametrize("drop", [0.1, 1.0])
@pytest.mark.parametrize("kind", [Solid, Cells])
def test_soft_cubes_do_not_gain_energy_when_they_land(kind, drop):
    # Shear waves get through six tenths of them in a substep.
    _ends, energy = fall(cubes(3, 1, drop, 1e5, kind), on_mesh=False, frames=20)
    # They gained up to a hundred times as much when vertices were held back one by one.
    assert np.diff(energy).max() < 3.0 * 9.81 * 1e-3


def test_bars_across_bars_come_to_rest():
    ends, _energy = fall(logs(3, 0.1, 1e6), on_mesh=True)
    assert_at_rest(ends)
