# SPDX-License-Identifier: GPL-3.0-or-later
"""Count of the iterations of a substep, and the rules due in each, on the device. One thread."""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Entries of a table of rules: never due, always, only in watched substeps, only where cycles have a
# fixed period, or only where they grow.
NEVER, ALWAYS, IF_WATCHED, IF_FIXED, IF_GROWING = 0, 1, 2, 3, 4


@wp.kernel
def begin_iteration(
    table: wp.array2d[int],
    fraction: wp.array[wp.float64],
    has_fixed_period: wp.array[int],
    # out
    due: wp.array[int],
    # in and out
    iteration: wp.array[int],
):
    """Count an iteration, and look up in `table` [rule, iteration] which rules are due.

    The last substep of a frame, at a `fraction` [1] of it, is watched.
    """
    number = iteration[0] + 1
    is_watched = fraction[0] == wp.float64(1.0)
    iteration[0] = number
    for rule in range(table.shape[0]):
        code = table[rule, number]
        is_due = code == ALWAYS or (code == IF_WATCHED and is_watched)
        is_due = is_due or code == wp.where(has_fixed_period[0] != 0, IF_FIXED, IF_GROWING)
        due[rule] = wp.where(is_due, 1, 0)


@wp.kernel
def end_iteration(
    count: int,
    iteration: wp.array[int],
    is_met: wp.array[int],
    frame_continues: wp.array[int],
    # out
    goes_on: wp.array[int],
):
    """Decide if another iteration follows: none after `count`, nor if the accuracy is met, nor if
    contact lists lacked capacity, so that the frame is repeated."""
    may = is_met[0] == 0 and frame_continues[0] != 0
    goes_on[0] = wp.where(iteration[0] + 1 < count and may, 1, 0)
