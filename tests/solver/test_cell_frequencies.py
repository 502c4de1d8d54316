# SPDX-License-Identifier: GPL-3.0-or-later
"""Frequencies of clamped bars of cells: mass and stiffness together, without a time step."""

import numpy as np
import pytest
import references
from scipy.linalg import eigh

from vbd.benchmarks.reference import beams
from vbd.solver.elements.cell_mass import moved_along_edges
from vbd.solver.model.assembly import vertex_mass
from vbd.solver.settings import Material


def stiffness(body, poisson):
    """∂²E/∂x² [vertex, 3, vertex, 3] at rest of equal cells with E = 1 Pa, by the second energy."""
    mu, lam = 0.5 / (1.0 + poisson), poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    rest = body.rest_points[body.cells[0]]

    def energy(x):
        neo_hookean = references.cell_center(
            lambda *tet: references.neo_hookean(*tet, mu, lam + mu), rest, x
        )
        return neo_hookean + references.hourglass(rest, x, mu, lam)

    def slope(x):
        return references.slope(energy, x, 1e-4)

    step = 1e-4
    moves = step * np.eye(24).reshape(24, 8, 3)
    one = [(slope(rest + move) - slope(rest - move)).ravel() / (2.0 * step) for move in moves]
    count = len(body.points)
    total = np.zeros((3 * count, 3 * count))
    for corners in body.cells:
        places = (3 * corners[:, None] + np.arange(3)).ravel()
        total[np.ix_(places, places)] += one
    return total


def frequencies(body, poisson, held):
    """The lowest angular frequencies [rad/s] with the coordinates `held` [vertex, 3], and
    displacements of the vertices in their modes [mode, vertex, 3].
    """
    free = ~held.ravel()
    mass = np.repeat(vertex_mass(body), 3)[free]
    matrix = stiffness(body, poisson)[np.ix_(free, free)] / np.sqrt(np.outer(mass, mass))
    squares, modes = eigh(matrix, subset_by_index=(0, 9))
    moves = np.zeros((10, held.size))
    moves[:, free] = (modes / np.sqrt(mass)[:, None]).T
    return np.sqrt(squares), moves.reshape(10, *held.shape)


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.45])
def test_bending_has_the_frequencies_of_timoshenkos_beam(poisson):
    body = beams.bar(2, Material(youngs_modulus=1.0, poisson_ratio=poisson, density=1.0))
    x, y, z = body.points.T
    start = x < 1e-9
    # The end stays plane; pinned at its middle lines it may become thicker and thinner.
    held = np.stack([start, start & (abs(y - 0.5) < 1e-9), start & (abs(z - 0.5) < 1e-9)], axis=1)
    found, moves = frequencies(body, poisson, held)
    sideways = abs(moves[:, x > beams.LENGTH - 1e-9, 2].sum(axis=1))
    bending = sideways > 0.1 * sideways.max()
    # Both directions have the same frequencies but for the rounding of differences, 2e-4, and each
    # pair may come in any mixture.
    bending = found[bending]
    bending = bending[np.append(True, bending[1:] > 1.01 * bending[:-1])]
    np.testing.assert_allclose(bending[:3], beams.bending_frequencies(poisson), rtol=0.03)


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.45])
def test_torsion_has_the_frequency_of_st_venant(poisson):
    body = beams.bar(2, Material(youngs_modulus=1.0, poisson_ratio=poisson, density=1.0))
    start = body.points[:, 0] < 1e-9
    found, moves = frequencies(body, poisson, np.repeat(start[:, None], 3, axis=1))
    arm = body.points[:, 1:] - 0.5
    turning = abs((arm[:, 0] * moves[..., 2] - arm[:, 1] * moves[..., 1]).sum(axis=1))
    first = found[np.flatnonzero(turning > 0.5 * turning.max())[0]]
    assert first == pytest.approx(beams.torsion_frequency(poisson), rel=0.03)


def test_moving_mass_keeps_it_and_leaves_all_some():
    body = beams.bar(3, Material(density=1.0))
    random = np.random.default_rng(3)
    mass = random.uniform(1e-3, 1.0, len(body.points))
    moved = moved_along_edges(body.cells, mass)
    assert moved.sum() == pytest.approx(mass.sum(), rel=1e-12)
    assert (moved >= 0.5 * mass * (1.0 - 1e-12)).all()
