# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiny, light and stiff bodies rest like large ones: their contacts and elements are 10⁴ to 10⁹
times as stiff as their inertia, m/h².
"""

import numpy as np
import pytest
from shapes import box

from vbd.solver.bodies import Solid
from vbd.solver.scene.analytic_colliders import Plane, Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

GRAVITY = 9.81
SETTINGS = Settings(frame_time=1.0 / 24.0, substeps=40, iterations=5, relaxation=1.9)
FRAMES = 4
# Contact distance, and height of a cube above the collider at first, as fractions of its size.
THICKNESS, GAP = 3e-3, 1e-4
CASES = [(3e-4, 1e6), (3e-4, 1e8), (3e-4, 1e10), (1e-3, 1e6), (1e-3, 1e8)]


def cube(cells, size, stiffness, place):
    """A cube with one corner at a place [m]."""
    rest, tets = box((cells, cells, cells), (size, size, size))
    material = Material(
        youngs_modulus=stiffness,
        poisson_ratio=0.3,
        density=200.0,
        thickness=THICKNESS * size,
        friction=0.5,
    )
    return Solid(rest + place, tets, material, rest_points=rest)


@pytest.mark.parametrize(("size", "stiffness"), CASES)
@pytest.mark.parametrize("away", [0.0, 10.0])
def test_a_tiny_cube_lies_still(size, stiffness, away):
    place = away * np.array([1.0, 0.7, 0.3])
    body = cube(1, size, stiffness, place + [0.0, 0.0, GAP * size])
    floor = Plane(place, np.array([0.0, 0.0, 1.0]))
    for frame in simulate([body, floor], SETTINGS, FRAMES):
        # It may rise to the contact distance, and tilt by as much.
        moved = frame.exact_positions[0] - body.points
        assert np.abs(moved).max() < THICKNESS * size


BALANCED = 0.5
UNSETTLED = pytest.mark.xfail(
    reason="last digits decide whether it rises by one contact distance or two"
)
ON_A_SPHERE = [(*case, aside) for case in CASES for aside in (BALANCED, 0.502, 0.51, 0.53)]
ON_A_SPHERE[ON_A_SPHERE.index((1e-3, 1e8, BALANCED))] = pytest.param(
    1e-3, 1e8, BALANCED, marks=UNSETTLED
)


@pytest.mark.parametrize(("size", "stiffness", "aside"), ON_A_SPHERE)
def test_a_tiny_cube_on_a_sphere_gains_no_energy(size, stiffness, aside):
    """With contact at vertices only it stands on one, or rocks, or falls off: never up, nor faster
    than gravity.
    """
    body = cube(2, size, stiffness, [0.0, 0.0, GAP * size])
    ball = Sphere(size * np.array([aside, 0.5, -2.0]), 2.0 * size)
    step = SETTINGS.step_time
    for frame in simulate([body, ball], SETTINGS, FRAMES):
        moved = (frame.exact_positions[0] - body.points).mean(axis=0)
        steps = frame.index * SETTINGS.substeps
        fall = GRAVITY * step**2 * steps * (steps + 1) / 2
        assert moved[2] < THICKNESS * size
        assert np.linalg.norm(moved) < fall + THICKNESS * size
