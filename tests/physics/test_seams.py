# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of one mesh that coincide at the start, like seams that nobody has merged.

They have no contact with each other, like neighbors: they fall as with no self contact.
"""

import numpy as np
import pytest
from shapes import bumpy_ball, grid, in_cells

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.scene.analytic_colliders import Plane, Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def joined(*meshes):
    """Meshes as one, without merging anything."""
    points, triangles, count = [], [], 0
    for mesh, faces in meshes:
        points.append(mesh)
        triangles.append(np.asarray(faces) + count)
        count += len(mesh)
    return np.concatenate(points), np.concatenate(triangles)


def split(points, triangles):
    """Every triangle separate, as in an STL file."""
    return points[triangles.ravel()], np.arange(triangles.size).reshape(-1, 3)


SHEET = grid(6)
PATCH = grid(4, 0.4)
MESHES = {
    "seam": joined(SHEET, (SHEET[0] + [1.0, 0.0, 0.0], SHEET[1])),
    "doubled": joined(SHEET, SHEET),
    "doubled and flipped": joined(SHEET, (SHEET[0], np.asarray(SHEET[1])[:, ::-1])),
    "patch": joined(SHEET, (PATCH[0] + [0.27, 0.31, 0.0], PATCH[1])),
    "split": split(*grid(4)),
}


def fallen(body, frames, *colliders):
    """Positions of a body after each frame [frame, vertex, 3]; assert that nothing is entangled."""
    played = simulate([body, *colliders], Settings(threads=1), frames)
    both = [(np.array(frame.positions[0]), frame.stats.tangles) for frame in played]
    assert not any(tangles for _, tangles in both)
    return np.array([x for x, _ in both])


def cloth(points, triangles, self_contact):
    material = Material(
        youngs_modulus=1e6, thickness=1e-3, density=200.0, self_contact=self_contact
    )
    return Cloth(points, triangles, material)


@pytest.mark.parametrize("name", MESHES)
def test_parts_that_lie_in_each_other_fall_as_without_self_contact(name):
    points, triangles = MESHES[name]
    ways = [
        fallen(cloth(points + [0.0, 0.0, 1.0], triangles, self_contact), 6)
        for self_contact in (False, True)
    ]
    # Float32 holds positions of a meter to 10⁻⁷.
    np.testing.assert_allclose(*ways, atol=1e-5)


@pytest.mark.parametrize("name", MESHES)
def test_they_come_down_on_what_is_below(name):
    points, triangles = MESHES[name]
    ground = Plane((0.0, 0.0, 0.0)), Sphere((0.7, 0.5, 0.2), 0.2)
    start = points + [0.0, 0.0, 0.6]
    free, held = (fallen(cloth(start, triangles, on), 20, *ground)[-1] for on in (False, True))
    assert held[:, 2].min() > 0.0
    # Held by contact between its components, it would hang higher by half a meter.
    assert held[:, 2].mean() < free[:, 2].mean() + 0.1


def test_a_soft_body_whose_surface_is_split_falls():
    points, triangles = split(*bumpy_ball(0.3, rows=6))
    material = Material(youngs_modulus=3e4, self_contact=True)
    body = in_cells(points, triangles, resolution=4, material=material)
    way = fallen(body, 6)
    # Six frames of free fall by implicit Euler with steps of 1/96 s: g h² n (n + 1)/2.
    fall = 9.81 / 96.0**2 * 24 * 25 / 2
    np.testing.assert_allclose(way[-1][:, 2], body.points[:, 2] - fall, atol=1e-3)


def test_layers_apart_at_the_start_do_not_pass_where_they_lie_in_each_other_at_rest():
    points, triangles = joined(SHEET, SHEET)
    start = points + np.repeat([0.0, 0.1], len(SHEET[0]))[:, None] * [0.0, 0.0, 1.0]
    material = Material(youngs_modulus=1e6, thickness=1e-3, density=200.0, self_contact=True)
    pins = Pins(np.arange(len(SHEET[0])))
    sheets = Cloth(start, triangles, material, pins=pins, rest_points=points)
    way = fallen(sheets, 12)
    assert way[-1][len(SHEET[0]) :, 2].min() > 0.0
