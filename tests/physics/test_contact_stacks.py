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
    # Stiff enough not to buckle under its weight: (7.84 E I/w)^(1/3) = 3.5 m for a tower of 2.6 m.
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    thickness = 0.03
    rubber = Material(
        youngs_modulus=5e6,
        density=300.0,
        damping=0.01,
        collision_thickness=thickness,
        friction=0.6,
    )
    bodies = [
        Solid(points + [0.0, 0.0, thickness + k * (0.2 + 2.0 * thickness)], tets, rubber)
        for k in range(10)
    ]
    settings = Settings(use_ground=True, substeps=8, iterations=20)
    for frame in simulate(bodies, settings, 240):
        centers = np.array([points.mean(axis=0) for points in frame.positions])
        if frame.index == 24:
            settled = centers
        # It sways when it takes up its weight, ...
        begun = np.array([body.points.mean(axis=0) for body in bodies])
        assert np.abs(centers - begun).max() < thickness
    # ... and stays where it came to rest.
    assert np.abs(centers - settled).max() < 0.5 * thickness
    # The tower still sways in its slowest mode: half of the speed that sticking friction allows.
    assert frame.stats.kinetic_energy < 0.5 * 24.0 * 5e-3**2
    assert frame.stats.tangles == ()
