# SPDX-License-Identifier: GPL-3.0-or-later
"""Dents: cloth and solids keep the strain beyond their limit."""

import numpy as np
import pytest
from shapes import box, cell_box, grid

from vbd.solver.bodies import Cells, Cloth, Pins, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

YIELD = 0.05
STILL = Settings(quasistatic=True, iterations=60, accuracy=0.0, gravity=(0.0, 0.0, 0.0))


def length_after(stretch, membrane="stvk", **material):
    """Length of a sheet of 1 m that is stretched, then released except for one side."""
    points, triangles = grid(4)
    made = Material(
        poisson_ratio=0.0, density=0.2, membrane=membrane, yield_strain=YIELD, **material
    )
    start, side = points * [stretch, 1.0, 1.0], np.flatnonzero(points[:, 0] < 1e-9)
    sheet = Cloth(start, triangles, made, Pins(side), rest_points=points, uv=points[:, :2])
    *_, frame = simulate([sheet], STILL, 3)
    return np.ptp(frame.positions[0][:, 0])


def green(stretch):
    return 0.5 * (stretch**2 - 1.0)


@pytest.mark.parametrize("membrane", ["stvk", "orthotropic"])
def test_what_is_stretched_too_far_stays_longer_by_what_is_beyond(membrane):
    # A weightless cloth that folds is as slack when shorter, so nothing would show its length.
    wanted = np.sqrt(1.0 + 2.0 * (green(1.2) - YIELD))
    length = length_after(1.2, membrane, adapt_folds=False)
    assert length == pytest.approx(wanted, abs=1e-4)


def test_what_is_stretched_less_becomes_as_long_as_it_was():
    assert length_after(1.04) == pytest.approx(1.0, abs=1e-4)


def test_nothing_becomes_longer_than_four_times():
    assert 3.0 < length_after(6.0, adapt_folds=False) <= 4.0


def solid(kind, start=lambda points: points, **material):
    """A bar of 2 × 1 × 1 m, and where it starts."""
    make, body = {"cells": (cell_box, Cells), "tets": (box, Solid)}[kind]
    points, elements = make((4, 2, 2), (2.0, 1.0, 1.0))
    made = Material(youngs_modulus=1e5, poisson_ratio=0.3, yield_strain=YIELD, **material)
    return body(start(points), elements, made, rest_points=points)


def stretches(body):
    """Principal stretches of a body at rest."""
    *_, frame = simulate([body], STILL, 2)
    rest, points = (p - p.mean(axis=0) for p in (body.rest_points, frame.exact_positions[0]))
    gradient, *_ = np.linalg.lstsq(rest, points, rcond=None)
    # It is uniform, to 1e-4 of the length.
    assert np.abs(rest @ gradient - points).max() < 2e-4
    return np.linalg.svd(gradient)[1]


@pytest.mark.parametrize("kind", ["cells", "tets"])
def test_a_solid_that_is_drawn_out_stays_longer_by_what_is_beyond(kind):
    turned, _ = np.linalg.qr(np.random.default_rng(4).standard_normal((3, 3)))
    drawn = turned @ np.diag([1.3, 1.3**-0.5, 1.3**-0.5]) @ turned.T
    stays = np.log(1.3) - YIELD
    wanted = np.exp([stays, -0.5 * stays, -0.5 * stays])
    assert stretches(solid(kind, lambda points: points @ drawn)) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("kind", ["cells", "tets"])
@pytest.mark.parametrize("size", [(1.02, 1.0, 1.0), (0.7, 0.7, 0.7)])
def test_a_solid_that_is_strained_less_or_only_pressed_together_springs_back(kind, size):
    body = solid(kind, lambda points: points * size)
    assert stretches(body) == pytest.approx(1.0, abs=1e-4)


def test_no_solid_is_drawn_out_to_more_than_four_times():
    longest = stretches(solid("cells", lambda points: points * [9.0, 0.4, 0.4]))[0]
    assert 3.0 < longest < 4.0 + 1e-3


@pytest.mark.parametrize("model", ["neo_hookean_log", "corotated"])
def test_other_models_of_solids_spring_back(model):
    body = solid("cells", lambda points: points * [1.3, 0.9, 0.9], solid_model=model)
    assert stretches(body) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("across", [1, 2, 3])
def test_a_bent_bar_opens_by_what_is_elastic(across):
    # Bent to κ, an ideally plastic bar that yields at κ/5 keeps 1 − (3 − 1/25)/10 = 0.704 of it.
    # This one is not quite incompressible, and yields cell by cell: to a fifth.
    length, curvature, ratio = 6, 0.05, 0.45
    points, cells = cell_box((length * across, across, across), (length, 1.0, 1.0))
    y, z = points[:, 1] - 0.5, points[:, 2] - 0.5
    turn = curvature * points[:, 0]
    radius = 1.0 / curvature - y - 0.5 * ratio * curvature * (y**2 - z**2)
    bent = np.stack(
        [radius * np.sin(turn), -radius * np.cos(turn), z * (1 + ratio * curvature * y)]
    )
    made = Material(youngs_modulus=1e5, poisson_ratio=ratio, yield_strain=0.1 * curvature)
    *_, frame = simulate([Cells(bent.T, cells, made, rest_points=points)], STILL, 2)
    along = [frame.positions[0][np.isclose(points[:, 0], s)].mean(axis=0) for s in range(length)]
    steps = np.diff(along, axis=0)[1:]
    steps /= np.linalg.norm(steps, axis=1)[:, None]
    kept = np.arccos((steps[:-1] * steps[1:]).sum(axis=1)).mean() / curvature
    assert kept == pytest.approx(0.704, rel=0.2)
