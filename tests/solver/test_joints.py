# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs on each attachment, by what elements and attachments join."""

from types import SimpleNamespace

import numpy as np
import pytest

from vbd.solver.model.joints import hanging_mass

PLANK, ROPE, BLOCK, PANEL = 24.0, 0.04, 216.0, 0.018


def joined(masses, joints, held=()):
    """An assembly of parts with these masses, each an element of two vertices, which `joints` of
    their numbers join; `held` ones are moved by animation.
    """
    order = [p for p in range(len(masses)) if p not in held] + list(held)
    first = {p: 2 * k for k, p in enumerate(order)}
    corners = np.array([[first[one], first[other] + 1] for one, other in joints])
    elements = np.arange(2 * len(masses)).reshape(-1, 2)
    return SimpleNamespace(
        points=np.zeros((2 * len(masses), 3)),
        free_count=2 * (len(masses) - len(held)),
        mass=np.repeat([masses[p] / 2.0 for p in order], 2),
        corners=lambda: [elements],
        attachments=SimpleNamespace(corners=corners, weights=np.ones(corners.shape)),
    )


CASES = {
    "a plank on ropes that are held": (
        ([ROPE, ROPE, PLANK], [(0, 2), (1, 2)], (0, 1)),
        [PLANK, PLANK],
    ),
    "ropes that are tied to what is held": (
        ([ROPE, ROPE, PLANK, 1.0, 1.0], [(0, 2), (1, 2), (3, 0), (4, 1)], (3, 4)),
        [PLANK + 2.0 * ROPE] * 4,
    ),
    "a swing in a frame": (
        ([5.0, ROPE, PLANK, ROPE], [(0, 1), (1, 2), (2, 3), (0, 3)], (0,)),
        [PLANK + 2.0 * ROPE] * 4,
    ),
    "a chain": (([1.0, 2.0, 3.0, 4.0], [(0, 1), (1, 2), (2, 3)], (0,)), [9.0, 7.0, 4.0]),
    # What is heavy does not hang on the cloth that hangs on it.
    "a cape": (([BLOCK, PANEL, PANEL], [(0, 1), (1, 2)]), [2.0 * PANEL, PANEL]),
    "a cape on what is held": (
        ([BLOCK, PANEL, PANEL], [(0, 1), (1, 2)], (0,)),
        [2.0 * PANEL, PANEL],
    ),
    "a ring that flies": (([BLOCK, PANEL, PANEL], [(0, 1), (1, 2), (0, 2)]), [PANEL] * 3),
    "a part sewn to itself": (([1.0, 2.0], [(0, 0), (0, 1), (1, 1)], (0,)), [0.0, 2.0, 0.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_hangs_on_joints(name):
    scene, expected = CASES[name]
    np.testing.assert_allclose(hanging_mass(joined(*scene)), expected)
