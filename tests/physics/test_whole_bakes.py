# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of whole bakes with the default accuracy are as small as the guide says."""

import pytest

from vbd.benchmarks.experiments.whole_bakes import (
    CONVERGED,
    SCENES,
    SETTINGS,
    bake,
    deviation,
)

DRAPED = "cloth that falls on a ball"
# Four times the usual 0.05 to 0.15 %, and twice 0.7 to 0.9 %: where errors of one sign add up, and
# where 20 iterations in contact do not suffice.
USUAL, MOST = 0.005, 0.02
LARGER = ("beam of cells", "two cubes of cells that touch")


def deviations(name, *settings):
    wanted, _ = bake(SCENES[name](), **CONVERGED)
    found = (bake(SCENES[name](), **SETTINGS[which])[0] for which in settings)
    return [deviation(each, wanted, SCENES[name]()) for each in found]


@pytest.mark.parametrize("name", [name for name in SCENES if name != DRAPED])
def test_a_bake_with_defaults_is_within_2_percent_of_the_converged_one(name):
    (left,) = deviations(name, "defaults")
    assert left < (MOST if name in LARGER else USUAL)


def test_draped_cloth_is_within_4_percent_and_with_60_iterations_within_1():
    few, enough = deviations(DRAPED, "defaults", "60 iterations")
    assert few < 0.04
    assert enough < 0.01
