# SPDX-License-Identifier: GPL-3.0-or-later
"""Count of the iterations of a substep, and the rules due in each, on the device. One block."""

import warp as wp

from ..device.blocks import meet
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.func
def find_due(
    lane: int,
    number: int,
    table: wp.array2d[int],
    fraction: wp.array[wp.float64],
    has_fixed_period: wp.array[int],
    due: wp.array[int],
):
    """Look up in `table` [rule, iteration] which rules are due: bit 2 f + w says so where cycles
    have a fixed period (f) or grow, in a watched substep (w) or another one.

    The last substep of a frame, at a `fraction` [1] of it, is watched.
    """
    case = wp.where(has_fixed_period[0] != 0, 2, 0)
    case += wp.where(fraction[0] == wp.float64(1.0), 1, 0)
    for rule in range(lane, table.shape[0], wp.block_dim()):
        due[rule] = (table[rule, number] >> case) & 1


@wp.kernel
def begin_iterations(
    table: wp.array2d[int],
    fraction: wp.array[wp.float64],
    has_fixed_period: wp.array[int],
    # out
    due: wp.array[int],
    iteration: wp.array[int],
    is_met: wp.array[int],
    goes_on: wp.array[int],
):
    """Begin the first iteration, number 0."""
    _block, lane = wp.tid()
    find_due(lane, 0, table, fraction, has_fixed_period, due)
    if lane == 0:
        iteration[0] = 0
        is_met[0] = 0
        goes_on[0] = 1


@wp.struct
class Progress:
    """State of the iterations of a substep; arrays of one number but for rules."""

    count: int  # most iterations
    table: wp.array2d[int]  # [rule, iteration] cases
    fraction: wp.array[wp.float64]  # of the frame [1]
    has_fixed_period: wp.array[int]
    is_met: wp.array[int]  # 1 where the accuracy is met
    frame_continues: wp.array[int]
    due: wp.array[int]  # [rule]
    goes_on: wp.array[int]
    iteration: wp.array[int]


@wp.func
def end(lane: int, progress: Progress):
    """Decide if another iteration follows, and begin it, by a block: none after `count`, nor if the
    accuracy is met, nor if contact lists lacked capacity, so that the frame is repeated.
    """
    p = progress
    number = p.iteration[0] + 1
    follows = number < p.count and p.is_met[0] == 0 and p.frame_continues[0] != 0
    meet()
    if follows:
        find_due(lane, number, p.table, p.fraction, p.has_fixed_period, p.due)
    if lane == 0:
        p.goes_on[0] = wp.where(follows, 1, 0)
        if follows:
            p.iteration[0] = number


@wp.kernel
def end_iteration(
    # in and out
    progress: Progress,
):
    """Decide if another iteration follows, and begin it."""
    _block, lane = wp.tid()
    end(lane, progress)
