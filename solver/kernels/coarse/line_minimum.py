# SPDX-License-Identifier: GPL-3.0-or-later
"""The first minimum along a coarse step, by the sums of its slopes (line_sums.py)."""

import warp as wp

from ..device.options import OPTIONS
from .line_sums import SAMPLES, vec6d, vec8

wp.set_module_options(OPTIONS)


@wp.struct
class Slope:
    """The slope φ'(α): a polynomial, plus linear interpolation between samples."""

    polynomial: vec6d
    elements: vec8  # at α = longest · 1/8, … 8/8
    contacts: vec8  # at α = reach · 1/8, … 8/8
    longest: float
    reach: float


@wp.func
def between_samples(samples: vec8, at: float):
    """The value at a fraction of the sampled interval; it is 0 at the beginning."""
    n = wp.min(int(at * float(SAMPLES)), SAMPLES - 1)
    left = float(0.0)
    if n > 0:
        left = samples[n - 1]
    return left + (at * float(SAMPLES) - float(n)) * (samples[n] - left)


@wp.func
def slope_at(slope: Slope, alpha: float):
    a = wp.float64(alpha)
    p = slope.polynomial
    value = p[0] + a * (p[1] + a * (p[2] + a * (p[3] + a * (p[4] + a * p[5]))))
    of_elements = between_samples(slope.elements, alpha / slope.longest)
    of_contacts = between_samples(slope.contacts, alpha / slope.reach)
    return value + wp.float64(of_elements + of_contacts)


@wp.func
def first_minimum(slope: Slope):
    """The smallest α at which φ' is no longer negative, or `reach`."""
    low = float(0.0)
    high = float(0.0)
    steps = int(4) * SAMPLES
    n = int(0)
    while n < steps:
        n += 1
        high = slope.reach * float(n) / float(steps)
        if not (slope_at(slope, high) < wp.float64(0.0)):
            break
        low = high
    if low < high:
        n = int(0)
        while n < 24:
            n += 1
            middle = 0.5 * (low + high)
            if slope_at(slope, middle) < wp.float64(0.0):
                low = middle
            else:
                high = middle
    return low
