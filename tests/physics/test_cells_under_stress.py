# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of cells that start collapsed, spin while they are bent, swing, or get too few sweeps."""

from itertools import pairwise

import numpy as np
import pytest
from decay import check_decay
from shapes import RUINS, cell_box

from vbd.benchmarks.reference.beams import bar, material
from vbd.solver.bodies import Cells, Collider, Pins
from vbd.solver.model.assembly import vertex_mass
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

WEIGHTLESS = (0.0, 0.0, 0.0)
MODELS = ["neo_hookean", "neo_hookean_log", "corotated"]


def volume(points, cells):
    """Volume [m³] of all cells, by their edges at the centre."""
    corners = points[cells]
    signs = 2.0 * np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)]) - 1.0
    return np.linalg.det(np.einsum("cki,kj->cij", corners, signs) / 4.0)


def recovered(body, count, **settings):
    """The last of `count` frames; all have to be finite."""
    settings = Settings(frame_time=1 / 60, substeps=1, gravity=WEIGHTLESS, **settings)
    for frame in simulate([body], settings, count):
        assert np.isfinite(frame.exact_positions[0]).all()
        assert np.isfinite(frame.stats.residual)
    return frame


@pytest.mark.parametrize("iterations", [1, 2, 10])
@pytest.mark.parametrize("name", RUINS)
def test_ruined_cells_recover_no_worse_than_without_the_coarse_correction(name, iterations):
    points, cells = cell_box((12, 6, 6), (1.0, 0.5, 0.5))
    points = points - points.mean(axis=0)
    start = RUINS[name](points, np.random.default_rng(0))
    body = Cells(start, cells, Material(youngs_modulus=1e6), rest_points=points)
    with_it, without = (
        recovered(body, 40, iterations=iterations, coarse_correction=wanted).stats.elastic_energy
        for wanted in (True, False)
    )
    # Recovered states differ by their vibration; collapsed ones have an energy of 10⁴ J and more.
    assert with_it <= 1.1 * without + 10.0


@pytest.mark.parametrize("name", RUINS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("damping", [0.0, 1e-3])
def test_ruined_cells_get_their_volume_back(name, model, damping):
    points, cells = cell_box((6, 3, 3), (1.0, 0.5, 0.5))
    points = points - points.mean(axis=0)
    start = RUINS[name](points, np.random.default_rng(1))
    made = Material(youngs_modulus=1e6, poisson_ratio=0.4, solid_model=model, damping=damping)
    body = Cells(start, cells, made, rest_points=points)
    # Ruined cells recover a small fraction of the distance per step: errors of one sign add up.
    frame = recovered(body, 60, iterations=100, accuracy=0.0)
    assert frame.stats.inverted == 0
    now, before = volume(frame.exact_positions[0], cells), volume(points, cells)
    assert now.min() > 0.5 * before.min()
    assert now.sum() == pytest.approx(before.sum(), rel=0.02)


@pytest.mark.parametrize("iterations", [1, 2, 10])
def test_cells_stretched_fourfold_spring_back(iterations):
    points, cells = cell_box((12, 6, 6), (1.0, 0.5, 0.5))
    made = Material(youngs_modulus=1e6)
    body = Cells(points * [4.0, 1.0, 1.0], cells, made, rest_points=points)
    stretched = 0.5 * 1e6 * 0.25 * 9.0
    assert recovered(body, 40, iterations=iterations).stats.elastic_energy < 0.1 * stretched


def pulled_bar(across):
    """A bar held at one end, with a vertex of the other moving round every second."""
    points, cells = cell_box((across, across, 4 * across), (0.25, 0.25, 1.0))
    held = np.append(np.flatnonzero(points[:, 2] < 1e-9), len(points) - 1)
    rest = points[held]

    def targets(time):
        moved, phase = rest.copy(), 2.0 * np.pi * time
        moved[-1] += 0.5 * np.array([np.sin(phase), np.cos(phase) - 1.0, 0.5 * np.sin(2 * phase)])
        return moved

    return Cells(points, cells, Material.from_energy(mu=2e6, lam=1e7), Pins(held, targets))


@pytest.mark.parametrize("across", [1, 3])
@pytest.mark.parametrize("settings", [{}, {"relaxation": 1.0}, {"coarse_correction": False}])
def test_one_iteration_per_frame_is_stable_for_a_thousand_frames(across, settings):
    settings = Settings(frame_time=1 / 60, substeps=1, iterations=1, **settings)
    frames = simulate([pulled_bar(across)], settings, 1000)
    energies = np.array([f.stats.elastic_energy + f.stats.kinetic_energy for f in frames])
    assert np.isfinite(energies).all()
    assert energies[500:].max() < 1.1 * energies[:500].max()


@pytest.mark.parametrize(
    ("direction", "across", "model"),
    [
        *(
            (direction, across, "neo_hookean")
            for direction in ([1, 0, 0], [0, 1, 0], [0, 1, 1])
            for across in (1, 2)
        ),
        ([0, 1, 1], 1, "neo_hookean_log"),
        ([0, 1, 1], 1, "corotated"),
    ],
)
def test_a_beam_swings_down_as_its_damping_says(direction, across, model):
    points, cells = cell_box((4 * across, across, across), (0.4, 0.1, 0.1))
    along = points[:, 0] / 0.4
    stretch = direction[0] == 1
    shape = along if stretch else along**2
    velocity = 0.02 * shape[:, None] * np.array(direction) / np.linalg.norm(direction)
    held = Pins(np.flatnonzero(points[:, 0] < 1e-6))

    def make(damping):
        made = Material(youngs_modulus=1e5, poisson_ratio=0.3, damping=damping, solid_model=model)
        return Cells(points, cells, made, pins=held, velocities=velocity)

    check_decay(make, 1 / 480 if stretch else 1 / 120, 240, ratio=0.08)


def bent_and_twisted(points):
    """A bar of length 10 as an arc of a radius of 6, twisted by a radian along its length."""
    center = points.mean(axis=0)
    along, y, z = (points - center).T
    twist = 0.1 * along
    y, z = np.cos(twist) * y - np.sin(twist) * z, np.sin(twist) * y + np.cos(twist) * z
    turn = along / 6.0
    return np.stack([(6.0 - z) * np.sin(turn), y, 6.0 - (6.0 - z) * np.cos(turn)], axis=1)


@pytest.mark.parametrize("across", [1, 2])
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_a_bar_that_spins_fast_while_it_is_bent_keeps_its_spin_and_gains_no_energy(across, damping):
    """Released while it turns by a radian in 20 steps. Implicit Euler takes spin and energy itself:
    where no force turns the body, Σ m x × v changes by h Σ m v' × v in a step from v to v'.
    """
    body = bar(across, material(0.3, damping=damping))
    body.points = bent_and_twisted(body.rest_points)
    body.points -= body.points.mean(axis=0)
    body.velocities = np.cross([2.0, 1.0, 5.0], body.points)
    h, mass = 1 / 100, vertex_mass(body)[:, None]
    settings = Settings(gravity=WEIGHTLESS, frame_time=h, substeps=1, iterations=300)
    frames = list(simulate([body], settings, 60))
    energy = np.array([f.stats.elastic_energy + f.stats.kinetic_energy for f in frames])
    assert (energy[1:] < energy[:-1] * (1.0 + 1e-4)).all()
    x = [body.points, *(f.exact_positions[0] for f in frames)]
    v = [body.velocities, *((after - before) / h for before, after in pairwise(x))]
    for step in range(1, len(frames)):
        before, after = (np.cross(x[k], mass * v[k]).sum(axis=0) for k in (step, step + 1))
        own = h * np.cross(v[step + 1], mass * v[step]).sum(axis=0)
        assert after - before == pytest.approx(own, abs=1e-4 * np.linalg.norm(before))


@pytest.mark.parametrize("modulus", [1e6, 1e9])
@pytest.mark.parametrize("ratio", [0.45, 0.49, 0.495])
@pytest.mark.parametrize("iterations", [5, 20])
def test_a_nearly_incompressible_cube_keeps_its_shape_while_it_falls(modulus, ratio, iterations):
    points, cells = cell_box((4, 4, 4), (0.6, 0.6, 0.6))
    rubber = Material(youngs_modulus=modulus, poisson_ratio=ratio, density=1150.0)
    body = Cells(points + [0.0, 0.0, 8.0], cells, rubber)
    floor = Collider([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]], [[0, 1, 2], [0, 2, 3]])
    *_, frame = simulate([body, floor], Settings(iterations=iterations), 12)
    fallen = frame.exact_positions[0] - body.points
    # Rounding in float32 must not add up: it would come to centimeters by then.
    assert np.ptp(fallen, axis=0).max() < 3e-4
