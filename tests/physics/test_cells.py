# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of cells against beams and closed forms of continuum mechanics."""

import numpy as np
import pytest
from shapes import cell_box, rotation

from vbd.benchmarks.reference import beams
from vbd.benchmarks.reference.beams import LENGTH, bar, ends, material
from vbd.solver.bodies import Cells, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

DOWN = np.array([0.0, 0.0, -10.0])


def settled(bodies, frames, **settings):
    """The last of some frames without inertia."""
    settings = {"gravity": DOWN, "iterations": 60, "substeps": 1, "accuracy": 0.0, **settings}
    *_, last = simulate(bodies, Settings(quasistatic=True, **settings), frames)
    assert last.stats.residual < 0.1  # fraction of the weight
    return last


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.45])
@pytest.mark.parametrize("across", [1, 2, 4])
@pytest.mark.parametrize(("gamma", "frames"), [(1.0, 2), (5.0, 4)])
def test_a_bar_hangs_as_deep_as_a_beam(across, poisson, gamma, frames):
    body = bar(across, material(poisson, gamma))
    last = settled([body, beams.free_clamp(body)], frames)
    assert beams.drop_of(body, last.positions[0]) == pytest.approx(
        beams.drop(gamma, poisson), rel=0.02
    )


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.45])
@pytest.mark.parametrize(("across", "most"), [(1, 1.2), (2, 1.2), (4, 1.06)])
def test_a_twisted_bar_is_hardly_stiffer_than_st_venant_says(across, most, poisson):
    angle = 0.2
    body = bar(across, material(poisson))
    body.pins = beams.held(body, beams.twisted(body, angle))
    last = settled([body], 2, gravity=(0.0, 0.0, 0.0))
    wanted = beams.torsion_energy(poisson, angle)
    # With one or two cells no point of the section can warp: exactly POLAR/TORSION = 1.186.
    assert 1.0 < last.stats.elastic_energy / wanted < most


def cube(points=None, pinned=None, **constants):
    """A unit cube of 27 cells, pinned at `points` where `pinned`."""
    rest, cells = cell_box((3, 3, 3))
    points = rest if points is None else points
    pins = None if pinned is None else Pins(np.flatnonzero(pinned), points[pinned])
    start = np.where(pinned[:, None], points, rest)
    return Cells(start, cells, Material.from_energy(**constants), pins=pins, rest_points=rest)


@pytest.mark.parametrize(
    "gradient",
    [
        np.diag([2.0, 0.9, 0.9]),
        np.diag([0.4, 1.0, 1.0]),
        [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ],
    ids=["stretch", "confined compression", "shear"],
)
def test_uniform_states_are_exact(gradient):
    """Held at its surface, its interior follows, and its energy is that of the material."""
    mu, lam = 1e4, 4e4
    gradient = np.array(gradient)
    rest, _ = cell_box((3, 3, 3))
    surface = ((rest < 1e-6) | (rest > 1.0 - 1e-6)).any(axis=1)
    body = cube(rest @ gradient.T, surface, mu=mu, lam=lam)
    static = {"frame_time": 100.0, "substeps": 1, "gravity": (0.0, 0.0, 0.0)}
    settings = Settings(iterations=300, accuracy=0.0, **static)
    *_, last = simulate([body], settings, 1)
    np.testing.assert_allclose(last.positions[0], rest @ gradient.T, atol=1e-4)
    volume = np.linalg.det(gradient) - 1.0
    wanted = 0.5 * mu * ((gradient**2).sum() - 3.0) + 0.5 * lam * volume**2 - mu * volume
    assert last.stats.elastic_energy == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("poisson", [0.3, 0.45])
def test_a_turned_bar_moves_as_the_bar_does(poisson):
    """Bent and twisted by its ends at once; the cells keep their axes, ends and loads turn."""
    turn = rotation([0.36, 0.48, 0.8], 1.3)
    found = []
    for frame in (np.eye(3), turn):
        body = bar(2, material(poisson))
        middle = np.array([LENGTH, 0.5, 0.5])
        _, tip = ends(body)
        bent = body.points.copy()
        bent[tip] = (bent[tip] - middle) @ rotation([0.6, 0.64, 0.48], 0.7).T + middle - [1, 0, 2]
        body.points = body.points @ frame.T
        body.pins = beams.held(body, bent @ frame.T)
        last = settled([body], 12, gravity=(0.0, 0.0, 0.0))
        found.append((last.positions[0] @ frame, last.stats.elastic_energy))
    np.testing.assert_allclose(found[1][0], found[0][0], atol=1e-4 * LENGTH)
    assert found[1][1] == pytest.approx(found[0][1], rel=1e-4)
