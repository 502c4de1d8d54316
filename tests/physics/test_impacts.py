# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard impacts of rigid bodies: an inelastic collision with friction, at any number of substeps."""

import numpy as np
import pytest
from rigid_shapes import Momenta, cuboid, settings_of, tilted
from shapes import plane

from vbd.benchmarks.experiments.contact_shapes import icosphere
from vbd.solver.bodies import Collider, RigidBody
from vbd.solver.scene.joints import Joint
from vbd.solver.settings import Material

FREE = {"gravity": (0.0, 0.0, 0.0)}


def ball(radius, center, velocity, mass, **how):
    points, triangles = icosphere(3, radius)
    volume = np.linalg.det(points[triangles]).sum() / 6.0
    material = Material(density=mass / volume, **how)
    return RigidBody(points + center, triangles, material, velocity=velocity, name="Ball")


class Watched(Momenta):
    """Momenta that also count the substeps with an impact."""

    hits = 0

    def __call__(self):
        self.hits += int(self.simulation.stepper.stages.impacts.hits.any_hit.numpy()[0])
        return super().__call__()


def run(bodies, settings, frames):
    """Return the velocities of the bodies after every substep [substep, body, 3], their masses, and
    the kinetic energies of the frames; there must have been an impact.
    """
    momenta = Watched(bodies, settings)
    masses = momenta.model.rigid.struct.mass.numpy()
    energies = [f.stats.kinetic_energy for f in momenta.simulation.frames(frames, momenta)]
    assert momenta.hits
    velocities = np.array([p for _, p, _ in momenta.states])[:, -len(masses) :] / masses[:, None]
    return velocities, masses, energies


@pytest.mark.parametrize("substeps", [1, 4, 16])
def test_a_ball_and_three_boxes_move_on_together(substeps):
    """12 m/s are half a meter in a long substep, far beyond any contact distance."""
    boxes = [cuboid(0.2, (0.5 * k, 0.0, 0.0), material=Material(density=100.0)) for k in range(3)]
    thrown = ball(0.15, (-0.5, 0.0, 0.0), (12.0, 0.0, 0.0), 7.0)
    velocities, masses, _ = run([thrown, *boxes], settings_of(**FREE, substeps=substeps), 6)
    common = 12.0 * 7.0 / masses.sum()
    # Those behind may be a little slower, as contacts press bodies apart over their distance.
    np.testing.assert_allclose(velocities[-1, :, 0], common, rtol=0.08)
    np.testing.assert_allclose(masses @ velocities[-1], [12.0 * 7.0, 0.0, 0.0], atol=84e-5)


def test_boxes_whose_joints_have_broken_are_free():
    """The ball takes along a tower of boxes that was glued."""
    boxes = [cuboid(0.2, (0.5 * k, 0.0, 0.0), material=Material(density=100.0)) for k in range(3)]
    for k, box in enumerate(boxes):
        box.velocity = np.array([0.02 * k, 0.0, 0.0])  # they part, and the glue breaks
    glue = [
        Joint("fixed", boxes[k], boxes[k + 1], (0.25 + 0.5 * k, 0.0, 0.0), strength=1e-6)
        for k in range(2)
    ]
    thrown = ball(0.15, (-1.5, 0.0, 0.0), (12.0, 0.0, 0.0), 7.0)
    velocities, masses, _ = run([thrown, *boxes, *glue], settings_of(**FREE, substeps=1), 8)
    before = masses @ velocities[0, :, 0]
    assert masses @ velocities[-1, :, 0] == pytest.approx(before, rel=1e-3)
    np.testing.assert_allclose(velocities[-1, :, 0], before / masses.sum(), rtol=0.08)


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_ball_takes_the_speed_of_a_floor_that_rises(substeps):
    """And leaves it a little faster: contacts press bodies apart over their distance."""
    points, triangles = plane(4.0)
    floor = Collider(lambda time: points + [0.0, 0.0, 4.0 * time], triangles, name="Floor")
    thrown = ball(0.3, (0.0, 0.0, 0.5), (0.0, 0.0, -4.0), 5.0)
    velocities, _, _ = run([thrown, floor], settings_of(**FREE, substeps=substeps), 6)
    assert 3.9 < velocities[-1, 0, 2] < 4.8


@pytest.mark.parametrize("friction", [0.1, 1.0])
def test_friction_of_an_oblique_impact(friction):
    """A ball takes the spin that friction of its impulse gives it: it slides on with μ = 0.1, and
    rolls with μ = 1 (5/7 of its speed).
    """
    r, speed, mass = 0.3, 8.0, 5.0
    thrown = ball(r, (0.0, 0.0, 0.5), (speed, 0.0, -speed), mass, friction=friction)
    settings = settings_of(**FREE, substeps=1, use_ground=True, friction=friction)
    velocities, _, _ = run([thrown], settings, 2)
    goal = max(speed * (1.0 - friction), 5.0 / 7.0 * speed)
    # The mesh has a little less inertia than a ball.
    assert velocities[-1, 0, 0] == pytest.approx(goal, rel=0.02)


def brick_wall(layers, row, friction):
    half = 0.25, 0.5, 0.25
    return [
        cuboid(
            half,
            (0.0, 1.01 * (k - 0.5 * (row - 1)) + 0.5 * (layer % 2), 0.255 + 0.505 * layer),
            material=Material(friction=friction),
            name=f"Brick {layer} {k}",
        )
        for layer in range(layers)
        for k in range(row)
    ]


def test_a_ball_breaks_a_wall():
    """It loses as much as a few bricks take: with forces alone the wall bends as one sheet and
    stops it. With few substeps, of half a brick each, friction lasts a little longer.
    """
    left = []
    for substeps in (4, 16):
        thrown = ball(0.6, (-1.2, 0.0, 1.3), (12.0, 0.0, 0.0), 20.0 * 250.0, friction=0.5)
        settings = settings_of(use_ground=True, friction=0.5, substeps=substeps)
        velocities, masses, _ = run([*brick_wall(5, 6, 0.5), thrown], settings, 6)
        heaviest = masses.argmax()
        left.append(velocities[-1, heaviest, 0])
        fastest = np.delete(velocities[-1, :, 0], heaviest).max()
        assert 6.0 < fastest < 12.0 * 1.05  # no brick flies off faster than the ball came
    assert 6.0 < left[0] < 10.0
    assert left[0] == pytest.approx(left[1], rel=0.25)


def test_collisions_give_no_energy():
    """Boxes that fly at each other: their energy falls, their momentum stays."""
    random, boxes = np.random.default_rng(2), []
    for k in range(12):
        at = random.uniform(-1.0, 1.0, 3) + 2.0 * np.array([k % 3 - 1, k // 3 % 2, k // 6])
        boxes.append(
            cuboid(
                random.uniform(0.1, 0.3, 3),
                at,
                tilted(random.uniform(0.0, 180.0), random.normal(size=3)),
                velocity=-9.0 * (at - [0.0, 1.0, 1.0]) / np.linalg.norm(at - [0.0, 1.0, 1.0]),
                angular_velocity=random.normal(size=3) * 5.0,
                name=f"Box {k}",
            )
        )
    velocities, masses, energies = run(boxes, settings_of(**FREE), 10)
    momenta = np.einsum("b,sbk->sk", masses, velocities)
    assert np.abs(momenta - momenta[0]).max() < 1e-5 * (masses * 9.0).sum()
    # The midpoint rule oscillates about the energy of spin by (θ/2)²/3 of it.
    assert np.diff(energies).max() < 1e-3 * energies[0]
    assert energies[-1] < 0.9 * energies[0]
