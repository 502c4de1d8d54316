# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that roll, spin and ride, against known answers, at default settings."""

import numpy as np
import pytest
from rigid_shapes import centers, cuboid, settings_of, tilted
from shapes import plane, roller, unit

from vbd.solver.bodies import Collider, RigidBody
from vbd.solver.scene.joints import Joint
from vbd.solver.settings import Material
from vbd.solver.simulate import Simulation, simulate

GRAVITY = 9.81


def wheel(radius, width, count):
    """A closed prism of `count` sides along y about the origin: points and triangles."""
    points, triangles = roller(count, width)
    return points * (2.0 * radius, 1.0, 2.0 * radius), triangles


def ball(radius):
    """An octahedron whose faces are divided four times, about the origin: points and triangles."""
    corners = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)]
    faces = np.array([(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5)])
    points, triangles = np.array(corners, float), np.vstack([faces, (0, 4, 5)])
    for _ in range(4):
        a, b, c = points[triangles].transpose(1, 0, 2)
        parts = [(a, a + b, a + c), (a + b, b, b + c), (a + c, b + c, c), (a + b, b + c, a + c)]
        soup = unit(np.concatenate([np.stack(part, axis=1) for part in parts]).reshape(-1, 3))
        _, first, number = np.unique(soup.round(9), axis=0, return_index=True, return_inverse=True)
        points, triangles = soup[first], number.reshape(-1, 3)
    return radius * points, triangles


def floor(side=40.0, turn=None):
    """A square of twice a side [m] about the origin."""
    points, triangles = plane(2.0 * side)
    return Collider(points @ (np.eye(3) if turn is None else turn).T, triangles, name="Floor")


def spins(simulation):
    """Angular velocities of the bodies [rad/s], [body, 3]."""
    rigid = simulation.model.rigid.struct
    turn, second = rigid.turn.numpy(), rigid.second.numpy()
    momentum = rigid.momentum.numpy()
    found = []
    for r, j, spin in zip(turn, second, momentum, strict=True):
        inertia = np.trace(j) * np.eye(3) - j
        found.append(np.linalg.solve(r @ inertia @ r.T, spin))
    return np.array(found)


def test_a_ball_that_slides_at_first_rolls_on_with_five_sevenths_of_its_speed():
    """Friction keeps the angular momentum about the line of contact: v = 5/7 v₀, ω = v/r, where
    the mesh of 1026 corners is a ball to a hundredth.
    """
    points, triangles = ball(0.5)
    body = RigidBody(points + (0.0, 0.0, 0.501), triangles, velocity=(3.0, 0.0, 0.0))
    simulation = Simulation([body, floor()], settings_of(friction=0.5))
    places = [centers(frame)[0] for frame in simulation.frames(36)]
    speed = 24.0 * (places[-1] - places[-13])[0] / 12.0
    assert speed == pytest.approx(3.0 * 5.0 / 7.0, rel=0.02)
    assert spins(simulation)[0][1] * 0.5 == pytest.approx(speed, rel=0.02)


def test_a_cylinder_rolls_down_a_slope_with_two_thirds_of_the_acceleration():
    """a = 2/3 g sin α without slip, to the hundredth that 256 flat sides take."""
    angle, radius = np.radians(10.0), 0.5
    turn = tilted(10.0, (0.0, 1.0, 0.0))
    points, triangles = wheel(radius, 1.0, 256)
    start = (0.0, 0.0, radius + 0.001) @ turn.T
    cylinder = RigidBody(points @ turn.T + start, triangles)
    frames = list(simulate([cylinder, floor(turn=turn)], settings_of(friction=0.4), 48))
    path = np.array([np.linalg.norm(centers(frame)[0] - start) for frame in frames])
    speed = np.diff(path) * 24.0
    found = np.polyfit(np.arange(len(speed)) / 24.0, speed, 1)[0]
    assert found == pytest.approx(2.0 / 3.0 * GRAVITY * np.sin(angle), rel=0.01)


def test_a_gyroscope_precesses_at_its_rate():
    """A wheel on a level axle that a ball joint holds: Ω = m g l/(I ω). The first-order steps lose
    h Ω² of the spin in a second, so that Ω rises: with 16 substeps by 1.6 % in two seconds.
    """
    radius, arm, rate = 0.3, 0.4, 2.0 * np.pi * 8.0
    points, triangles = wheel(radius, 0.08, 48)
    quarter = tilted(-90.0, (0.0, 0.0, 1.0))  # the axle along x
    probe = RigidBody(points @ quarter.T + (arm, 0.0, 1.0), triangles).properties
    expected = probe.mass * GRAVITY * arm / (probe.inertia[0, 0] * rate)
    body = RigidBody(
        points @ quarter.T + (arm, 0.0, 1.0),
        triangles,
        velocity=(0.0, expected * arm, 0.0),
        angular_velocity=(rate, 0.0, expected),
    )
    joint = Joint("ball", body, None, (0.0, 0.0, 1.0))
    frames = list(simulate([body, joint], settings_of(substeps=16), 48))
    places = np.array([centers(frame)[0] for frame in frames])
    angle = np.unwrap(np.arctan2(places[:, 1], places[:, 0]))
    found = np.polyfit(np.arange(len(angle)) / 24.0, angle, 1)[0]
    assert found == pytest.approx(expected, rel=0.02)
    assert abs(places[:, 2] - 1.0).max() < 0.02
    np.testing.assert_allclose(np.linalg.norm(places - (0.0, 0.0, 1.0), axis=1), arm, atol=1e-4)


def test_a_crate_on_a_conveyor_gains_its_speed_by_friction():
    """It slips with the acceleration μ g, and then rides along on a belt that moves as a whole."""
    friction, belt = 0.2, 1.0
    start = floor(10.0)
    moving = Collider(
        lambda time: start.start + (belt * time, 0.0, 0.0), start.triangles, friction=friction
    )
    crate = cuboid(0.25, (0.0, 0.0, 0.251), material=Material(friction=friction))
    places = [centers(frame)[0][0] for frame in simulate([crate, moving], settings_of(), 36)]
    speed = 24.0 * np.diff([0.0, *places])
    gained = np.diff(speed[1:10]) * 24.0
    assert gained.mean() == pytest.approx(friction * GRAVITY, rel=0.02)
    np.testing.assert_allclose(speed[-12:], belt, rtol=0.005)
