# SPDX-License-Identifier: GPL-3.0-or-later
"""The slope of a contact along a coarse step (coarse/slopes.py), with all places at which it is
sampled side by side in the lanes of the processor.
"""

import warp as wp

from ..device.lane_functions import either
from ..device.lanes import add, code, dot, floats, in_all, mul, sub  # noqa: F401 (operators)
from .law import ContactLaw, force_stiffness
from .pairs import Touch


@wp.func_native(
    code("floats r; for (int l = 0; l < WIDTH; ++l) r[l] = longest * (l + 1) / WIDTH; return r;")
)
def parts_of(longest: float) -> floats:
    """An eighth of a way, two eighths, and so on up to all of it."""
    ...


@wp.func
def slopes_of_touch(
    touch: Touch, gap: wp.vec3, change: wp.vec3, longest: float, law: ContactLaw
) -> floats:
    """As that of coarse/slopes.py."""
    distance = wp.dot(touch.normal, gap)
    closing = wp.dot(touch.normal, change)
    part = parts_of(longest)
    there = distance + closing * part
    if touch.separates != 0:
        return (touch.stiffness * closing * closing) * part
    begin = float(0.0)
    motion = gap - touch.start_gap
    friction, stiffness = touch.friction, touch.stiffness
    if distance < touch.radius:
        force, _along, _drag = force_stiffness(
            touch.normal, distance, touch.radius, motion, friction, stiffness, law
        )
        begin = wp.dot(force, change)
    radius, moved = floats(touch.radius), in_all(motion) + part * in_all(change)
    normal = in_all(touch.normal)
    forces, _slopes, _drags = force_stiffness(
        normal, there, radius, moved, friction, stiffness, law
    )
    return begin - either(radius - there, dot(forces, in_all(change)), 0.0)
