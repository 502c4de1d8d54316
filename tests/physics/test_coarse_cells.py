# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse cells take the visible surface where fine ones do (benchmarks/experiments/
cells_resolution.py prints more of it)."""

import fine_cells
import pytest

from vbd.benchmarks.experiments.cells_resolution import CHARACTERS, mean_distance, motion, of_cells


@pytest.mark.parametrize("name", fine_cells.NAMES)
def test_eight_cells_along_a_character_take_it_where_32_do(name):
    """Held and shaken below their resonance. Within a twentieth of how far they move: a body that
    is seen to follow a finer one; most of what is left is where cells hold both a limb, or what is
    pinned, and what that grows from."""
    surface, fine = CHARACTERS[name](), fine_cells.read(name)
    found, _ = motion(surface, 8, of_cells)
    chosen = fine_cells.some(surface[0])
    gap = found[fine_cells.FRAMES][:, chosen] - fine
    assert mean_distance(gap) < 0.05 * mean_distance(fine - surface[0][chosen])
