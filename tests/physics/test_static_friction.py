# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks that stick up to the static friction, and slide with the dynamic one."""

import numpy as np
import pytest
from shapes import box, cell_box, grid

from vbd.solver.bodies import Cells, Collider, Pins, Solid
from vbd.solver.bounds import Plane
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

T = 1.0 / 24.0
STATIC, DYNAMIC = 0.6, 0.3
THICKNESS = 0.002
BOTH = {"friction": DYNAMIC, "static_friction": STATIC}


def floor_of(kind, **friction):
    if kind == "plane":
        return Plane([0.0, 0.0, 0.0], **friction)
    if kind == "soft slab":
        points, tets = box((10, 4, 1), (3.0, 0.8, 0.2))
        points -= [1.0, 0.4, 0.2 + THICKNESS]
        material = Material(youngs_modulus=1e7, collision_thickness=THICKNESS, **friction)
        return Solid(points, tets, material, Pins(np.flatnonzero(points[:, 2] < -0.2)), name="Slab")
    corners, triangles = grid(1, 20.0) if kind == "two triangles" else grid(40, 3.0)
    return Collider(corners - corners.mean(axis=0), triangles, **friction)


def block_of(kind, velocity=(0.0, 0.0, 0.0), **friction):
    points, elements = (box if kind is Solid else cell_box)((3, 3, 1), (0.21, 0.21, 0.07))
    material = Material(youngs_modulus=1e7, collision_thickness=THICKNESS, **friction)
    velocities = np.broadcast_to(velocity, points.shape)
    return kind(points + [-0.1, -0.1, 0.0021], elements, material, velocities=velocities)


def tilted(slope):
    """Gravity that pulls along x as on a slope of a tangent, by the time [s]."""

    def gravity(time):
        angle = np.arctan(slope(time))
        return 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])

    return gravity


def places(bodies, slope, frames):
    """Mean x [m] of the block in every frame."""
    gravity = tilted(slope)
    settings = Settings(gravity=tuple(gravity(0.0)))
    solved = simulate(bodies, settings, frames, gravity=gravity)
    return np.array([frame.exact_positions[0][:, 0].mean() for frame in solved])


@pytest.mark.parametrize("floor", ["plane", "two triangles", "many triangles", "soft slab"])
@pytest.mark.parametrize("kind", [Solid, Cells])
def test_a_block_sticks_up_to_static_friction_and_then_slides(kind, floor):
    """The slope rises, in the end by 1 % of the static friction in four frames, and then stays."""
    times, parts = np.array([0.0, 4.0, 16.0, 56.0, 200.0]) * T, [0.0, 0.0, 0.915, 1.015, 1.015]
    x = places(
        [block_of(kind, **BOTH), floor_of(floor, **BOTH)],
        lambda time: STATIC * np.interp(time, times, parts),
        76,
    )
    speed = np.diff(x) / T
    # It sticks up to 0.99 of it, in frame 46, and has left when it is 1.015 of it, in frame 56.
    assert np.abs(speed[:45]).max() < 2e-3
    assert speed[56] > 0.3
    angle = np.arctan(1.015 * STATIC)
    expected = 9.81 * (np.sin(angle) - DYNAMIC * np.cos(angle))
    np.testing.assert_allclose(np.diff(speed[-12:]).mean() / T, expected, rtol=0.01)


@pytest.mark.parametrize("floor", ["plane", "many triangles"])
def test_a_sliding_block_comes_to_rest_and_sticks(floor):
    """It slides over level ground with the dynamic friction, and holds on a steeper slope then."""

    def slope(time):
        return 0.0 if time < 28.5 * T else 0.85 * STATIC

    block = block_of(Solid, velocity=(2.0, 0.0, 0.0), **BOTH)
    x = places([block, floor_of(floor, **BOTH)], slope, 44)
    speed = np.diff(x) / T
    np.testing.assert_allclose(np.diff(speed[3:14]).mean() / T, -9.81 * DYNAMIC, rtol=0.01)
    assert np.abs(speed[20:27]).max() < 1e-5
    assert np.abs(speed[31:]).max() < 1e-3


def test_static_friction_no_larger_than_friction_changes_no_bit():
    found = []
    for friction in ({"friction": 0.3}, {"friction": 0.3, "static_friction": 0.3}):
        block = block_of(Solid, velocity=(0.5, 0.0, 0.0), **friction)
        found.append(places([block, floor_of("many triangles", **friction)], lambda t: 0.2, 12))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("floor", ["plane", "many triangles"])
def test_a_restart_while_it_slides_keeps_all_bits(floor):
    def run(count, restart=None):
        bodies = block_of(Solid, velocity=(1.0, 0.2, 0.0), **BOTH), floor_of(floor, **BOTH)
        return simulate(bodies, Settings(gravity=(1.0, 0.0, -9.8)), count, restart=restart)

    for frame in run(12):
        if frame.index == 4:
            restart = Restart(4, frame.state())
    *_, again = run(12, restart)
    np.testing.assert_array_equal(again.exact_positions[0], frame.exact_positions[0])
