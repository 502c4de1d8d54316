# SPDX-License-Identifier: GPL-3.0-or-later
"""Damping k_d is stiffness-proportional: a mode of circular frequency ω decays with ζ = k_d ω/2."""

import numpy as np
import pytest
from decay import check_decay
from shapes import box, chain, grid, rotation, tet_mesh

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.meshes import tet_volumes


@pytest.mark.parametrize("model", ["neo_hookean", "neo_hookean_log", "corotated"])
# The principal axes of bending: all diagonals of the cells run in one direction.
@pytest.mark.parametrize("direction", [[1, 0, 0], [0, 1, 1], [0, 1, -1]])
def test_a_beam_swings_down_as_its_damping_says_in_every_direction(direction, model):
    points, tets = box((6, 2, 2), (0.3, 0.1, 0.1))
    along = points[:, 0] / 0.3
    stretch = direction[0] == 1
    shape = along if stretch else along**2
    velocity = 0.02 * shape[:, None] * np.array(direction) / np.linalg.norm(direction)
    held = Pins(np.flatnonzero(points[:, 0] < 1e-6))

    def make(damping):
        material = Material(
            youngs_modulus=1e5, poisson_ratio=0.3, damping=damping, solid_model=model
        )
        return Solid(points, tets, material, pins=held, velocities=velocity)

    check_decay(make, 1 / 480 if stretch else 1 / 160, 240, ratio=0.08)


@pytest.mark.parametrize("membrane", ["stvk", "neo_hookean"])
@pytest.mark.parametrize("direction", [[1, 0, 0], [0, 1, 0], [1, 1, 0]])
def test_a_membrane_swings_down_as_its_damping_says(direction, membrane):
    points, triangles = grid(6, 0.3)
    held = Pins(np.flatnonzero(points[:, 0] < 1e-6))
    velocity = 0.02 * (points[:, :1] / 0.3) * np.array(direction)

    def make(damping):
        material = Material(
            youngs_modulus=1e5,
            thickness=1e-3,
            density=1.0,
            poisson_ratio=0.0,
            bending_stiffness=0.0,
            damping=damping,
            membrane=membrane,
            adapt_folds=False,
        )
        return Cloth(points, triangles, material, pins=held, velocities=velocity)

    check_decay(make, 1 / 480, 300, ratio=0.08)


@pytest.mark.parametrize("name", ["damping", "bending_damping"])
def test_bending_swings_down_as_its_damping_says(name):
    points, triangles = grid(6, 0.3)
    held = Pins(np.flatnonzero(points[:, 0] < 0.06))
    velocity = np.zeros_like(points)
    velocity[:, 2] = 0.01 * (points[:, 0] / 0.3) ** 2

    def make(damping):
        material = Material(
            youngs_modulus=1e5,
            thickness=1e-3,
            density=0.5,
            bending_stiffness=0.01,
            **{name: damping},
        )
        return Cloth(points, triangles, material, pins=held, velocities=velocity)

    check_decay(make, 1 / 240, 300, ratio=0.08)


def test_a_spring_swings_down_as_its_damping_says():
    points, edges = chain(2, 1.0)

    def make(damping):
        material = Material(spring_stiffness=400.0, vertex_mass=1.0, damping=damping)
        return Rod(points, edges, material, pins=Pins([0]), velocities=[0.05, 0.0, 0.0])

    check_decay(make, 1 / 480, 300, ratio=0.08)


@pytest.mark.parametrize("model", ["neo_hookean", "neo_hookean_log", "corotated"])
def test_damping_changes_the_spin_by_less_than_one_percent(model):
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    points = (points - points.mean(axis=0)) @ rotation([0.6, 0.0, 0.8], 0.7).T
    ends = []
    for damping in (0.0, 0.05):
        material = Material(youngs_modulus=1e6, damping=damping, solid_model=model)
        body = Solid(points, tets, material, velocities=np.cross([0.0, 0.0, 10.0], points))
        settings = Settings(gravity=(0, 0, 0), frame_time=1 / 240, substeps=1, iterations=300)
        *_, frame = simulate([body], settings, 24)
        now, start = frame.positions[0], points
        angle = np.arctan2(
            (start[:, 0] * now[:, 1] - start[:, 1] * now[:, 0]).sum(),
            (start[:, 0] * now[:, 0] + start[:, 1] * now[:, 1]).sum(),
        )
        ends.append(angle)
    assert ends[1] == pytest.approx(ends[0], rel=0.01)


@pytest.mark.parametrize("damping", [1e-6, 1e-3])
def test_a_damped_body_scattered_over_a_sphere_recovers_and_gains_no_energy(damping):
    points, tets = tet_mesh("teapot")
    rng = np.random.default_rng(2).standard_normal(points.shape)
    scattered = rng / np.linalg.norm(rng, axis=1, keepdims=True)
    material = Material.from_energy(mu=2e6, lam=1e7, damping=damping)
    body = Solid(scattered, tets, material, rest_points=2.0 * points)
    settings = Settings(gravity=(0, 0, 0), frame_time=1 / 60, substeps=1, iterations=100)
    frames = list(simulate([body], settings, 40))
    energy = np.array([f.stats.elastic_energy + f.stats.kinetic_energy for f in frames])
    # In the end it spins freely: float32 and 100 iterations hold that energy to a thousandth.
    assert (energy[1:] < 1.001 * energy[:-1]).all()
    assert frames[-1].stats.inverted == 0
    volume = tet_volumes(frames[-1].exact_positions[0], tets).sum()
    assert volume == pytest.approx(tet_volumes(body.rest_points, tets).sum(), rel=0.01)
