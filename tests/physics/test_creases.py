# SPDX-License-Identifier: GPL-3.0-or-later
"""Creases: a fold beyond its limit keeps the rest of its angle, any other one opens again."""

import dataclasses

import numpy as np
import pytest
from shapes import chain, grid, rotation

from vbd.solver.bodies import Cloth, Pins, Rod
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.elements.hinges import cloth_hinges, dihedral_angles
from vbd.solver.elements.rods import bend_corners, bend_strains, meeting_edges
from vbd.solver.scene.directors import with_directors
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# Cells of a quarter of a metre: the fold is as wide as one, and elastic up to half a radian.
RADIUS, ELASTIC = 0.5, 0.5
PAPER = Material(
    youngs_modulus=1e5, density=0.1, bending_stiffness=1e-2, crease_radius=RADIUS, rest_flat=True
)
STILL = Settings(quasistatic=True, iterations=40, gravity=(0.0, 0.0, 0.0))


def folded(angle, material=PAPER, held=1):
    """A sheet of 4 × 4 cells, flat but for a fold in its middle; the first `held` columns are
    pinned.
    """
    points, triangles = grid(4)
    turned = (points - [0.5, 0.0, 0.0]) @ rotation([0.0, 1.0, 0.0], -angle).T + [0.5, 0.0, 0.0]
    start = np.where(points[:, :1] > 0.5, turned, points)
    pins = Pins(np.flatnonzero(points[:, 0] < 0.25 * held - 0.1))
    return Cloth(start, triangles, material, pins, rest_points=points)


def angle_of(points, triangles):
    """The angle between both halves of the sheet."""
    hinges, _ = cloth_hinges(triangles)
    over = (np.abs(points[hinges[:, 1], 0] - 0.5) < 1e-3) & (
        np.abs(points[hinges[:, 0], 0] - 0.5) < 1e-3
    )
    angles = np.abs(dihedral_angles(points, hinges[over]))
    return angles.mean()


def opened(angle, material=PAPER):
    """The remaining angle of a fold."""
    body = folded(angle, material, held=3)
    *_, frame = simulate([body], STILL, 2)
    return angle_of(frame.exact_positions[0], body.triangles)


def test_a_sheet_folded_too_sharply_keeps_what_is_beyond():
    assert opened(2.0) == pytest.approx(2.0 - ELASTIC, rel=0.01)


def test_a_sheet_folded_less_opens_again():
    assert opened(0.9 * ELASTIC) < 0.005
    assert opened(2.0, dataclasses.replace(PAPER, crease_radius=0.0)) < 0.02


@pytest.mark.parametrize("substeps", [1, 7])
def test_a_fold_that_is_held_creases_in_its_time(substeps):
    slow = dataclasses.replace(PAPER, flow_time=0.2)
    body = folded(2.0, slow, held=9)
    settings = Settings(substeps=substeps, iterations=2, frame_time=0.05)
    for done, frame in enumerate(simulate([body], settings, 6), start=1):
        most = np.abs(frame.state()["plasticity.hinges"]).max()
        wanted = (2.0 - ELASTIC) * (1.0 - np.exp(-0.05 * done / 0.2))
        assert most == pytest.approx(wanted, rel=1e-4)


def test_a_mesh_twice_as_fine_creases_at_the_same_radius():
    """A sheet rolled up to a curvature κ keeps κ − 1/r."""
    kept = []
    for cells in (8, 16):
        points, triangles = grid(cells)
        around = 4.0 * points[:, 0]
        rolled = np.stack(
            [np.sin(around) / 4.0, points[:, 1], (1.0 - np.cos(around)) / 4.0], axis=1
        )
        body = Cloth(rolled, triangles, PAPER, Pins(range(len(points))), rest_points=points)
        *_, frame = simulate([body], dataclasses.replace(STILL, iterations=1), 1)
        kept.append(np.abs(frame.state()["plasticity.hinges"]).max() * cells)
    np.testing.assert_allclose(kept, 4.0 - 1.0 / RADIUS, rtol=0.02)


def wire(angle, **material):
    """A rod of ten edges that is straight at rest, clamped and bent by an angle at its middle."""
    points, edges = chain(11, 0.1)
    points, directors = with_directors(points, edges)
    turned = (points - [0.5, 0.0, 0.0]) @ rotation([0.0, 1.0, 0.0], angle).T + [0.5, 0.0, 0.0]
    start = np.where(points[:, :1] > 0.5, turned, points)
    copper = Material(
        youngs_modulus=1e7,
        thickness=0.02,
        bending_factor=1.0,
        density=0.3,
        poisson_ratio=0.25,
        **material,
    )
    pins = Pins([0, 1, directors[0]])
    return Rod(start, edges, copper, pins, rest_points=points, directors=directors)


def strains(body, points):
    pairs, vertex, _ = meeting_edges(body.edges)
    return bend_strains(points, bend_corners(body, pairs, vertex))


def test_a_wire_bent_too_sharply_stays_bent_and_one_that_is_not_straightens():
    """Half a radian over an edge is 2 tan(¼)/0.1 m = 5.1 1/m."""
    for radius, left in ((0.4, 2.0 * np.tan(0.25) - 0.1 / 0.4), (0.15, 0.0)):
        body = wire(0.5, crease_radius=radius)
        *_, frame = simulate([body], STILL, 3)
        found = np.linalg.norm(strains(body, frame.exact_positions[0])[:, :2], axis=1)
        assert found.max() == pytest.approx(left, abs=0.005)


def crumpled(seed=3, **material):
    points, triangles = grid(6)
    noise = np.random.default_rng(seed).uniform(-0.04, 0.04, points.shape)
    made = dataclasses.replace(PAPER, **material)
    return Cloth(points + noise, triangles, made, Pins([0]), rest_points=points)


def test_energy_never_grows_by_the_flow():
    """In any substep of a sheet held in shape, only the plastic flow changes the energy."""
    body = crumpled(flow_time=0.1)
    body.pins = Pins(range(len(body.points)))
    rod = wire(0.7, crease_radius=0.5, flow_time=0.1)
    rod.points = rod.points + np.random.default_rng(1).uniform(-0.01, 0.01, rod.points.shape)
    rod.pins = Pins(range(len(rod.points)))
    for held in (body, rod):
        energies = [
            frame.stats.elastic_energy
            for frame in simulate([held], Settings(iterations=1, substeps=2), 12)
        ]
        assert (np.diff(energies) < 0.0).all()


def scene():
    """A sheet that tears, creases and falls on its own fold, and a wire that is bent."""
    points, triangles = grid(8)
    ends = np.flatnonzero((points[:, 0] < 1e-9) | (points[:, 0] > 1.0 - 1e-9))
    pull = np.where(points[ends, :1] > 0.5, [[1.0, 0.0, 0.3]], [[-1.0, 0.0, -0.3]])
    pins = Pins(ends, lambda time: points[ends] + time * pull)
    made = Material(
        youngs_modulus=2e5,
        density=0.2,
        thickness=5e-4,
        bending_stiffness=1e-4,
        damping=1e-3,
        collision_thickness=0.01,
        self_contact=True,
        crease_radius=0.5,
        yield_strain=0.02,
        flow_time=0.02,
    )
    torn = Cloth(points, triangles, made, pins, tear_strain=0.1, name="Torn")
    loose = crumpled(damping=2e-3)
    loose.points = loose.points + [0.0, 0.0, 2.0]
    bent = wire(0.5, crease_radius=0.5)
    bent.points = bent.points + [0.0, 3.0, 0.0]
    return [torn, loose, bent]


def run(restart=None):
    found, states = [], []
    for frame in simulate(scene(), Settings(), 6, restart=restart):
        numbers = dataclasses.replace(frame.stats, seconds=0.0)
        found.append((np.concatenate(frame.exact_positions), repr(numbers)))
        states.append(Restart(frame.index, frame.state()))
    return found, states


def test_a_bake_of_creases_goes_on_bit_for_bit():
    wanted, states = run()
    assert np.abs(states[-1].arrays["plasticity.hinges"]).max() > 0.1
    assert np.abs(states[-1].arrays["plasticity.bends"]).max() > 0.1
    assert np.abs(states[-1].arrays["plasticity.triangles"]).max() > 0.02
    assert states[-1].arrays["tearing/triangles0"].max() >= 81  # it has torn
    for done in (1, 3, 5):
        got, _ = run(states[done - 1])
        for (points, numbers), (others, known) in zip(got, wanted[done:], strict=True):
            np.testing.assert_array_equal(points, others)
            assert numbers == known


def test_what_a_scene_without_creases_keeps_is_what_it_always_was():
    flat = folded(0.1, dataclasses.replace(PAPER, crease_radius=0.0))
    *_, frame = simulate([flat], STILL, 1)
    assert not any(name.startswith("Plasticity") for name in frame.state())
