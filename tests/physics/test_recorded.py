# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes move as recorded.

The records are no truth of their own: they preserve results that other tests have verified while
the code is reorganized. After a justified change of the results, record again
(tests/recorded/record.py).

Effects of rounding come from start positions shaken by half a digit of float32, and from products
and sums rounded together (`--contraction`); the number of threads changes no bit. The tolerances
leave a margin for another CPU.
"""

import functools

import numpy as np
import pytest
from recorded.measures import FOLDER, file_name, measured
from recorded.scenes import CONTACT, FREE

# Over the largest displacement so far. Rounding alone: below 6e-6.
BEFORE_CONTACT = 1e-5
# Over the largest displacement and momentum of the scene. Rounding alone: below 1e-4.
AFTER_CONTACT = 1e-3


@functools.cache
def played(name):
    """A scene and its frames."""
    scene = {**FREE, **CONTACT}[name]()
    return scene, list(scene.run())


def both(name):
    """Measures of a scene now, and its record."""
    return measured(*played(name)), np.load(FOLDER / file_name(name))


def farthest(now, then):
    """Largest difference [frame] between arrays [frame, …]."""
    return np.abs(now.astype(float) - then).reshape(len(then), -1).max(axis=1)


@pytest.mark.parametrize("name", [*FREE, *CONTACT])
def test_until_something_touches_all_moves_as_recorded(name):
    now, then = both(name)
    assert now["impact"] == then["impact"]
    np.testing.assert_array_equal(now["frames"], then["frames"])
    off = farthest(now["positions"], then["positions"])
    assert (off <= BEFORE_CONTACT * then["motion"][then["frames"] - 1]).all()


@pytest.mark.parametrize("name", CONTACT)
def test_after_impact_bodies_lie_and_rest_where_they_did(name):
    now, then = both(name)
    assert then["impact"] < len(then["centers"])
    for key in ("centers", "lowest", "highest"):
        assert (farthest(now[key], then[key]) <= AFTER_CONTACT * then["motion"].max()).all(), key
    largest = np.linalg.norm(then["momentum"], axis=1).max()
    assert (farthest(now["momentum"], then["momentum"]) <= AFTER_CONTACT * largest).all()
