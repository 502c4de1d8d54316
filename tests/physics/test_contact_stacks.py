# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies on top of each other: heavy on light, a tower, a pile, and rest."""

import numpy as np
import pytest
from shapes import box, grid, plane

from vbd.benchmarks.experiments.contact_shapes import ball
from vbd.solver.bodies import Cloth, Collider, Rod, Solid
from vbd.solver.scene.analytic_colliders import Box
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

THICKNESS = 0.005


def test_a_cube_of_two_thousand_times_the_mass_does_not_sink_in():
    points, tets = box((3, 3, 3), (0.2, 0.2, 0.2))
    light = Material(youngs_modulus=5e6, density=100.0, damping=0.01, collision_thickness=THICKNESS)
    heavy = Material(youngs_modulus=5e8, density=2e5, damping=0.01, collision_thickness=THICKNESS)
    bodies = [
        Solid(points + [0.0, 0.0, THICKNESS], tets, light),
        Solid(points * [0.9, 0.9, 1.0] + [0.01, 0.01, 0.2 + 3.0 * THICKNESS], tets, heavy),
    ]
    settings = Settings(use_ground=True, substeps=8, iterations=60)
    for frame in simulate(bodies, settings, 48):
        low, high = frame.positions
        assert np.isfinite(high).all()
        # The surfaces facing each other, where they are.
        assert high[:, 2].min() > low[:, 2].max() - 0.2 * 0.2
    assert low[:, 2].min() > 0.0
    # 16 kN on 0.0324 m² of E = 5 MPa compress the light cube by a tenth; it carries the other one.
    assert high[:, 2].min() > 0.15
    assert frame.stats.kinetic_energy < 1e-3 * 1600.0 * 9.81 * 0.2
    assert frame.stats.tangles == ()


def test_a_stack_of_ten_cubes_stands_for_ten_seconds():
    # Stiff enough not to buckle under its weight: (7.84 E I/w)^(1/3) = 3.5 m for a tower of 2.6 m.
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    thickness = 0.03
    rubber = Material(
        youngs_modulus=5e6,
        density=300.0,
        damping=0.01,
        collision_thickness=thickness,
        friction=0.6,
    )
    bodies = [
        Solid(points + [0.0, 0.0, thickness + k * (0.2 + 2.0 * thickness)], tets, rubber)
        for k in range(10)
    ]
    settings = Settings(use_ground=True, substeps=4, iterations=10, sleep=False)
    for frame in simulate(bodies, settings, 240):
        centers = np.array([points.mean(axis=0) for points in frame.positions])
        if frame.index == 24:
            settled = centers
        begun = np.array([body.points.mean(axis=0) for body in bodies])
        assert np.abs(centers - begun).max() < 0.2 * thickness  # it takes up its load
    assert np.abs(centers - settled).max() < 0.05 * thickness
    # 24 kg at a tenth of the speed that sticking friction allows.
    assert frame.stats.kinetic_energy < 0.5 * 24.0 * 1e-3**2
    assert frame.stats.tangles == ()


def test_a_cube_of_twenty_thousand_times_the_mass_keeps_half_of_the_distance():
    # 25 t on 25 vertices: 160 kN on 9 contacts need 18 kN each, a fifth of the distance at 1e7 N/m.
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    light = Material(youngs_modulus=5e7, density=100.0, damping=0.01, collision_thickness=THICKNESS)
    heavy = Material(youngs_modulus=5e9, density=2e6, damping=0.01, collision_thickness=THICKNESS)
    bodies = [
        Solid(points + [0.0, 0.0, THICKNESS], tets, light),
        Solid(points + [0.0, 0.0, 0.2 + 3.0 * THICKNESS], tets, heavy),
    ]
    settings = Settings(use_ground=True, substeps=8, iterations=60, collision_stiffness=1e7)
    for frame in simulate(bodies, settings, 24):
        assert frame.stats.deepest < 0.5 * 2.0 * THICKNESS
    assert frame.positions[1][:, 2].min() > frame.positions[0][:, 2].max()


@pytest.mark.parametrize("floor", ["plane", "mesh"])
def test_light_cords_under_a_heavy_block_are_not_pressed_flat(floor):
    radius, thickness = 0.006, 0.01
    height = radius + (thickness if floor == "mesh" else 0.0)
    count = 17
    x, edge = np.linspace(-0.2, 0.2, count), np.arange(count - 1)
    # 8 g each, under 27 kg.
    cord = Material(
        youngs_modulus=1e7,
        thickness=0.004,
        density=0.02,
        damping=2e-3,
        collision_thickness=radius,
    )
    bodies = [
        Rod(
            np.column_stack([x, np.full((count, 2), [y, height])]),
            np.column_stack([edge, edge + 1]),
            cord,
        )
        for y in (-0.1, 0.1)
    ]
    points, tets = box((3, 3, 3), (0.3, 0.3, 0.3))
    rubber = Material(youngs_modulus=1e6, damping=0.01, collision_thickness=thickness)
    start = points + [-0.15, -0.15, height + radius + thickness]
    bodies.append(Solid(start, tets, rubber))
    if floor == "mesh":
        bodies.append(Collider(*plane(), thickness=thickness))
    settings = Settings(use_ground=floor == "plane")
    for frame in simulate(bodies, settings, 48):
        if frame.index < 24:
            continue
        # Stiff contacts have formed by now, without making the block hop.
        for points in frame.positions[:2]:
            assert points[:, 2].min() > 0.6 * height
        assert frame.stats.deepest < 0.5 * (radius + thickness)
    assert frame.stats.kinetic_energy < 1e-4


@pytest.mark.parametrize("floor", ["plane", "mesh"])
def test_what_rests_comes_back_to_the_contact_distance(floor):
    # Two cubes, the upper one with 50 times the mass, sag at first; multipliers then correct it.
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    radius = {"plane": THICKNESS, "mesh": 2.0 * THICKNESS}[floor]
    bodies = []
    for k, density in enumerate((100.0, 5000.0)):
        rubber = Material(
            youngs_modulus=5e6, density=density, damping=0.01, collision_thickness=THICKNESS
        )
        start = points + [0.0, 0.0, radius + k * (0.2 + 2.0 * THICKNESS)]
        bodies.append(Solid(start, tets, rubber))
    if floor == "mesh":
        bodies.append(Collider(*plane(), thickness=THICKNESS))
    # The last of it is slow enough to sleep.
    settings = Settings(use_ground=floor == "plane", substeps=8, sleep=False)
    depths, lowest = [], []
    for frame in simulate(bodies, settings, 96):
        depths.append(frame.stats.deepest / THICKNESS)
        lowest.append(frame.positions[0][:, 2].min() / radius)
    assert max(depths[:12]) > 0.05
    # e⁻³ of it is left after three time constants.
    assert depths[-1] < 0.1 * max(depths[:12])
    assert 0.98 < lowest[-1] < 1.001
    assert frame.stats.contacts > 0
    assert frame.stats.kinetic_energy < 1e-6


def test_a_body_alone_on_the_ground_comes_back_to_the_contact_distance():
    points, tets = ball(0.3)
    rubber = Material(youngs_modulus=5e4, damping=0.01, collision_thickness=THICKNESS)
    body = Solid(points + [0.0, 0.0, 0.3 + THICKNESS], tets, rubber)
    *_, frame = simulate([body], Settings(use_ground=True), 72)
    # Three seconds leave e⁻³ of a third of the distance, by which 113 kg penetrate.
    assert 0.95 * THICKNESS < frame.positions[0][:, 2].min() < 1.001 * THICKNESS


def test_lift_leaves_what_rests_converged():
    points, tets = box((4, 4, 4), (0.2, 0.2, 0.2))
    rubber = Material(youngs_modulus=5e4, damping=0.01, collision_thickness=THICKNESS)
    body = Solid(points + [0.0, 0.0, THICKNESS], tets, rubber)
    settings = Settings(use_ground=True, substeps=1, iterations=60)
    residuals = [frame.stats.residual for frame in simulate([body], settings, 36)]
    # Measured with the lift of the next step, it would be 1.6e-2.
    assert max(residuals[12:]) < 1e-3


def test_lift_does_not_throw_out_what_begins_below_the_ground():
    thickness = 0.02
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    rubber = Material(youngs_modulus=1e6, damping=0.01, collision_thickness=thickness)
    body = Solid(points + [0.0, 0.0, -0.1], tets, rubber)
    frames = simulate([body], Settings(use_ground=True), 36)
    highest = max(frame.positions[0][:, 2].min() for frame in frames)
    # 7.4 without lift, 16.5 with lift while it is pushed out.
    assert highest < 9.0 * thickness


def test_lift_does_not_make_neighbors_touch():
    # A contact distance of 0.69 edges, just below that between vertices and triangles next to them.
    size, cells = 0.3, 12
    points, triangles = grid(cells, size)
    thickness = 0.5 * 0.69 * size / cells
    cloth = Material(
        youngs_modulus=1e4,
        thickness=1e-3,
        density=0.2,
        damping=0.01,
        bending_stiffness=1e-4,
        collision_thickness=thickness,
        self_contact=True,
    )
    lid, tets = box((3, 3, 1), (size, size, 0.05))
    rubber = Material(
        youngs_modulus=1e6, damping=0.01, density=100.0, collision_thickness=thickness
    )
    bodies = [
        Cloth(points + [0.0, 0.0, thickness], triangles, cloth),
        Solid(lid + [0.0, 0.0, 3.0 * thickness], tets, rubber),
    ]
    *_, frame = simulate(bodies, Settings(use_ground=True, friction=0.8), 36)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    now, rest = (
        np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1)
        for p in (frame.positions[0], points)
    )
    # 0.7 % longer where neighbors push each other.
    assert (now / rest).max() < 1.002


def test_a_pile_comes_to_rest_and_stays_there():
    rubber = Material(youngs_modulus=1e5, damping=0.01, collision_thickness=0.008, friction=0.5)
    cotton = Material(
        youngs_modulus=2e5,
        density=0.2,
        thickness=5e-4,
        bending_stiffness=1e-5,
        damping=2e-3,
        collision_thickness=0.008,
        self_contact=True,
    )
    cube, tets = box((2, 2, 2), (0.16, 0.16, 0.16))
    meshes = [(cube - 0.08, tets), ball(0.09, 1, 2)] * 4
    bodies = []
    for k, (points, tets) in enumerate(meshes):
        around = [0.12 * np.cos(2.4 * k), 0.12 * np.sin(2.4 * k), 0.12 + 0.11 * k]
        bodies.append(Solid(points + around, tets, rubber))
    points, triangles = grid(8, 0.4)
    bodies.append(Cloth(points + [-0.2, -0.2, 1.05], triangles, cotton))
    walls = Box([-0.25, -0.25, 0.0], [0.25, 0.25, 3.0])
    settings = Settings()
    kinetic = [f.stats.kinetic_energy for f in simulate([*bodies, walls], settings, 72)]
    # Falling it has some 30 J.
    mass = 4.0 * 1000.0 * (0.16**3 + 4.0 / 3.0 * np.pi * 0.09**3) + 0.2 * 0.4**2
    creeping = 0.5 * mass * settings.friction_velocity**2
    assert max(kinetic) > 1e4 * creeping
    assert max(kinetic[48:]) < creeping
