# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that begin nearer than the contact distance are not thrown off."""

import numpy as np
import pytest
from shapes import box, grid, plane

from vbd.solver.bodies import Cloth, Collider, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# A contact distance that grows to r within a quarter of a second rises with r/0.25 s, and throws a
# body on it by that squared over 2 g: 8 mm of 10 cm; compliance leaves less.
HOP = 0.1


def heights(body, *others, frames=16, **settings):
    """Mean heights of a body after every frame [m]."""
    return np.array(
        [
            frame.positions[0][:, 2].mean()
            for frame in simulate([body, *others], Settings(**settings), frames)
        ]
    )


def sheet(height, thickness, **material):
    points, triangles = grid(20)
    points = 2.0 * points + [0.0, 0.0, height]
    material = Material(
        youngs_modulus=1e5, thickness=1e-3, density=0.2, collision_thickness=thickness, **material
    )
    return Cloth(points, triangles, material, name="Sheet")


@pytest.mark.parametrize("thickness", [0.01, 0.02, 0.05])
def test_a_sheet_near_a_mesh_rises_to_its_distance(thickness):
    floor = Collider(*plane(size=4.0), thickness=thickness)
    body = sheet(0.01, thickness)
    z = heights(body, floor, frames=24)
    assert z.max() < 2.0 * thickness * (1.0 + HOP)
    assert z[-1] == pytest.approx(2.0 * thickness, rel=0.1)


@pytest.mark.parametrize("height", [0.0, 0.01])
def test_a_sheet_near_the_ground_rises_to_its_distance(height):
    z = heights(sheet(height, 0.03), frames=24, use_ground=True)
    assert z.max() < 0.03 * (1.0 + HOP)
    assert z[-1] == pytest.approx(0.03, rel=0.1)


def test_a_cube_flush_with_the_floor_stays():
    points, tets = box((2, 2, 2))
    body = Solid(points, tets, Material(youngs_modulus=1e6, collision_thickness=0.01), name="Cube")
    z = heights(body, Collider(*plane(size=4.0), thickness=0.01))
    assert z.max() - points[:, 2].mean() < 0.02 * (1.0 + HOP)
