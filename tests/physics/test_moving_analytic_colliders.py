# SPDX-License-Identifier: GPL-3.0-or-later
"""Planes, boxes and spheres that move: they push, lift, carry and drag; nothing gets through."""

import numpy as np
import pytest
from shapes import block, box, grid, rotation

from vbd.solver.bodies import Cells, Cloth, EmbeddedSurface, Solid
from vbd.solver.bounds import Box, Plane, Sphere
from vbd.solver.scene.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate

THICKNESS = 0.01
RUBBER = Material(youngs_modulus=1e6, collision_thickness=THICKNESS)
SHEET = Material(youngs_modulus=1e5, density=0.2, collision_thickness=THICKNESS)
WEIGHTLESS = {"gravity": (0.0, 0.0, 0.0)}


def moved(path):
    """A motion by `path(time)` [m]."""

    def motion(time):
        matrix = np.eye(4)
        matrix[:3, 3] = path(time)
        return matrix

    return motion


def turned(speed, axis=2, center=(0.0, 0.0, 0.0)):
    """A rotation [rad/s] around an axis of coordinates through a center [m]."""

    def motion(time):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        matrix = np.eye(4)
        c, s = np.cos(speed * time), np.sin(speed * time)
        matrix[a, a], matrix[a, b], matrix[b, a], matrix[b, b] = c, -s, s, c
        matrix[:3, 3] = center - matrix[:3, :3] @ center
        return matrix

    return motion


def cube(offset, material=RUBBER, size=0.2, cells=1, **more):
    points, tets = box((cells,) * 3, (size,) * 3)
    return Solid(points + offset, tets, material, **more)


@pytest.mark.parametrize("self_contact", [False, True])
def test_a_plane_that_rises_lifts_a_cube_at_its_speed(self_contact):
    material = Material(
        youngs_modulus=1e6, collision_thickness=THICKNESS, self_contact=self_contact
    )
    floor = Plane((0, 0, 0), motion=moved(lambda t: (0.0, 0.0, 0.5 * t)))
    last = None
    for frame in simulate([cube((0, 0, THICKNESS), material), floor], Settings(), 24):
        height = 0.5 * frame.index / 24
        low = frame.positions[0][:, 2].min()
        assert height < low
        speed = None if last is None else (frame.positions[0] - last)[:, 2] * 24
        last = frame.positions[0]
    assert low < height + 1.1 * THICKNESS
    np.testing.assert_allclose(speed, 0.5, atol=0.01)


@pytest.mark.parametrize("speed", [3.0, 20.0])
def test_nothing_gets_through_a_fast_plane(speed):
    points, triangles = grid(6)
    floor = Plane((0, 0, -0.3), motion=moved(lambda t: (0.0, 0.0, speed * t)))
    sheet = Cloth(points, triangles, SHEET)
    for frame in simulate([sheet, floor], Settings(substeps=4, **WEIGHTLESS), 6):
        height = speed * frame.index / 24 - 0.3
        assert height < frame.positions[0][:, 2].min()
    assert frame.positions[0][:, 2].min() > 0.0


def test_a_sphere_that_moves_into_a_cloth_pushes_it():
    points, triangles = grid(12)
    sheet = Cloth(points - [0.5, 0.5, 0.0], triangles, SHEET)
    ball = Sphere((0, 0, -0.3), 0.2, motion=moved(lambda t: (0.0, 0.0, 0.8 * t)))
    for frame in simulate([sheet, ball], Settings(**WEIGHTLESS), 24):
        center = np.array([0.0, 0.0, 0.8 * frame.index / 24 - 0.3])
        assert np.linalg.norm(frame.positions[0] - center, axis=1).min() > 0.2
    assert frame.positions[0][:, 2].max() > 0.7


def test_a_sphere_that_grows_pushes_too():
    def grown(time):
        return np.diag([1.0 + time] * 3 + [1.0])

    points, triangles = grid(8)
    sheet = Cloth(points - [0.5, 0.5, -0.22], triangles, SHEET)
    ball = Sphere((0, 0, 0), 0.2, motion=grown)
    for frame in simulate([sheet, ball], Settings(**WEIGHTLESS), 24):
        radius = 0.2 * (1.0 + frame.index / 24)
        assert np.linalg.norm(frame.positions[0], axis=1).min() > radius
    middle = np.linalg.norm(frame.positions[0], axis=1).min()
    assert middle < 0.5


def test_a_plane_that_slides_carries_what_lies_on_it():
    floor = Plane((0, 0, 0), motion=moved(lambda t: (0.5 * max(0.0, t - 0.2), 0.0, 0.0)))
    *_, frame = simulate(
        [cube((-0.1, -0.1, THICKNESS)), floor], Settings(friction=1.0, substeps=8), 24
    )
    assert frame.positions[0][:, 0].mean() == pytest.approx(0.4, abs=0.02)


def test_without_friction_it_does_not():
    floor = Plane((0, 0, 0), friction=0.0, motion=moved(lambda t: (0.5 * t, 0.0, 0.0)))
    *_, frame = simulate([cube((-0.1, -0.1, THICKNESS)), floor], Settings(substeps=8), 24)
    assert frame.positions[0][:, 0].mean() == pytest.approx(0.0, abs=1e-3)


def test_a_box_that_slides_pushes_with_its_side_and_carries_with_its_floor():
    room = Box((-1, -1, 0), (1, 1, 2), friction=1.0, motion=moved(lambda t: (t, 0.0, 0.0)))
    *_, frame = simulate(
        [cube((-0.1, -0.1, THICKNESS)), room], Settings(friction=1.0, substeps=8), 24
    )
    # It slides until it has the speed of the floor: v²/(2 μ g) = 5 cm are lost.
    assert frame.positions[0][:, 0].mean() == pytest.approx(0.95, abs=0.03)


def test_a_turntable_turns_what_stands_on_it():
    table = Plane((0, 0, 0), friction=1.0, motion=turned(1.0))
    body = cube((0.2, -0.1, THICKNESS), velocities=[0.0, 0.3, 0.0])
    *_, frame = simulate([body, table], Settings(friction=1.0, substeps=8), 24)
    center = frame.positions[0].mean(axis=0)
    assert np.hypot(*center[:2]) == pytest.approx(0.3, abs=0.02)
    assert np.arctan2(center[1], center[0]) == pytest.approx(1.0, abs=0.05)


def test_a_rotating_sphere_drags_a_sheet():
    points, triangles = grid(10, 0.6)
    heights = {}
    for friction in (0.0, 1.0):
        sheet = Cloth(points - [0.3, 0.3, -0.52], triangles, SHEET)
        ball = Sphere((0, 0, 0), 0.5, friction, motion=turned(2.0, axis=1))
        *_, frame = simulate([sheet, ball], Settings(friction=friction), 12)
        heights[friction] = frame.positions[0].mean(axis=0)
    assert abs(heights[0.0][0]) < 0.01
    assert heights[1.0][0] > 0.3


def test_a_tilting_plane_does_not_cut_into_a_cube():
    tilt = Plane((0, 0, 0), friction=1.0, motion=turned(0.5, axis=0))
    for frame in simulate([cube((-0.1, 0.5, THICKNESS), cells=2), tilt], Settings(substeps=8), 12):
        normal = tilt.motion(frame.index / 24)[:3, 2]
        assert (frame.positions[0] @ normal).min() > 0.0
    assert (frame.positions[0] @ normal).min() < THICKNESS


def test_a_plane_that_turns_around_within_a_frame_leaves_finite_positions():
    spin = Plane((0, 0, 0), motion=turned(24 * np.pi, axis=0))
    ball = Sphere((0, 0, -0.5), 0.4, motion=turned(24 * np.pi, axis=0))
    for frame in simulate([cube((-0.1, -0.1, THICKNESS)), spin, ball], Settings(substeps=4), 6):
        assert np.isfinite(frame.positions[0]).all()


def test_a_collider_stops_at_what_cannot_yield():
    """A cube between a floor and a ceiling that comes down is pressed, and not crossed."""
    lid = Plane((0, 0, 0.3), (0, 0, -1), motion=moved(lambda t: (0.0, 0.0, -0.3 * t)))
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    body = Solid(points + [0, 0, THICKNESS], tets, RUBBER)
    for frame in simulate([body, Plane((0, 0, 0)), lid], Settings(), 24):
        assert frame.positions[0][:, 2].min() > 0.0
        assert frame.positions[0][:, 2].max() < 0.3
        assert np.isfinite(frame.positions[0]).all()


def test_the_clearance_of_points_counts_the_way_of_a_collider():
    """Steps shorter than the clearance are not tested against colliders."""
    skin, faces = block((0.2,) * 3, (0.0, 0.0, 0.2))
    cells = lattice(skin, faces, 3)
    surface = EmbeddedSurface(*embed(skin, cells), faces)
    body = Cells(cells.points, cells.cells, RUBBER, filling=cells.filling, surface=surface)
    floor = Plane((0, 0, -0.2), motion=moved(lambda t: (0.0, 0.0, 2.4 * t)))
    simulation = Simulation([body, floor], Settings(substeps=1, **WEIGHTLESS))
    next(simulation.frames(1))
    model = simulation.model
    clearance = model.contact_model.clearance.numpy()[model.kinematic_end :]
    # The lowest points are 0.3 m above the plane where it starts and 0.2 m where it ends.
    assert clearance.min() == pytest.approx(0.2 - THICKNESS, abs=1e-4)


def wandering(rng):
    """A motion at random: smooth, up to 3 m/s and 3 rad/s."""
    axis, waves = rng.normal(size=3), rng.uniform(2.0, 6.0, 3)
    reach, spin = rng.uniform(-0.3, 0.3, 3), rng.uniform(-3.0, 3.0)

    def motion(time):
        matrix = np.eye(4)
        matrix[:3, :3] = rotation(axis / np.linalg.norm(axis), spin * time)
        matrix[:3, 3] = reach * np.sin(waves * time) * [1.0, 1.0, 2.0]
        return matrix

    return motion


@pytest.mark.parametrize("seed", range(6))
def test_no_random_motion_crosses_a_surface(seed):
    """A sheet, a cube of tets and one in cells among four colliders. Frames may end in front of
    the animation, where a collider lags behind; so where they really are counts.
    """
    rng = np.random.default_rng(seed)
    points, triangles = grid(8, 0.6)
    contact = bool(seed % 2)
    soft = Material(youngs_modulus=1e5, collision_thickness=THICKNESS, self_contact=contact)
    cloth = Material(
        youngs_modulus=1e5, density=0.2, collision_thickness=THICKNESS, self_contact=contact
    )
    skin, faces = block((0.2,) * 3, (0.3, 0.3, 0.0))
    cells = lattice(skin, faces, 3)
    surface = EmbeddedSurface(*embed(skin, cells), faces)
    seen = Cells(cells.points, cells.cells, soft, filling=cells.filling, surface=surface)
    bodies = [Cloth(points - [0.3, 0.3, -0.25], triangles, cloth), cube((-0.3, -0.3, 0.0), soft)]
    colliders = [
        Plane((0, 0, -0.4), motion=wandering(rng)),
        Sphere((0, 0, 0), 0.15, motion=wandering(rng)),
        Sphere((0, 0.6, 0.3), 0.2, motion=wandering(rng)),
        Plane((0, 0, 1.0), (0, 0, -1), motion=wandering(rng)),
    ]
    scene = [*bodies, seen, *colliders]
    simulation = Simulation(scene, Settings(substeps=4, iterations=6, friction=0.5))
    places = simulation.kinematic.analytic.struct.now
    for frame in simulation.frames(24):
        x = [*frame.exact_positions[:2], surface.points(frame.exact_positions[2], frame.skins[2])]
        x = np.concatenate(x) - simulation.model.assembly.origin
        center, normal = places.center.numpy(), places.normal.numpy()
        for k in (0, 3):
            assert ((x - center[k]) @ normal[k]).min() > 0.0
        for k in (1, 2):
            assert np.linalg.norm(x - center[k], axis=1).min() > places.size.numpy()[k]


def test_a_sphere_may_not_become_an_ellipsoid():
    ball = Sphere((0, 0, 0), 0.5, name="Ball", motion=lambda t: np.diag([1.0 + t, 1.0, 1.0, 1.0]))
    with pytest.raises(ValueError, match="Ball"):
        list(simulate([cube((0, 0, 1)), ball], Settings(), 2))
