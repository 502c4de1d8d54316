# SPDX-License-Identifier: GPL-3.0-or-later
"""A team whose lanes run one after the other, so that a CPU can add up what each of them does."""

from dataclasses import replace

import warp as wp

from vbd.solver.kernels.device.teams import ALONE, SIZE


@wp.func_native("""
    static thread_local int present = 0;
    if (number >= 0) present = number;
    return present;
""")
def become(number: int) -> int:
    """Continue as a lane of the team, -1 for the present one; return its number."""
    ...


@wp.func
def present_lane():
    return become(-1)


IN_TURN = replace(ALONE, lane=present_lane, stride=SIZE)
