# SPDX-License-Identifier: GPL-3.0-or-later
"""What does not land in a bowl: it lies beside it, or is drawn in over the rim."""

import numpy as np
import pytest
from shapes import box

from vbd.solver.bodies import Solid
from vbd.solver.scene.analytic_colliders import Bowl
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

RUBBER = Material(youngs_modulus=1e5, damping=0.01, collision_thickness=0.004)


@pytest.mark.parametrize("height", [0.0, 0.4])  # above the floor
@pytest.mark.parametrize("aside", [0.7, 1.0])
def test_a_bowl_leaves_alone_what_lies_or_falls_beside_it(aside, height):
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    cube = Solid(points + [aside, -0.1, height + 0.02], tets, RUBBER)
    bowl = Bowl([0.0, 0.0, 0.3], 0.5)
    for frame in simulate([cube, bowl], Settings(use_ground=True), 24):
        # It lies where it would without the bowl, but for what an impact turns it by.
        assert abs(frame.positions[0].mean(axis=0)[0] - aside - 0.1) < 0.01
    assert 0.0 < frame.positions[0][:, 2].min() < 0.01
    assert frame.stats.deepest < 0.1


@pytest.mark.parametrize("over", [0.35, 0.45])
def test_what_lands_on_the_rim_of_a_bowl_is_drawn_in_and_not_thrown(over):
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    cube = Solid(points + [over, -0.1, 0.55], tets, RUBBER)
    fastest, before = 0.0, cube.points
    for frame in simulate([cube, Bowl([0.0, 0.0, 0.5], 0.5)], Settings(friction=0.8), 48):
        fastest = max(fastest, np.abs(frame.positions[0] - before).max() * 24.0)
        before = frame.positions[0]
    inside = 0.5 - np.linalg.norm(before - [0.0, 0.0, 0.5], axis=1)
    assert inside.min() > 0.0
    # From the rim to the bottom it falls by half a meter.
    assert fastest < 1.5 * np.sqrt(2.0 * 9.81 * 0.5)
