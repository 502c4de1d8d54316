# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates of the distance of bodies to an equilibrium, whose error shrinks at one rate."""

import warp as wp

from ..device.blocks import is_last_block
from ..device.chunks import Chunks
from ..device.options import OPTIONS
from .body_errors import (
    BodyErrorArrays,
    Displacements,
    are_below,
    error_after,
    means_of,
    set_error,
)
from .error_samples import ESTIMATE, CheckSchedule, ErrorSampleArrays

wp.set_module_options(OPTIONS)

# What is left of the error after half of the iterations is limited to this fraction of it: small
# moves at a rate near to 1 do not prove a small error.
SLOWEST = wp.constant(wp.float64(0.999))


@wp.func
def find_error(
    b: int,
    total: wp.vec3d,
    displacement: Displacements,
    accuracy: wp.float64,
    bodies: BodyErrorArrays,
):
    """Estimate the error of a body on its way to an equilibrium, and set its goal.

    After n iterations it has moved by a since n/4 and by b since n/2. If a factor s is left of the
    error in n/4 iterations, then b / a = s (1 + s), and the error is b s² / (1 − s²).
    """
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


@wp.kernel
def find_errors_at_one_rate(
    iteration: wp.array[int],
    schedule: CheckSchedule,
    chunks: Chunks,
    samples: ErrorSampleArrays,
    accuracy: wp.float64,
    collapsed: wp.array[int],
    # in and out
    bodies: BodyErrorArrays,
    ended: wp.array[int],
    # out
    is_met: wp.array[int],
):
    """Estimate the error of every body, and decide if the accuracy is met. One block per body; the
    last one decides.
    """
    b, lane = wp.tid()
    if schedule.actions[iteration[0]] & ESTIMATE == 0:
        return
    total, displacement = means_of(b, lane, chunks, samples.moves, samples.displacements, bodies)
    if lane == 0:
        find_error(b, total, displacement, accuracy, bodies)
    if is_last_block(bodies.bound.shape[0], ended):
        met = are_below(lane, wp.float64(0.0), collapsed, bodies)
        if lane == 0:
            is_met[0] = met
