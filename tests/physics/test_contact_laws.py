# SPDX-License-Identifier: GPL-3.0-or-later
"""Coulomb's law on a slope, and momentum when bodies collide."""

import numpy as np
import pytest
from shapes import box, plane, rotation

from vbd.solver.bodies import Collider, Solid
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

THICKNESS = 0.01
ANGLE = np.radians(20.0)


def slope_speeds(friction, floor, frames, friction_velocity=0.002):
    """Mean speed [m/s] downhill of a block in every frame, released on a slope of 20°."""
    tilt = rotation([0.0, 1.0, 0.0], ANGLE)
    points, tets = box((2, 2, 1), (0.2, 0.2, 0.1))
    body = Solid(
        (points + [0.0, 0.0, THICKNESS]) @ tilt.T,
        tets,
        Material(youngs_modulus=1e6, damping=0.02, collision_thickness=THICKNESS),
        rest_points=points,
    )
    if floor == "plane":
        ground = Plane([0.0, 0.0, 0.0], tilt @ [0.0, 0.0, 1.0])
    else:
        corners, triangles = plane(20.0)
        ground = Collider(corners @ tilt.T, triangles)
    settings = Settings(
        substeps=8, iterations=100, friction=friction, friction_velocity=friction_velocity
    )
    downhill = tilt @ [1.0, 0.0, 0.0]
    places = [
        (f.exact_positions[0] @ downhill).mean() for f in simulate([body, ground], settings, frames)
    ]
    return np.diff(places) / settings.frame_time, settings


@pytest.mark.parametrize("floor", ["plane", "mesh"])
def test_one_percent_of_friction_decides_between_sliding_and_sticking(floor):
    critical = np.tan(ANGLE)
    sliding, settings = slope_speeds(0.99 * critical, floor, 40)
    sticking, _ = slope_speeds(1.01 * critical, floor, 40)
    # Sliding, it still gets faster at the end; sticking, it does not creep.
    pull = 9.81 * (np.sin(ANGLE) - 0.99 * critical * np.cos(ANGLE))
    gained = (sliding[-1] - sliding[-13]) / (12 * settings.frame_time)
    assert gained == pytest.approx(pull, rel=0.25)
    assert sliding[-1] > 4.0 * settings.friction_velocity
    assert abs(sticking[-1]) < 0.01 * settings.friction_velocity


@pytest.mark.parametrize("floor", ["plane", "mesh"])
def test_sliding_accelerates_by_what_friction_leaves_of_gravity(floor):
    friction = 0.2
    speeds, settings = slope_speeds(friction, floor, 24)
    wanted = 9.81 * (np.sin(ANGLE) - friction * np.cos(ANGLE))
    measured = (speeds[-1] - speeds[5]) / ((len(speeds) - 6) * settings.frame_time)
    assert measured == pytest.approx(wanted, rel=0.02)
