# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a frame where surfaces touch and where they are stuck."""

import numpy as np
import pytest
from shapes import box, grid

from vbd.solver.bodies import Cloth, Collider, Solid
from vbd.solver.scene.analytic_colliders import Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# Far from the origin of the world, where float32 alone would lose them.
FAR = np.array([300.0, -200.0, 0.0])
SETTINGS = Settings(use_ground=True)


def last(bodies, settings, count):
    for frame in simulate(bodies, settings, count):
        places = frame.places()
    return frame, places


def test_a_block_on_the_ground_touches_it_with_its_lower_face():
    points, tets = box((2, 2, 1), (0.2, 0.2, 0.1))
    block = Solid(points + FAR + [0.0, 0.0, 0.002], tets, name="Block")
    frame, places = last([block], SETTINGS, 12)
    assert len(places.contacts) == frame.stats.contacts == 9
    np.testing.assert_allclose(places.normals, np.tile([0.0, 0.0, 1.0], (9, 1)), atol=1e-6)
    lower = frame.exact_positions[0][points[:, 2] == 0.0]
    np.testing.assert_allclose(np.sort(places.contacts, axis=0), np.sort(lower, axis=0))
    assert len(places.stuck) == 0


@pytest.mark.parametrize("what", ["mesh", "sphere"])
def test_a_sheet_on_a_ball_or_a_table_is_pushed_away_from_it(what):
    points, triangles = grid(6, 0.3)
    sheet = Cloth(points + FAR - [0.15, 0.15, 0.0], triangles, Material(thickness=1e-3))
    under = Sphere(tuple(FAR - [0.0, 0.0, 0.505]), 0.5)
    if what == "mesh":
        corners, faces = grid(1, 1.0)
        under = Collider(corners + FAR - [0.5, 0.5, 0.005], faces)
    frame, places = last([sheet, under], Settings(), 12)
    count = frame.stats.pairs if what == "mesh" else frame.stats.contacts
    assert len(places.contacts) == count > 0
    away = places.contacts - FAR + [0.0, 0.0, 0.505]
    if what == "mesh":
        away = np.tile([0.0, 0.0, 1.0], (len(away), 1))
    away /= np.linalg.norm(away, axis=1)[:, None]
    # The sheet is a little wavy by then, and edges are pushed across themselves.
    np.testing.assert_allclose(places.normals, away, atol=1e-2)


def test_what_hangs_in_the_air_touches_nothing():
    points, tets = box((1, 1, 1))
    _, places = last([Solid(points, tets)], Settings(), 1)
    assert places.contacts.shape == places.normals.shape == places.stuck.shape == (0, 3)


def test_sheets_that_pass_through_each_other_are_stuck_where_they_cross():
    points, triangles = grid(6, 0.6)
    cotton = Material(
        youngs_modulus=1e4, thickness=1e-3, collision_thickness=0.01, adapt_folds=False
    )
    lower = points + FAR - [0.3, 0.3, 0.0]
    upright = 0.5 * points[:, [2, 0, 1]] + FAR + [0.013, -0.137, -0.163]
    bodies = [Cloth(lower, triangles, cotton), Cloth(upright, triangles, cotton)]
    # After the first frames most displacements that separate them are complete.
    *_, (stats, places) = (
        (frame.stats, frame.places())
        for frame in simulate(bodies, Settings(gravity=(0.0, 0.0, 0.0)), 4)
    )
    assert stats.tangles and len(places.stuck) > len(stats.tangles)
    assert (np.abs(places.stuck - FAR) < [0.1, 0.35, 0.35]).all()


def test_vertices_that_could_not_be_solved_are_stuck_where_they_are():
    points, tets = box((1, 1, 1))
    torn = 3e11 * np.random.default_rng(1).standard_normal(points.shape)
    frame, places = last([Solid(points, tets, velocities=torn)], Settings(truncation=False), 1)
    assert frame.stats.rejected > 0
    assert 0 < len(places.stuck) <= len(points)
