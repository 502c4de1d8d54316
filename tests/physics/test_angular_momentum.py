# SPDX-License-Identifier: GPL-3.0-or-later
"""Collisions in free flight keep angular momentum, beside what implicit Euler itself changes.

With x¹ = x⁰ + h v¹, and forces f of the substep that have no torque about their positions x¹,
L¹ = Σ m x¹ × v¹ = Σ m x¹ × v⁰ = L⁰ + h Σ m v¹ × v⁰. The last sum is the change by implicit Euler:
it is there for exact forces, with and without contact. The rest is the torque of forces that are
not balanced: of an unfinished solution, of truncated steps, of friction that acts at a distance.
"""

import numpy as np
import pytest
from shapes import box, grid, tet_ball

from vbd.solver.bodies import Cloth, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

# Rounding of positions in float32, 6e-8 of about 1 m in each of 80 steps of 1/96 s, makes up to
# 3e-4 of it; the accuracy of 2 % of the motion of a substep less.
OURS = 1e-3


def ball_and_cube(friction):
    material = Material(youngs_modulus=1e5, friction=friction)
    (ball, tets), (cube, others) = tet_ball(4, 0.3), box((3, 3, 3), (0.5, 0.5, 0.5))
    fast = {"velocities": [2.0, 0.0, 0.0], "name": "Ball"}
    return [
        Solid(ball + [-0.6, 0.12, 0.05], tets, material, **fast),
        Solid(cube - [-0.1, 0.25, 0.25], others, material, name="Cube"),
    ]


def two_sheets(friction):
    material = Material(youngs_modulus=1e6, friction=friction, density=0.2)
    points, triangles = grid(8)
    fast = {"velocities": [0.0, 0.0, -2.0], "name": "Above"}
    return [
        Cloth(points + [0.0, 0.0, 0.1], triangles, material, **fast),
        Cloth(points + [0.3, 0.4, 0.0], triangles, material, name="Below"),
    ]


def changes(bodies, settings, steps):
    """Angular momentum at the start [kg m²/s], its change, that by implicit Euler, and the number
    of steps with contacts; a frame is one substep.
    """
    simulation, h = Simulation(bodies, settings), settings.step_time
    model = simulation.model
    mass = model.assembly.mass[:, None]
    x, v = model.assembly.points, model.assembly.velocities
    start = momentum = np.cross(x, mass * v).sum(axis=0)
    by_euler, touching = np.zeros(3), 0
    for frame in simulation.frames(steps):
        x, before, v_before = model.x.numpy()[: len(mass)].astype(float), x, v
        v = (x - before) / h
        by_euler += h * np.cross(v, mass * v_before).sum(axis=0)
        momentum = np.cross(x, mass * v).sum(axis=0)
        touching += frame.stats.contacts > 0
    return start, momentum - start, by_euler, touching


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("make", [ball_and_cube, two_sheets])
def test_free_collisions_keep_angular_momentum_beside_implicit_euler(make, friction):
    settings = Settings(frame_time=1.0 / 96.0, substeps=1, gravity=(0.0, 0.0, 0.0))
    start, change, by_euler, touching = changes(make(friction), settings, 80)
    assert touching > 10
    size = np.linalg.norm(start)
    # So the two can be told apart: implicit Euler changes more than the bound.
    assert np.linalg.norm(by_euler) > 5.0 * OURS * size
    assert np.linalg.norm(change - by_euler) < OURS * size
