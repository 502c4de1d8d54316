# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of a mesh that share the cells of a coarse lattice move separately."""

import numpy as np
import pytest

from vbd.benchmarks.experiments.cells_parts import bent_hand, falling_rings


@pytest.mark.parametrize("bent", range(4))
def test_each_finger_bends_alone(bent):
    """Fingers a third of a cell apart; other fingers act only through the palm."""
    rest, x, _, finger = bent_hand(bent, count=12)
    moved = np.linalg.norm(x - rest, axis=1)
    assert moved[finger == bent].max() > 0.5
    assert moved[(finger >= 0) & (finger != bent)].max() < 0.05 * moved[finger == bent].max()


def test_of_two_linked_rings_one_falls_while_the_other_is_held():
    """They do not touch: the free one is in free fall."""
    count, frame_time = 10, 1 / 60
    rest, x, _ = falling_rings(count)
    half = len(rest) // 2
    steps, step = 4 * count, frame_time / 4
    fall = 0.5 * 9.81 * step**2 * steps * (steps + 1)
    np.testing.assert_allclose(x[half:] - rest[half:], [[0.0, 0.0, -fall]] * half, atol=1e-3)
    held = rest[:half, 0] < -2.0
    assert np.abs((x - rest)[:half][held]).max() < 0.1 * fall
