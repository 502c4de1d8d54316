# SPDX-License-Identifier: GPL-3.0-or-later
"""A seat hangs by ropes that end at its corners, against the period of a pendulum."""

import numpy as np
import pytest
from rigid_shapes import centers, cuboid, settings_of

from vbd.solver.bodies import Pins, Rod
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material
from vbd.solver.simulate import simulate

HALF, LENGTH, SPEED, GRAVITY = (0.4, 0.15, 0.025), 1.8, 0.6, 9.81
ROPE = Material(youngs_modulus=4e8, thickness=0.008, density=0.04)


@pytest.mark.parametrize("count", [1, 5])
def test_a_seat_on_four_ropes_swings_in_its_period(count):
    """T = 2π √(l/g), within 3 %, which 20 iterations leave. Elements that meet at an attached
    corner have no gap; as contacts they would hold all that hangs there.
    """
    seat = cuboid(HALF, velocity=(0.0, SPEED, 0.0), material=Material(density=700.0), name="Seat")
    bodies = [seat]
    for x in (-HALF[0], HALF[0]):
        for y in (-HALF[1], HALF[1]):
            corner = np.array([x, y, HALF[2]])
            line = corner + np.linspace(LENGTH, 0.0, count + 1)[:, None] * (0.0, 0.0, 1.0)
            links = np.column_stack([np.arange(count), np.arange(1, count + 1)])
            rope = Rod(line, links, ROPE, Pins([0]), name=f"Rope {len(bodies)}")
            at = np.linalg.norm(seat.mesh_points - corner, axis=1).argmin()
            bodies += [rope, Attachment(rope, [count], 1e5, other=seat, corners=[at])]
    places = np.array([centers(frame)[0] for frame in simulate(bodies, settings_of(), 60)])
    y = places[:, 1]
    k = np.flatnonzero((y[:-1] > 0.0) & (y[1:] <= 0.0))[0]
    half = (k + 1 + y[k] / (y[k] - y[k + 1])) / 24.0
    assert half == pytest.approx(np.pi * np.sqrt(LENGTH / GRAVITY), rel=0.03)
    assert y.max() == pytest.approx(SPEED * np.sqrt(LENGTH / GRAVITY), rel=0.1)
