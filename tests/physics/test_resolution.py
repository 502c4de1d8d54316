# SPDX-License-Identifier: GPL-3.0-or-later
"""Finer meshes of one body give equal answers, within the trend of the discretization."""

import numpy as np
import pytest
from shapes import box, grid

from vbd.solver.bodies import Cloth, Pins, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

LENGTH, THICK, YOUNG = 0.5, 0.25, 2e5


def cantilever(refinement):
    """A beam clamped at x = 0, four cells through the thickness and more when refined."""
    points, tets = box(np.array([4, 2, 4]) * refinement, (LENGTH, 0.125, THICK))
    material = Material(youngs_modulus=YOUNG, poisson_ratio=0.3, density=1000.0)
    return Solid(points, tets, material, Pins(np.flatnonzero(points[:, 0] < 1e-9)))


def hanging(cells):
    """A sheet of 1 m and 0.4 kg, hanging from its upper border, soft enough to stretch by 2 %."""
    points, triangles = grid(cells)
    material = Material(
        youngs_modulus=1e5, poisson_ratio=0.3, thickness=1e-3, density=0.4, bending_stiffness=1e-5
    )
    standing = points[:, [0, 2, 1]]
    return Cloth(standing, triangles, material, Pins(np.flatnonzero(points[:, 1] > 1.0 - 1e-9)))


def equilibrium(body, iterations, relaxation):
    """The points of a quasistatic frame."""
    settings = Settings(quasistatic=True, substeps=1, iterations=iterations, relaxation=relaxation)
    (frame,) = simulate([body], settings, 1)
    return frame.exact_positions[0]


def tip_sag(body, x):
    """Drop of the middle of the free end [m]."""
    end = body.points[:, 0] > LENGTH - 1e-9
    return float((body.points[end, 2] - x[end, 2]).mean())


def test_a_cantilever_refined_four_times_converges_with_its_discretization():
    """Linear tets lock less when finer: the sag grows, by less each time (second order: 1/4)."""
    bodies = [cantilever(refinement) for refinement in (1, 2, 4)]
    sags = [tip_sag(body, equilibrium(body, 60, 1.95)) for body in bodies]
    steps = np.diff(sags)
    assert (steps > 0.0).all()
    assert 0.2 < steps[1] / steps[0] < 0.55
    # Newton's method on the finest mesh gives 86.202 mm.
    assert sags[2] == pytest.approx(0.086202, rel=1e-3)


def test_the_sag_of_a_hanging_cloth_does_not_depend_on_its_resolution():
    sags = []
    for cells in (16, 32, 64):
        body = hanging(cells)
        x = equilibrium(body, 60, 1.9)
        sags.append(float(-x[body.points[:, 2] < 1e-9, 2].mean()))
    assert np.ptp(sags) < 0.005 * sags[0]
    # ρ g L²/(2 E t) = 19.6 mm without narrowing at the free end; the border holds the width.
    assert sags[0] == pytest.approx(0.4 * 9.81 / 200.0, rel=0.08)
