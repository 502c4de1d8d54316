# SPDX-License-Identifier: GPL-3.0-or-later
"""Compressed cloth that folds within its faces converges in few iterations."""

import numpy as np
import pytest
from shapes import grid

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

FABRIC = Material(
    youngs_modulus=1e6,
    thickness=1e-3,
    density=0.2,
    bending_stiffness=1e-5,
    damping=0.002,
)
CELLS = 12


def slack_sheet():
    """1 m² held at its corners, 0.85 m apart: it is a sixth longer than its span."""
    points, triangles = grid(CELLS)
    points = points - points.mean(axis=0)
    start = points * [0.85, 0.85, 1.0]
    start[:, 2] = 0.02 * np.cos(7.0 * points[:, 0]) * np.sin(5.0 * points[:, 1])
    corners = np.flatnonzero((np.abs(points[:, :2]) > 0.5 - 1e-9).all(axis=1))
    return Cloth(start, triangles, FABRIC, Pins(corners), rest_points=points)


def path(iterations, frames=4, **settings):
    how = Settings(iterations=iterations, accuracy=0.0, **settings)
    return np.array([f.exact_positions[0] for f in simulate([slack_sheet()], how, frames)])


@pytest.fixture(scope="module")
def converged():
    return path(600)


def error(converged, iterations):
    """Root mean square error of few iterations, over the motion."""
    apart, moved = path(iterations) - converged, converged[-1] - slack_sheet().points
    return np.sqrt((apart**2).sum(axis=2).mean(axis=1).max() / (moved**2).sum(axis=1).mean())


@pytest.mark.parametrize(("iterations", "most"), [(20, 0.025), (60, 0.012)])
def test_a_slack_sheet_falls_right_with_few_iterations(converged, iterations, most):
    # With its full stiffness under compression the error is twice and three times as large.
    assert error(converged, iterations) < most
