# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse cells move the visible surface like fine ones (benchmarks/experiments/ cells_resolution.py
prints more of it)."""

import fine_cells
import pytest

from vbd.benchmarks.experiments.cells_resolution import CHARACTERS, mean_distance, motion, of_cells

# Error over the motion: the present 4.5 and 4.6 %, and some margin for other changes. Six tets a
# cell are 14 and 12 % off. Suzanne's comes mostly from her head, which rocks on the pinned patch.
MOST = {"Suzanne": 0.05, "stout": 0.049}


@pytest.mark.parametrize("name", fine_cells.NAMES)
def test_eight_cells_along_a_character_take_it_near_where_32_do(name):
    """Held and shaken below their resonance."""
    surface, fine = CHARACTERS[name](), fine_cells.read(name)
    found, _ = motion(surface, 8, of_cells)
    chosen = fine_cells.some(surface[0])
    gap = mean_distance(found[:, chosen] - fine)
    assert gap < MOST[name] * mean_distance(fine - surface[0][chosen])
