# SPDX-License-Identifier: GPL-3.0-or-later
"""Coulomb's law on a slope, and momentum when bodies collide."""

import numpy as np
import pytest
from shapes import box, plane, rotation

from vbd.solver.bodies import Collider, Solid
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.meshes import tet_volumes

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


def collision(iterations=40):
    """Positions and velocities of two boxes that collide, [step, vertex, 3], and contact pairs."""
    points, tets = box((3, 3, 3), (0.2, 0.2, 0.2))
    points -= points.mean(axis=0)
    material = Material(youngs_modulus=2e5, collision_thickness=0.004, friction=0.5)
    axis = np.array([1.0, 2.0, 0.5])
    turned = points @ rotation(axis / np.linalg.norm(axis), 0.7).T
    bodies = [
        Solid(points, tets, material, velocities=[2.0, 0.0, 0.0]),
        Solid(turned + [0.33, 0.06, 0.05], tets, material, velocities=[-1.0, 0.0, 0.0]),
    ]
    settings = Settings(
        gravity=(0.0, 0.0, 0.0), frame_time=1.0 / 200.0, substeps=1, iterations=iterations
    )
    states, pairs = [np.concatenate([body.points for body in bodies])], 0
    for frame in simulate(bodies, settings, 100):
        states.append(np.concatenate(frame.exact_positions))
        pairs = max(pairs, frame.stats.pairs)
    states = np.array(states)
    return states[1:], np.diff(states, axis=0) / settings.frame_time, pairs


def corner_mass():
    points, tets = box((3, 3, 3), (0.2, 0.2, 0.2))
    share = np.repeat(1000.0 * tet_volumes(points, tets) / 4.0, 4)
    return np.bincount(tets.ravel(), share)


MASS = np.tile(corner_mass(), 2)


def test_two_bodies_that_collide_keep_their_momentum():
    x, v, pairs = collision()
    assert pairs > 0
    momentum = (MASS[:, None] * v).sum(axis=1)
    # One body alone has 16 kg m/s.
    assert np.abs(momentum - momentum[0]).max() < 1e-4 * 16.0
    # Implicit Euler without torque keeps Σ m x × v but for its own loss h Σ m vᵗ⁺¹ × vᵗ.
    change = np.cross(x[1:], v[1:] - v[:-1])
    torque = (MASS[:, None] * change).sum(axis=1)
    assert np.abs(np.cumsum(torque, axis=0)).max() < 1e-3 * 16.0 * 0.1  # 0.1 m: half a box
