# SPDX-License-Identifier: GPL-3.0-or-later
"""The elastica: a beam that hangs down under its own weight."""

import numpy as np


def sag_of_elastica(load):
    """Tip (x, z) of a cantilever of length 1: θ'' = −load (1 − s) cos θ."""
    steps = 300
    h = 1.0 / steps

    def shoot(slope):
        angle, s, x, z = 0.0, 0.0, 0.0, 0.0
        for _ in range(steps):  # midpoint rule
            half = slope + 0.5 * h * load * (1.0 - s) * np.cos(angle)
            middle = angle + 0.5 * h * slope
            slope += h * load * (1.0 - s - 0.5 * h) * np.cos(middle)
            angle += h * half
            x, z, s = x + h * np.cos(middle), z + h * np.sin(middle), s + h
        return slope, x, z

    low, high = -load, 0.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if shoot(middle)[0] < 0.0 else (low, middle)
    return shoot(low)[1:]
