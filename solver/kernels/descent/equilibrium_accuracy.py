# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates of the distance of bodies to an equilibrium, whose error shrinks at one rate."""

import warp as wp

from ..device.chunks import Chunks
from ..device.options import OPTIONS
from .body_errors import BodyErrorArrays, Displacements, error_after, means_of, set_error

wp.set_module_options(OPTIONS)

# What is left of the error after half of the iterations is limited to this fraction of it: small
# moves at a rate near to 1 do not prove a small error.
SLOWEST = wp.constant(wp.float64(0.999))


@wp.kernel
def find_errors_at_one_rate(
    chunks: Chunks,
    moves: wp.array[wp.vec3d],
    displacements: wp.array[Displacements],
    accuracy: wp.float64,
    # in and out
    bodies: BodyErrorArrays,
):
    """Estimate the error of every body on its way to an equilibrium, and set its goal. One thread
    per body.

    After n iterations it has moved by a since n/4 and by b since n/2. If a factor s is left of the
    error in n/4 iterations, then b / a = s (1 + s), and the error is b s² / (1 − s²).
    """
    b = wp.tid()
    total, displacement = means_of(b, chunks, moves, displacements, bodies)
    rounding, one = bodies.rounding[b], wp.float64(1.0)
    before = wp.sqrt(total[0])
    after = wp.sqrt(wp.max(total[1] - rounding * rounding, wp.float64(0.0)))
    rate = SLOWEST
    if after < before * wp.float64(2.0):
        s = wp.float64(0.5) * (wp.sqrt(one + wp.float64(4.0) * after / before) - one)
        rate = wp.min(s * s, SLOWEST)
    if after == wp.float64(0.0):
        rate = wp.float64(0.0)
    error = error_after(after, rate, rounding)
    motion = wp.sqrt(total[2])
    goal = wp.max(accuracy * motion, bodies.least[b])
    set_error(b, rate, error, motion, goal, displacement, bodies)
