# SPDX-License-Identifier: GPL-3.0-or-later
"""Frequency of swinging bodies, and its decay."""

import numpy as np
import pytest

from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate


def energies(body, h, steps, iterations=60):
    """Kinetic and elastic energy after every step, and the settings."""
    settings = Settings(
        gravity=(0, 0, 0), frame_time=h, substeps=1, iterations=iterations, relaxation=1.6
    )
    frames = simulate([body], settings, steps)
    return np.array([[f.stats.kinetic_energy, f.stats.elastic_energy] for f in frames]).T


def frequency(body, h, steps):
    """ω [1/s] of the undamped mode: implicit Euler turns its phase by atan(ω h) per step."""
    kinetic, elastic = energies(body, h, steps)
    # Kinetic energy passes its minimum twice a period.
    share = kinetic / (kinetic + elastic)
    low = np.flatnonzero((share[1:-1] < share[:-2]) & (share[1:-1] <= share[2:])) + 1
    low = low[share[low] < 0.2]
    period = 2.0 * (low[-1] - low[0]) / (len(low) - 1)
    return np.tan(2.0 * np.pi / period) / h, period


def check_decay(make, h, steps, ratio):
    """Measured decay over whole half periods against |z|² = 1/(1 + h k_d ω² + h² ω²)."""
    omega, period = frequency(make(0.0), h, steps)
    damping = 2.0 * ratio / omega
    total = energies(make(damping), h, steps).sum(axis=0)
    first, count = round(period / 2), round(period / 2) * int(steps / (period / 2) - 1)
    measured = np.log(total[first] / total[first + count - 1]) / (count - 1)
    wanted = np.log(1.0 + h * damping * omega**2 + h**2 * omega**2)
    own = np.log(1.0 + h**2 * omega**2)  # damping of implicit Euler itself
    assert measured - own == pytest.approx(wanted - own, rel=0.1)
