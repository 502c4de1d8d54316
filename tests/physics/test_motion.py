# SPDX-License-Identifier: GPL-3.0-or-later
"""Free motion: falling, spinning, momentum, energy. Answers from mechanics, not from this code."""

import numpy as np
import pytest
from shapes import box, chain, grid, rotation

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

GRAVITY = np.array([0.0, 0.0, -9.81])


def all_kinds(damping=0.0, velocities=None):
    """A solid, a cloth and a rod, a metre apart."""
    soft = Material(youngs_modulus=2e4, damping=damping)
    cloth = Material(youngs_modulus=1e6, density=0.2, bending_stiffness=1e-4, damping=damping)
    rod = Material(youngs_modulus=1e7, density=0.05, thickness=0.005, damping=damping)
    points, tets = box((2, 2, 2), (0.3, 0.3, 0.3))
    sheet, triangles = grid(5, 0.5)
    string, edges = chain(6, 0.1)
    return [
        Solid(points, tets, soft, velocities=velocities),
        Cloth(sheet + [1.0, 0.0, 0.0], triangles, cloth, velocities=velocities),
        Rod(string + [0.0, 1.0, 0.0], edges, rod, velocities=velocities),
    ]


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_free_fall_is_exact_for_every_kind_of_body_with_and_without_damping(damping):
    start = np.array([0.4, -0.2, 1.5])
    bodies = all_kinds(damping, start)
    settings = Settings(frame_time=1 / 25, substeps=4, iterations=5, damping=damping)
    h = settings.step_time
    for frame in simulate(bodies, settings, 10):
        n = 4 * frame.index
        moved = n * h * start + 0.5 * GRAVITY * h**2 * n * (n + 1)
        for body, points in zip(bodies, frame.positions, strict=True):
            # 40 steps in float32, positions of about 1 m.
            np.testing.assert_allclose(points, body.points + moved, atol=4e-5)


def test_a_damped_body_keeps_its_linear_momentum():
    points, tets = box((2, 2, 3), (0.2, 0.2, 0.3))
    shaken = np.random.default_rng(4).standard_normal(points.shape)
    body = Solid(points, tets, Material(youngs_modulus=1e4, damping=0.02), velocities=shaken)
    settings = Settings(gravity=(0, 0, 0), substeps=4, iterations=200)
    volume = 0.2 * 0.2 * 0.3 / (2 * 2 * 3 * 6)
    mass = np.bincount(tets.ravel(), minlength=len(points)) * 1000.0 * volume / 4
    before = mass @ shaken / mass.sum()
    start = mass @ points / mass.sum()
    for frame in simulate([body], settings, 5):
        center = mass @ frame.positions[0] / mass.sum()
    # Converged to float32: 20 steps that each round at 1e-7 m.
    np.testing.assert_allclose(center, start + before * 5 / 24, atol=5e-6)


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_a_stiff_body_loses_the_spin_that_implicit_euler_takes_and_no_more(damping):
    # A step that turned by θ is followed by one of atan(sin θ/(2 − cos θ)).
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    points = points - points.mean(axis=0)
    spin, h = 12.0, 1 / 240
    body = Solid(
        points,
        tets,
        Material(youngs_modulus=1e6, damping=damping),
        velocities=np.cross([0.0, 0.0, spin], points),
    )
    settings = Settings(gravity=(0, 0, 0), frame_time=h, substeps=1, iterations=300)
    turn = np.arctan(spin * h)
    wanted, expected = 0.0, []
    for _ in range(24):
        wanted += turn
        expected.append(wanted)
        turn = np.arctan(np.sin(turn) / (2.0 - np.cos(turn)))
    corner = points[0]
    for frame, angle in zip(simulate([body], settings, 24), expected, strict=True):
        now = frame.positions[0][0]
        turned = np.arctan2(corner[0] * now[1] - corner[1] * now[0], corner[:2] @ now[:2])
        # 2 %: the body is elastic and widens a little under its spin.
        assert turned == pytest.approx(angle, rel=0.02)


def test_a_turned_body_feels_no_force():
    points, tets = box((2, 2, 2), (0.5, 0.5, 0.5))
    turned = points @ rotation([0.0, 0.6, 0.8], 1.3).T
    solid = Solid(turned, tets, rest_points=points)
    sheet, triangles = grid(6)
    rolled = Cloth(
        sheet @ rotation([1.0, 0.0, 0.0], 2.0).T + [2.0, 0.0, 0.0], triangles, rest_points=sheet
    )
    settings = Settings(gravity=(0, 0, 0), iterations=20)
    for frame in simulate([solid, rolled], settings, 5):
        np.testing.assert_allclose(frame.positions[0], turned, atol=2e-6)
        np.testing.assert_allclose(frame.positions[1], rolled.points, atol=4e-5)


def test_energy_never_grows_without_contact():
    for body in all_kinds(velocities=[0.0, 0.0, 1.0]):
        body.velocities = body.velocities + np.random.default_rng(5).standard_normal(
            body.points.shape
        )
        settings = Settings(gravity=(0, 0, 0), substeps=8, iterations=100)
        last = np.inf
        for frame in simulate([body], settings, 12):
            # float32 positions are worth about 1e-6 of the motion's energy.
            assert frame.stats.energy <= last * (1.0 + 1e-5)
            last = frame.stats.energy


def test_pendulum_swings_with_its_period():
    length, amplitude = 1.0, np.radians(10.0)
    points = np.array(
        [[0.0, 0.0, 0.0], [length * np.sin(amplitude), 0.0, -length * np.cos(amplitude)]]
    )
    rod = Rod(points, [[0, 1]], Material(spring_stiffness=1e5, vertex_mass=1.0), pins=Pins([0]))
    settings = Settings(frame_time=1 / 200, substeps=8, iterations=30)
    x = np.array([frame.positions[0][1, 0] for frame in simulate([rod], settings, 540)])
    times = settings.frame_time * np.arange(1, len(x) + 1)
    down = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    zeros = times[down] + settings.frame_time * x[down] / (x[down] - x[down + 1])
    period = 2.0 * np.pi * np.sqrt(length / 9.81) * (1.0 + amplitude**2 / 16.0)
    # The spring is 0.1 mm longer under load, and Euler damping shrinks the amplitude: below 0.3 %.
    assert zeros[1] - zeros[0] == pytest.approx(period, rel=3e-3)


def test_a_heavy_chain_swung_from_the_horizontal_is_pulled_with_three_times_its_weight():
    count, link, stiffness = 20, 0.0577, 1e8
    points, edges = chain(count, link)
    mass = np.ones(count)
    mass[-1] = 1000.0
    rod = Rod(points, edges, Material(spring_stiffness=stiffness, vertex_mass=mass), pins=Pins([0]))
    strains = []
    for frame in simulate([rod], Settings(frame_time=1 / 30, substeps=20, iterations=100), 24):
        lengths = np.linalg.norm(np.diff(frame.positions[0].astype(float), axis=0), axis=1)
        strains.append((lengths / link - 1.0).max())
    # At the bottom ω² = 2 g/L, so a mass at r pulls with m g (1 + 2 r/L) on the first link.
    pull = (mass[1:] * 9.81 * (1.0 + 2.0 * np.arange(1, count) / (count - 1))).sum()
    # Numerical damping takes a little, the chain's own bounce adds a little.
    assert max(strains) == pytest.approx(pull / stiffness / link, rel=0.03)


def test_result_does_not_depend_on_the_order_of_objects_and_vertices():
    settings = Settings(iterations=60, use_ground=True, ground_height=-0.05)
    bodies = all_kinds()
    *_, frame = simulate(bodies, settings, 12)
    rng = np.random.default_rng(6)
    shuffled, orders = [], []
    for body in bodies:
        order = rng.permutation(len(body.points))
        place = np.argsort(order)
        orders.append(place)
        elements = place[body.elements[rng.permutation(len(body.elements))]]
        shuffled.append(type(body)(body.points[order], elements, body.material))
    *_, other = simulate(shuffled[::-1], settings, 12)
    for points, moved, place in zip(frame.positions, other.positions[::-1], orders, strict=True):
        # Not converged to the last digit, and Gauss-Seidel in another order: 2 mm of a 1 m fall.
        np.testing.assert_allclose(points, moved[place], atol=2e-3)


def test_a_rod_pushed_along_itself_does_not_run_away():
    # Compressed springs push sideways; without stiffness there, relaxed steps would diverge.
    points, edges = chain(20, 0.05)
    rod = Rod(
        points,
        edges,
        Material(spring_stiffness=1e6, vertex_mass=0.01),
        pins=Pins([0, 19], lambda time: points[[0, 19]] - [[0.0] * 3, [0.4 * time, 0.0, 0.0]]),
        velocities=1e-3 * np.random.default_rng(8).standard_normal(points.shape),
    )
    for frame in simulate([rod], Settings(substeps=1, iterations=100, gravity=(0, 0, 0)), 24):
        lengths = np.linalg.norm(np.diff(frame.positions[0], axis=0), axis=1)
        # It buckles: no spring is much shorter or longer than at rest.
        assert np.abs(lengths / 0.05 - 1.0).max() < 0.05
