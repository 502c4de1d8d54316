# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies on top of each other: heavy on light, a tower, and rest."""

import numpy as np
from shapes import box

from vbd.solver.bodies import Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

THICKNESS = 0.005


def test_a_cube_of_two_thousand_times_the_mass_does_not_sink_in():
    points, tets = box((3, 3, 3), (0.2, 0.2, 0.2))
    light = Material(youngs_modulus=5e6, density=100.0, damping=0.01, collision_thickness=THICKNESS)
    heavy = Material(youngs_modulus=5e8, density=2e5, damping=0.01, collision_thickness=THICKNESS)
    bodies = [
        Solid(points + [0.0, 0.0, THICKNESS], tets, light),
        Solid(points * [0.9, 0.9, 1.0] + [0.01, 0.01, 0.2 + 3.0 * THICKNESS], tets, heavy),
    ]
    settings = Settings(use_ground=True, substeps=8, iterations=60)
    for frame in simulate(bodies, settings, 48):
        low, high = frame.positions
        assert np.isfinite(high).all()
        # The surfaces facing each other, where they are.
        assert high[:, 2].min() > low[:, 2].max() - 0.2 * 0.2
    assert low[:, 2].min() > 0.0
    # 16 kN on 0.0324 m² of E = 5 MPa compress the light cube by a tenth; it carries the other one.
    assert high[:, 2].min() > 0.15
    assert frame.stats.kinetic_energy < 1e-3 * 1600.0 * 9.81 * 0.2
    assert frame.stats.tangles == ()


def test_a_stack_of_ten_cubes_stands_for_ten_seconds():
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    rubber = Material(youngs_modulus=2e6, damping=0.01, collision_thickness=THICKNESS, friction=0.6)
    gap = 2.0 * THICKNESS
    bodies = [
        Solid(points + [0.0, 0.0, THICKNESS + k * (0.2 + gap)], tets, rubber) for k in range(10)
    ]
    settings = Settings(use_ground=True, substeps=4, iterations=20)
    start = [body.points[:, :2].mean(axis=0) for body in bodies]
    settled = None
    for frame in simulate(bodies, settings, 240):
        if frame.index == 24:
            settled = [p.mean(axis=0) for p in frame.positions]
    for before, after, begun in zip(settled, frame.positions, start, strict=True):
        assert np.linalg.norm(after.mean(axis=0)[:2] - begun) < 0.5 * THICKNESS
        assert np.linalg.norm(after.mean(axis=0) - before) < 0.5 * THICKNESS
    assert frame.stats.kinetic_energy < 1e-6
