# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that tears: in the right places, without losing mass, as a mesh of fixed size."""

import numpy as np
import pytest
from shapes import grid

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.model.tearing import vertex_index
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

MATERIAL = Material(
    youngs_modulus=1e5, density=0.2, bending_stiffness=1e-4, damping=0.005, poisson_ratio=0.2
)


def pulled(tear_strain, speed=1.0, cells=8):
    """A sheet whose left and right borders are pulled apart, at `speed` [m/s]."""
    points, triangles = grid(cells)
    left, right = points[:, 0] < 1e-6, points[:, 0] > 1.0 - 1e-6
    held = np.flatnonzero(left | right)
    away = np.where(right[held], 1.0, -1.0)[:, None] * [0.5 * speed, 0.0, 0.0]
    pins = Pins(held, lambda time: points[held] + time * away)
    return Cloth(points, triangles, MATERIAL, pins=pins, tear_strain=tear_strain)


def islands(triangles):
    """Number of components connected by shared vertices."""
    label = np.arange(triangles.max() + 1)
    for _ in range(len(label)):
        low = label[triangles].min(axis=1)
        new = label.copy()
        np.minimum.at(new, triangles.ravel(), np.repeat(low, 3))
        if (new == label).all():
            break
        label = new
    return len(np.unique(label[triangles]))


SETTINGS = Settings(gravity=(0, 0, 0), substeps=4, iterations=30)


def test_a_sheet_pulled_beyond_its_strength_comes_apart():
    *_, frame = simulate([pulled(0.15)], SETTINGS, 18)
    assert islands(frame.elements[0]) >= 2
    x = frame.positions[0][frame.elements[0]]
    edges = np.linalg.norm(np.roll(x, -1, axis=1) - x, axis=2)
    # The borders are 1.75 m apart, so an intact sheet would be stretched by three quarters.
    assert np.median(edges) < 1.2 * np.sqrt(2.0) / 8


def test_a_sheet_pulled_within_its_strength_stays_whole():
    body = pulled(0.15, speed=0.1)
    whole = Cloth(body.points, body.triangles, MATERIAL, pins=body.pins)
    for frame, same in zip(
        simulate([body], SETTINGS, 12), simulate([whole], SETTINGS, 12), strict=True
    ):
        np.testing.assert_array_equal(frame.elements[0], body.triangles)
        # The order of vertices differs, so the last digits do.
        np.testing.assert_allclose(frame.positions[0][:81], same.positions[0], atol=1e-5)


def test_the_mesh_that_plays_it_back_has_a_fixed_number_of_vertices():
    body = pulled(0.15)
    counts = {len(frame.positions[0]) for frame in simulate([body], SETTINGS, 18)}
    assert counts == {len(vertex_index(body))}


def test_triangles_keep_their_origin_and_sleeping_duplicates_lie_with_it():
    body = pulled(0.15)
    index = vertex_index(body)
    for frame in simulate([body], SETTINGS, 18):
        np.testing.assert_array_equal(index[frame.elements[0]], body.triangles)
        unused = np.setdiff1d(np.arange(len(index)), frame.elements[0])
        np.testing.assert_array_equal(frame.positions[0][unused], frame.positions[0][index[unused]])


def test_momentum_and_mass_survive_tearing():
    points, triangles = grid(8)
    apart = np.where(points[:, :1] > 0.5, 1.0, -1.0) * [4.0, 0.0, 0.0]
    body = Cloth(points, triangles, MATERIAL, velocities=apart + [0.5, 0.0, 0.0], tear_strain=0.1)
    settings = Settings(gravity=(0, 0, -9.81), substeps=8, iterations=60)
    area = 0.5 / 64
    for frame in simulate([body], settings, 6):
        mass = np.bincount(frame.elements[0].ravel(), minlength=len(frame.positions[0])) * (
            0.2 * area / 3.0
        )
        center = mass @ frame.positions[0] / mass.sum()
        n, h = 8 * frame.index, settings.step_time
        assert mass.sum() == pytest.approx(0.2)
        fall = -0.5 * 9.81 * h * h * n * (n + 1)
        # The column at x = ½ counts to the left half: its momentum is not zero.
        assert center[2] == pytest.approx(fall, abs=1e-4)
        assert frame.stats.rejected == 0
    assert islands(frame.elements[0]) >= 2


def test_a_tear_strain_of_zero_is_refused():
    with pytest.raises(ValueError, match=r"tear_strain is 0\.0; it must be above 0"):
        Cloth(*grid(2), tear_strain=0.0)
