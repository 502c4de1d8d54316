# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes move as they did with the version that was recorded.

The records are trajectories that version 0.1 has computed before its solver was taken apart and put
together again. They are no truth of their own: they hold what other tests have found right while
the code is moved about. Who changes what the solver computes, and can say why it is better, records
anew (tests/recorded/record.py).

Each scene was also run with start positions shaken by half a digit of float32, and with products
and sums rounded together (`--contraction`); the number of threads changes no bit. That tells how
far rounding alone goes, and the tolerances leave room for another CPU.
"""

import functools

import numpy as np
import pytest
from intersections import intersecting_pairs, joined, segment_hits
from recorded.measures import FOLDER, file_name, measured
from recorded.scenes import CONTACT, FREE

from vbd.solver.bodies import Rod, Solid, points_at
from vbd.solver.topology.meshes import boundary_triangles

# Of the largest displacement so far. Rounding alone: below 6e-6.
BEFORE_CONTACT = 1e-5
# Of the largest displacement and momentum of the scene. Rounding alone: below 1e-4 as a rule, but
# 6e-4 of the momentum of a cloth that is caught, and 1.4e-3 after one iteration per substep.
AFTER_CONTACT = 1e-3
WORSE = {"cloth on ball": 5e-3, "two balls, one iteration": 1e-2}
# How two bodies come apart that begin in each other hangs on every digit.
IN_EACH_OTHER = "bad start"
UNTOUCHED = [name for name in CONTACT if name != IN_EACH_OTHER]


@functools.cache
def played(name):
    """A scene and its frames."""
    scene = {**FREE, **CONTACT}[name]()
    return scene, list(scene.run())


def both(name):
    """What is measured of a scene now, and what was recorded."""
    return measured(*played(name)), np.load(FOLDER / file_name(name))


def farthest(now, then):
    """Largest difference [frame] between arrays [frame, …]."""
    return np.abs(now.astype(float) - then).reshape(len(then), -1).max(axis=1)


@pytest.mark.parametrize("name", [*FREE, *UNTOUCHED])
def test_until_something_touches_all_moves_as_recorded(name):
    now, then = both(name)
    assert now["impact"] == then["impact"]
    np.testing.assert_array_equal(now["frames"], then["frames"])
    off = farthest(now["positions"], then["positions"])
    assert (off <= BEFORE_CONTACT * then["motion"][then["frames"] - 1]).all()


@pytest.mark.parametrize("name", UNTOUCHED)
def test_after_impact_bodies_lie_and_rest_where_they_did(name):
    now, then = both(name)
    assert then["impact"] < len(then["centers"])
    part = WORSE.get(name, AFTER_CONTACT)
    for key in ("centers", "lowest", "highest"):
        assert (farthest(now[key], then[key]) <= part * then["motion"].max()).all(), key
    largest = np.linalg.norm(then["momentum"], axis=1).max()
    assert (farthest(now["momentum"], then["momentum"]) <= part * largest).all()


def test_what_begins_in_each_other_comes_apart_without_an_impulse_from_nowhere():
    now, then = both(IN_EACH_OTHER)
    assert then["crossings"][0] > 0 and now["crossings"][0] > 0
    assert then["crossings"][-6:].max() == now["crossings"][-6:].max() == 0
    largest = np.linalg.norm(then["momentum"], axis=1).max()
    # Forces between the two add up to nothing, however they part. Rounding alone: 4e-6.
    assert (farthest(now["momentum"], then["momentum"]) <= 1e-4 * largest).all()


@pytest.mark.parametrize("name", CONTACT)
def test_nothing_passes_through_anything(name):
    scene, frames = played(name)
    for frame in frames[-6:] if name == IN_EACH_OTHER else frames:
        meshes, rods = [], []
        for body, points in zip(scene.deformable, frame.exact_positions, strict=True):
            if isinstance(body, Rod):
                rods.append((points, body.edges))
            elif isinstance(body, Solid) and body.surface:
                meshes.append((body.surface.points(points), body.surface.triangles))
            elif isinstance(body, Solid):
                meshes.append((points, boundary_triangles(body.tets)))
            else:
                meshes.append((points, body.triangles))
        time = frame.index * scene.settings.frame_time
        for body in scene.colliders:
            there = points_at(body.name, body.points, frame.index, time)
            meshes.append((there, body.triangles))
        points, triangles, _ = joined(meshes)
        assert len(intersecting_pairs(points, triangles)) == 0
        for line, edges in rods:
            hits = segment_hits(np.concatenate([line, points]), edges, triangles + len(line))
            assert len(hits) == 0
