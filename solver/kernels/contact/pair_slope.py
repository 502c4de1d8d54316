# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope of a contact pair along a step."""

from typing import Any

import warp as wp

from ..device.lane_functions import either
from ..device.lanes import add, bits, broadcast, dot, mul, sub  # noqa: F401 (operators)
from .law import ContactLaw, force_stiffness
from .pairs import Touch


@wp.func
def pair_slope(touch: Touch, gap: wp.vec3, change: wp.vec3, fraction: Any, law: ContactLaw):
    """Return the slope of a contact at a fraction of a step that changes its gap by `change`, or at
    eight fractions in lanes.
    """
    closing = wp.dot(touch.normal, change)
    distance = wp.dot(touch.normal, gap) + closing * fraction
    slope = 0.0 * fraction
    if touch.separates != 0:
        slope = (touch.stiffness * closing) * (distance - touch.radius)
    elif bits(touch.radius - distance) != 0:
        along = broadcast(change, fraction)
        force, _slope, _drag = force_stiffness(
            broadcast(touch.normal, fraction),
            distance,
            broadcast(touch.radius, fraction),
            broadcast(gap - touch.start_gap, fraction) + fraction * along,
            touch.friction,
            touch.stiffness,
            law,
        )
        slope = either(touch.radius - distance, -1.0 * dot(force, along), 0.0)
    return slope
