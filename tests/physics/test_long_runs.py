# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing drifts or grows frame by frame: the beginning of runs that `python -m long_runs` makes
over thousands of frames (docs/gallery/long_runs.txt).
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from long_runs.running import run
from long_runs.scenes import CYCLE, SCENES, Limits
from long_runs.watching import Window, faults

WINDOWS = 4


@pytest.mark.parametrize("name", ["pile", "flag", "loop"])
def test_nothing_drifts_or_grows(name):
    assert run(name, WINDOWS * CYCLE, WINDOWS) == []


def still(index):
    """A window in which nothing moves."""
    return Window(index, np.zeros((2, 3)), 0.0, 1.0, 5.0, 100.0)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"points": np.ones((2, 3))}, "drifts"),
        ({"kinetic": 1.0}, "kinetic energy"),
        ({"energy": 1.1}, "the energy"),
        ({"memory": 120.0}, "memory"),
        ({"milliseconds": 20.0}, "take"),
    ],
)
def test_what_drifts_or_grows_is_named(change, word):
    seen = [still(index) for index in range(6)]
    limits = Limits(drift=1e-3, motion=2.0, still=1e-6, energy=1e-3)
    assert not list(faults(seen, 1.0, limits))
    grown = [*seen[:4], *(replace(window, **change) for window in seen[4:])]
    assert word in " ".join(faults(grown, 1.0, limits))


def test_a_frame_that_is_not_finite_is_named():
    frames = iter([SimpleNamespace(index=1, exact_positions=[np.full((1, 3), np.nan)])])
    scene = replace(SCENES["pile"], run=lambda count: frames)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ValueError, match="not finite"):
        patch.setitem(SCENES, "pile", scene)
        run("pile", 4, 4)
