# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks that slide at the default settings, and bodies that collide in free space."""

import numpy as np
import pytest
from shapes import box, cell_box, grid, rotation, tet_ball

from vbd.benchmarks.experiments.contact_sliding import Case, slide
from vbd.solver.bodies import Cells, Collider, Solid
from vbd.solver.model.assembly import vertex_mass
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

SIZE = np.array([0.2, 0.2, 0.06])
SLOPE, FRICTION = np.arctan(0.68), 0.15


def slope(floor, tilt):
    """Slope for a block: a plane, or a mesh of two or many triangles."""
    if floor == "plane":
        return Plane([0.0, 0.0, 0.0], tilt @ [0.0, 0.0, 1.0])
    corners, triangles = grid(1, 20.0) if floor == "two triangles" else grid(40, 3.0)
    return Collider((corners - corners.mean(axis=0)) @ tilt.T, triangles)


def accelerations(modulus, cells, floor, kind, turn=0.0, frames=10):
    """Mean acceleration [m/s²] downhill of a block between frames, from a millimetre above."""
    tilt = rotation([0.0, 1.0, 0.0], SLOPE)
    points, elements = (box if kind is Solid else cell_box)(cells, SIZE)
    points -= [*SIZE[:2] / 2.0, 0.0]
    placed = points @ rotation([0.0, 0.0, 1.0], turn).T + [0.0, 0.0, 0.003]
    material = Material(youngs_modulus=modulus)
    block = kind(placed @ tilt.T, elements, material, rest_points=points)
    settings = Settings(friction=FRICTION)
    downhill = tilt @ [1.0, 0.0, 0.0]
    frames = simulate([block, slope(floor, tilt)], settings, frames)
    places = [(frame.exact_positions[0] @ downhill).mean() for frame in frames]
    return np.diff(places, n=2) / settings.frame_time**2


@pytest.mark.parametrize(
    ("modulus", "cells", "floor", "kind", "turn"),
    [
        (1e7, (4, 4, 2), "plane", Solid, 0.0),
        (1e10, (4, 4, 2), "plane", Solid, 0.3),
        (1e4, (1, 1, 1), "plane", Solid, 0.7),
        (1e7, (10, 10, 3), "plane", Cells, 0.0),
        (1e10, (1, 1, 1), "two triangles", Solid, 0.0),
        (1e6, (4, 4, 2), "many triangles", Solid, 0.0),
        (1e7, (1, 1, 1), "many triangles", Solid, 0.0),
        (1e7, (4, 4, 2), "many triangles", Solid, 0.226),
        (1e7, (10, 10, 3), "many triangles", Cells, 0.226),
        (1e10, (1, 1, 1), "many triangles", Solid, 0.0),
        (1e9, (4, 4, 2), "many triangles", Solid, 0.6),
        (1e8, (4, 4, 2), "many triangles", Solid, 0.0),
        (1e8, (10, 10, 3), "many triangles", Cells, 0.602),
    ],
)
def test_a_block_slides_as_friction_lets_it_however_stiff_it_is(modulus, cells, floor, kind, turn):
    expected = 9.81 * (np.sin(SLOPE) - FRICTION * np.cos(SLOPE))
    found = accelerations(modulus, cells, floor, kind, turn)[2:]
    # It has landed by then; a soft block still rocks, by a tenth of a percent of its speed.
    assert found.mean() == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    "case",
    [
        # A plane beside its path, and trust regions of soft vertices, must not end its rigid steps.
        Case("tets", 1e10, (10, 10, 3), "oblique", 0.003, 0.68, 0.15),
        Case("cells", 1e4, (10, 10, 3), "two triangles", 0.003, 0.68, 0.15),
        # Pinned cloth and bodies on it must not become one island, which would hold them.
        Case("tets", 1e8, (10, 10, 3), "pinned", 0.0, 0.68, 0.15),
        # Much friction, and edges to pass, need more passes of Newton's method.
        Case("tets", 1e10, (10, 10, 3), "oblique", 0.0, 1.2, 0.6),
        Case("tets", 1e10, (4, 4, 2), "oblique", 0.003, 1.2, 0.6),
        Case("tets", 1e6, (10, 10, 3), "plane", 0.003, 1.2, 0.6),
        # Steps that overshoot must not be repeated with contacts of edges that they only pass.
        Case("cells", 1e10, (10, 10, 3), "oblique", 0.003, 0.68, 0.15),
        Case("tets", 1e9, (10, 10, 3), "oblique", 0.0, 0.68, 0.15),
    ],
    ids=str,
)
def test_no_slope_and_no_friction_holds_a_block_up_more_than_it_should(case):
    assert slide(case)[1] == pytest.approx(1.0, rel=0.01)


def cube(corner, turn=None, **motion):
    """A cube of 0.2 m: its middle at the origin, turned and moved."""
    points, tets = box((3, 3, 3), (0.2, 0.2, 0.2))
    points -= 0.1
    placed = points if turn is None else points @ turn.T
    return lambda material: Solid(placed + corner, tets, material, **motion)


def round_one(center, **motion):
    points, tets = tet_ball(4, 0.1)
    return lambda material: Solid(points + center, tets, material, **motion)


def ball_and_cube():
    axis = np.array([1.0, 2.0, 0.5])
    turn = rotation(axis / np.linalg.norm(axis), 0.7)
    yield round_one([0.0, 0.0, 0.0], velocities=[2.0, 0.0, 0.0])
    yield cube([0.33, 0.06, 0.05], turn, velocities=[-1.0, 0.0, 0.0])


def rack_of_balls():
    """A ball meets six others that stand in a triangle, a centimetre apart."""
    yield round_one([-0.3, 0.02, 0.03], velocities=[4.0, 0.0, 0.0])
    for row in range(3):
        for k in range(row + 1):
            yield round_one([0.182 * row, 0.21 * (k - row / 2), 0.0])


def row_of_cubes():
    yield cube([-0.3, 0.01, 0.02], velocities=[4.0, 0.0, 0.0])
    for k in range(4):
        yield cube([0.215 * k, 0.0, 0.0])


def two_pairs():
    """Two pairs of cubes, each 2 mm apart, that meet."""
    for side in (-1, 1):
        for k in range(2):
            center = [0.2 * side, 0.05 * side, 0.202 * k]
            yield cube(center, velocities=[-2.0 * side, 0.3 * side, 0.1])


@pytest.mark.parametrize("modulus", [2e5, 2e7])
@pytest.mark.parametrize("bodies", [ball_and_cube, rack_of_balls, row_of_cubes, two_pairs])
def test_what_collides_in_free_space_keeps_its_momenta_at_the_default_settings(bodies, modulus):
    # Islands that stop each other on their rigid steps would lose half of their momentum.
    material = Material(youngs_modulus=modulus, friction=0.5)
    bodies = [make(material) for make in bodies()]
    mass = np.concatenate([vertex_mass(one) for one in bodies])[:, None]
    settings = Settings(gravity=(0.0, 0.0, 0.0), frame_time=1.0 / 96.0, substeps=1)
    frames = list(simulate(bodies, settings, 30 if len(bodies) == 2 else 14))
    x = np.array([np.concatenate(frame.exact_positions) for frame in frames])
    v = np.diff(x, axis=0) / settings.frame_time
    x = x[1:]
    momentum = (mass * v).sum(axis=1)
    scale = (mass * np.linalg.norm(v[0], axis=1)[:, None]).sum()
    for one in np.split(v[-1] - v[0], np.cumsum([len(one.points) for one in bodies])[:-1]):
        assert np.linalg.norm(one, axis=1).min() > 0.02  # it has met another one
    assert np.abs(momentum - momentum[0]).max() < 1e-4 * scale
    # Implicit Euler without torque conserves Σ m x × v but for its own loss h Σ m vᵗ⁺¹ × vᵗ.
    torque = (mass * np.cross(x[1:], v[1:] - v[:-1])).sum(axis=1)
    arms = x[0] - (mass * x[0]).sum(axis=0) / mass.sum()
    spin = (mass[:, 0] * np.linalg.norm(np.cross(arms, v[0]), axis=1)).sum()
    assert np.linalg.norm(np.cumsum(torque, axis=0), axis=1).max() < 1e-3 * spin
    energies = [frame.stats.kinetic_energy + frame.stats.elastic_energy for frame in frames]
    assert np.diff(energies).max() < 1e-5 * energies[0]
