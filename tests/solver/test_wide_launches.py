# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches that are recorded differently on a GPU, played on the CPU."""

import numpy as np
from shapes import box, grid

from vbd.solver.bodies import Cloth, Collider, Solid
from vbd.solver.device.launches import Launches
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def bodies():
    """A block that lands on a sheet, which hangs over the edges of a smaller block."""
    points, tets = box((2, 2, 2))
    sheet, triangles = grid(6)
    material = Material(youngs_modulus=1e5, density=1000.0, collision_thickness=0.005)
    table, faces = box((1, 1, 1))
    return [
        Solid(0.2 * points + [0.4, 0.4, 0.12], tets, material),
        Cloth(sheet + [0.0, 0.0, 0.06], triangles, Material(density=0.2, self_contact=True)),
        Solid(0.5 * table + [0.25, 0.25, -0.5], faces, material),
        Collider(*floor()),
    ]


def floor():
    points, triangles = grid(1)
    return 4.0 * points - [1.5, 1.5, 0.51], triangles


def ends(iterations):
    *_, frame = simulate(bodies(), Settings(iterations=iterations, accuracy=0.0), 8, "cpu")
    return np.concatenate(frame.exact_positions)


def test_a_wide_device_gets_the_same_sums(monkeypatch):
    narrow = ends(20)
    start = np.concatenate([body.points for body in bodies()[:3]])
    monkeypatch.setattr(Launches, "are_wide", True)
    wide = ends(20)
    motion = np.linalg.norm(narrow - start)
    # Sums in another order, and a landing that amplifies that.
    assert np.linalg.norm(wide - narrow) < 1e-3 * motion
    assert not np.array_equal(wide, narrow)
