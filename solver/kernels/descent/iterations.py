# SPDX-License-Identifier: GPL-3.0-or-later
"""The iterations of a substep, counted on the device, and what is due in each. One thread each."""

import warp as wp

from ..device.options import QUICK

wp.set_module_options(QUICK)

# What a table says of an iteration: never due, always, only in substeps that are watched, or only
# where cycles have become even ones, or not.
NEVER, ALWAYS, IF_WATCHED, IF_EVEN, IF_GROWING = 0, 1, 2, 3, 4


@wp.kernel
def begin_iteration(
    table: wp.array2d[int],
    fraction: wp.array[wp.float64],
    are_even: wp.array[int],
    # out
    due: wp.array[int],
    # in and out
    iteration: wp.array[int],
):
    """Count on, and look up in `table` [rule, iteration] what is due.

    The last substep of a frame, of which a `fraction` [1] is over, is watched. Cycles `are_even`,
    or grow.
    """
    number = iteration[0] + 1
    is_watched = fraction[0] == wp.float64(1.0)
    iteration[0] = number
    for rule in range(table.shape[0]):
        says = table[rule, number]
        is_due = says == ALWAYS or (says == IF_WATCHED and is_watched)
        is_due = is_due or says == wp.where(are_even[0] != 0, IF_EVEN, IF_GROWING)
        due[rule] = wp.where(is_due, 1, 0)


@wp.kernel
def end_iteration(
    count: int,
    iteration: wp.array[int],
    is_met: wp.array[int],
    frame_goes_on: wp.array[int],
    # out
    goes_on: wp.array[int],
):
    """Decide if another iteration follows: none after `count`, nor when the accuracy is met or when
    contacts had no room, so that the frame is done again."""
    may = is_met[0] == 0 and frame_goes_on[0] != 0
    goes_on[0] = wp.where(iteration[0] + 1 < count and may, 1, 0)
