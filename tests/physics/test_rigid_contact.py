# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies with soft bodies, cloth, rods, colliders and each other."""

from dataclasses import replace

import numpy as np
import pytest
from fuzz.run import run_scene
from fuzz.scenes import Scene
from rigid_shapes import Momenta, centers, cuboid, settings_of, speeds, tilted
from scipy.optimize import brentq
from shapes import block, bumpy_ball, cell_box, chain, grid, in_cells, plane

from vbd.solver.bodies import Cells, Cloth, Collider, Pins, RigidBody, Rod
from vbd.solver.settings import Material
from vbd.solver.simulate import simulate

FREE = {"gravity": (0.0, 0.0, 0.0)}


def sheet(cells, size, middle, velocity=None, pins=None, **how):
    """A square cloth across x."""
    points, triangles = grid(cells, size)
    points = (points - points.mean(axis=0))[:, [2, 0, 1]] + middle
    material = Material(**{"youngs_modulus": 1e6, "density": 3.0, "thickness": 1e-3, **how})
    return Cloth(points, triangles, material, pins, velocities=velocity, name="Cloth")


def cushion(cells, side, low, velocity=None, **how):
    """A cube of cells."""
    points, elements = cell_box((cells,) * 3, (cells * side,) * 3)
    material = Material(**{"youngs_modulus": 3e4, "density": 1000.0, **how})
    return Cells(points + low, elements, material, velocities=velocity, name="Cushion")


def line(middle, velocity=None):
    points, edges = chain(21, 0.03)
    points = (points - points.mean(axis=0))[:, [1, 0, 2]] + middle
    material = Material(youngs_modulus=1e7, thickness=0.01, density=1.0)
    return Rod(points, edges, material, velocities=velocity, name="Rod")


TOWARD = np.array([-0.5, 0.2, 0.0])
OTHERS = {
    "rigid": lambda: cuboid(0.07, (0.06, 0.0, 0.0), velocity=TOWARD, angular_velocity=(0, -2, 1.0)),
    "soft": lambda: cushion(3, 0.06, (-0.03, -0.09, -0.09), TOWARD),
    "cloth": lambda: sheet(8, 0.4, (0.05, 0.0, 0.0), TOWARD),
    "rod": lambda: line((0.05, 0.0, 0.01), TOWARD),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_collisions_in_free_flight_keep_momentum(kind):
    """Forces cancel, and so do their torques where they act. The rest is the residual."""
    thrown = cuboid(
        (0.1, 0.06, 0.04),
        (-0.2, 0.03, 0.0),
        tilted(33.0, (1, 2, 0.5)),
        velocity=(1.5, 0.0, 0.1),
        angular_velocity=(1.0, 2.0, 3.0),
        name="Thrown",
    )
    momenta = Momenta([thrown, OTHERS[kind]()], settings_of(**FREE))
    momenta.run(12)
    linear, speed = momenta.linear(), thrown.properties.mass * 1.5
    impulse = thrown.properties.mass * np.linalg.norm(
        momenta.simulation.model.rigid.struct.velocity.numpy()[0] - thrown.velocity
    )
    assert impulse > 0.05 * speed  # they have met
    assert np.linalg.norm(linear - linear[0], axis=1).max() < 1e-4 * speed
    assert np.linalg.norm(momenta.twists().sum(axis=0)) < 1e-3 * 0.1 * speed


def test_a_heavy_plate_on_a_light_cushion_rests_where_statics_has_it():
    """600 kg on 6.4 kg. In uniaxial compression s, the lateral stretch is t² = (1 + β)/s − β/s² and
    P/μ = s − t²/s, with β = μ/λ = 1 at Poisson's ratio 0. Friction holds both ends, which makes
    the cushion up to 2 % stiffer; without it, it would be pressed out like a bar of soap.
    """
    side, modulus = 0.4, 3e5
    soft = cushion(
        4,
        0.1,
        (-0.2, -0.2, 0.003),
        youngs_modulus=modulus,
        density=100.0,
        poisson_ratio=0.0,
        damping=0.02,
        friction=1.0,
    )
    plate = cuboid(
        (0.22, 0.22, 0.05), (0.0, 0.0, 0.46), mass=600.0, material=Material(friction=1.0)
    )
    settings = settings_of(use_ground=True)
    frames = list(simulate([plate, soft], settings, 72))
    assert speeds(frames[-2], frames[-1])[0] < 0.01
    found = np.ptp(frames[-1].exact_positions[1][:, 2]) / side
    load = (600.0 + 0.5 * 6.4) * 9.81 / side**2

    def missing(s):
        return 0.5 * modulus * (s - (2.0 / s - 1.0 / s**2) / s) + load

    assert 1.0 - found == pytest.approx(1.0 - brentq(missing, 0.6, 1.0), rel=0.02)


def test_a_box_rests_in_a_pinned_cloth():
    points, triangles = grid(12, 1.0)
    corners = [0, 12, 12 * 13, 13 * 13 - 1]
    material = Material(youngs_modulus=1e6, density=0.2, thickness=1e-3, damping=0.01)
    cloth = Cloth(points - [0.5, 0.5, 0.0], triangles, material, Pins(corners), name="Cloth")
    box = cuboid(0.1, (0.02, 0.01, 0.15), tilted(10.0), material=Material(density=500.0))
    frames = list(simulate([box, cloth], settings_of(), 72))
    height = centers(frames[-1])[0, 2]
    assert -0.4 < height < 0.1
    heights = np.array([centers(frame)[0, 2] for frame in frames])
    assert np.ptp(heights[-12:]) < 0.2 * np.ptp(heights[6:30])  # it swings less and less


def thrown_plates():
    """Thin plates that spin fast, in the middle of everything."""
    rng = np.random.default_rng(3)
    for k in range(4):
        spin = rng.normal(size=3)
        yield cuboid(
            (0.15, 0.12, 0.003),
            (0.5 * (k % 2) - 0.25, 0.5 * (k // 2) - 0.25, 0.45),
            tilted(rng.uniform(0.0, 180.0), rng.normal(size=3)),
            velocity=(*rng.uniform(-2.0, 2.0, 2), -12.0),
            angular_velocity=spin / np.linalg.norm(spin) * 60.0,
            name=f"Plate {k}",
        )


@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize("iterations", [2, 20])
def test_thin_fast_spinning_plates_go_through_nothing(substeps, iterations):
    """Half a turn in a substep, and eighty times their thickness."""
    floor = Collider(*plane(4.0), name="Floor")
    points, triangles = grid(6, 0.8)
    net = Cloth(
        points - [0.4, 0.4, -0.08],
        triangles,
        Material(youngs_modulus=1e5),
        Pins([0, 48]),
        name="Net",
    )
    soft = cushion(2, 0.1, (0.45, -0.1, 0.01))
    scene = [*thrown_plates(), net, soft, line((-0.5, 0.0, 0.05)), floor]
    settings = settings_of(substeps=substeps, iterations=iterations)
    outcome = run_scene(Scene("", scene, settings, 12))
    assert outcome.is_scene and not outcome.findings, outcome.findings


@pytest.mark.parametrize("boxes", [1, 2])
def test_pinned_cells_push_rigid_boxes_where_nothing_else_is_free(boxes):
    """Animation moves the corners of the cells, and these the surface, by its size in a frame."""
    cells = in_cells(*block((0.2, 0.2, 0.2), (0.0, 0.0, 0.0)), 2, name="Cells")
    path = 0.2 * np.arange(4)[:, None, None] * [1.0, 0.0, 0.0]
    cells = replace(cells, pins=Pins(np.arange(len(cells.points)), list(cells.points + path)))
    pushed = [cuboid(0.1, (0.21 + 0.25 * k, 0.01, 0.02), name=f"Box {k}") for k in range(boxes)]
    scene = Scene("", [cells, *pushed], settings_of(**FREE), 3, travel=1.0)
    outcome = run_scene(scene)
    assert outcome.is_scene and not outcome.findings, outcome.findings


def test_shells_of_open_meshes_collide():
    """A hollow hemisphere falls over a ball."""
    points, triangles = bumpy_ball(0.5, rows=8)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    half = triangles[(points[triangles][:, :, 2] > middle[2] - 0.02).all(axis=1)]
    used, numbers = np.unique(half, return_inverse=True)
    cup = RigidBody(points[used] - middle + [0, 0, 0.9], numbers.reshape(-1, 3), thickness=0.01)
    ball = RigidBody(0.6 * (points - middle) + [0.0, 0.0, 0.5], triangles, name="Ball")
    floor = Collider(*plane(4.0), name="Floor")
    outcome = run_scene(Scene("", [cup, ball, floor], settings_of(), 16))
    assert outcome.is_scene and not outcome.findings, outcome.findings


@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.05, 0.0), (0.05, 0.02)])
@pytest.mark.parametrize("deep", [0.01, 0.1])
def test_rigid_boxes_that_begin_in_each_other_part_by_the_shortest_way(aside, deep):
    """The upper one ends on the lower one, at rest; the contact distance is 2 mm."""
    low = cuboid(0.2, (0.0, 0.0, 0.2), name="Low")
    high = cuboid(0.2, (*aside, 0.6 - deep), name="High")
    *_, last = simulate([low, high], settings_of(use_ground=True), 36)
    bottom, top = last.positions[1][:, 2].min(), last.positions[0][:, 2].max()
    assert 0.0 < bottom - top < 4e-3
    # The way is the shortest where it leads up: a push beside its middle tilts it, and it slides.
    assert np.abs(last.positions[1][:, :2].mean(axis=0) - aside).max() < 0.5 * deep
