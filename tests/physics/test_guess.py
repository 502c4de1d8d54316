# SPDX-License-Identifier: GPL-3.0-or-later
"""The default guess far from convergence of the iterations: it adds no energy."""

import numpy as np
import pytest
from shapes import box, tet_mesh

from vbd.solver.bodies import Pins, Solid
from vbd.solver.model.assembly import vertex_mass
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

GRAVITY = 9.81
# 20 iterations are far too few for this: sound crosses the body within one step.
STIFF = {"frame_time": 1 / 60, "substeps": 1}


def mechanical_energies(body, count, **settings):
    """Elastic, kinetic and potential energy together [J] after each of `count` frames."""
    mass = vertex_mass(body)
    return np.array(
        [
            frame.stats.elastic_energy
            + frame.stats.kinetic_energy
            + GRAVITY * mass @ (frame.exact_positions[0] - body.points)[:, 2]
            for frame in simulate([body], Settings(**STIFF, **settings), count)
        ]
    )


def bunny(way):
    """A bunny of 5 MPa: held at its feet, hung from one vertex and stretched, or shaken."""
    points, tets = tet_mesh("bunny_small")
    material = Material(youngs_modulus=5e6)
    if way == "held":
        pins = Pins(np.flatnonzero(points[:, 1] < points[:, 1].min() + 0.05))
        return Solid(points, tets, material, pins=pins)
    if way == "hung":
        pins = Pins([int(points[:, 1].argmax())])
        return Solid(points * [1.0, 1.02, 1.0], tets, material, pins=pins, rest_points=points)
    shaken = 0.3 * np.random.default_rng(3).standard_normal(points.shape)
    return Solid(points, tets, material, velocities=shaken)


@pytest.mark.parametrize("relaxation", [1.0, 1.5])
@pytest.mark.parametrize("way", ["held", "hung", "shaken"])
@pytest.mark.parametrize("iterations", [1, 20])
def test_a_stiff_body_gains_no_energy(way, relaxation, iterations):
    body = bunny(way)
    total = mechanical_energies(body, 120, relaxation=relaxation, iterations=iterations)
    # Before the first frame the stretched one has 2 % strain, which the first frame relaxes.
    assert total.max() == total[0]
    if way == "shaken":
        # It falls 20 m, as freely as without its shaking: within 2 % of the energy.
        fallen = GRAVITY * vertex_mass(body).sum() * 0.5 * GRAVITY * 2.0**2
        assert total[-1] > -0.02 * fallen


def rigid_flight(body, h, count):
    """Positions of a rigid body after `count` steps of implicit Euler without gravity.

    The elastic energy of a rigid body is 0 or infinite: only the inertia of G remains, and Σ m |x −
    y|² is least for the rotation of the polar decomposition of Σ m y pᵀ, p around the center.
    """
    mass = vertex_mass(body)
    center = mass @ body.points / mass.sum()
    arms, drift = body.points - center, mass @ body.velocities / mass.sum()
    now, before = arms, arms - h * (body.velocities - drift)
    for _ in range(count):
        u, _, vt = np.linalg.svd((2.0 * now - before).T @ (mass[:, None] * arms))
        now, before = arms @ (u @ vt).T, now
    return center + count * h * drift + now


@pytest.mark.parametrize(
    "options",
    [{}, {"coarse_correction": False}, {"use_ground": True, "ground_height": -5.0}],
    ids=["plain", "no coarse correction", "far above the ground"],
)
@pytest.mark.parametrize("iterations", [3, 20])
def test_a_stiff_body_flies_and_spins_undragged(iterations, options):
    points, tets = box((4, 4, 4), (0.4, 0.4, 0.4))
    points = points - points.mean(axis=0)
    velocities = np.cross([0.0, 0.0, 2.0], points) + [1.0, 0.0, 0.0]
    body = Solid(points, tets, Material(youngs_modulus=1e9), velocities=velocities)
    count = 30
    settings = Settings(**STIFF, gravity=(0, 0, 0), iterations=iterations, **options)
    *_, frame = simulate([body], settings, count)
    # Rounded in float32, the forces inside so stiff a body do not cancel, and their sum must not
    # turn it. Rounding of positions of half a meter is allowed, 3e-8 m a step: always to one side
    # it adds up to 30²/2 times that, 1.4e-5 m.
    wanted = rigid_flight(body, 1 / 60, count)
    np.testing.assert_allclose(frame.exact_positions[0], wanted, atol=2e-5)


def test_a_loose_piece_falls_freely_beside_one_that_is_held():
    points, tets = box((2, 2, 4), (0.2, 0.2, 0.4))
    both = np.concatenate([points, points + [1.0, 0.0, 0.0]])
    held = Pins(np.flatnonzero(points[:, 2] > 0.39))
    body = Solid(
        both, np.concatenate([tets, tets + len(points)]), Material(youngs_modulus=5e6), held
    )
    count, h = 20, 1 / 60
    *_, frame = simulate([body], Settings(**STIFF, iterations=5), count)
    fallen = -0.5 * GRAVITY * h**2 * count * (count + 1)
    moved = frame.exact_positions[0][len(points) :] - both[len(points) :]
    # 20 steps in float32, positions of about 1 m.
    np.testing.assert_allclose(moved, np.tile([0.0, 0.0, fallen], (len(points), 1)), atol=2e-5)
