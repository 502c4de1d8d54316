# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of launches that as many CPU threads share as pay: one kernel for the thread that solves,
one for its helpers.
"""

import warp as wp

from .dealt_pieces import (
    are_awake,
    deal,
    finish,
    now,
    play_alone,
    take_pieces,
    wait_for_pieces,
)
from .options import OPTIONS
from .thread_count import choose_size, note_loss, note_time, undisturbed

wp.set_module_options(OPTIONS)


@wp.kernel
def help_others(
    number: int,
    system: wp.array[wp.int64],
    # in and out
    slots: wp.array[wp.int64],
):
    """Take pieces of stages as thread `number`, from 1, until the team is closed. One thread."""
    while wait_for_pieces(slots, number, system) == 1:
        take_pieces(slots, number, system)


@wp.kernel
def play_stage(
    stage: wp.int64,
    most: int,
    system: wp.array[wp.int64],
    # in and out
    slots: wp.array[wp.int64],
    times: wp.array[float],
    plays: wp.array[int],
    trust: wp.array[wp.int64],
):
    """Play a stage with as many threads as pay, up to `most`. One thread.

    `times`, `plays`: those of the stage, `trust`: those of the team (thread_count.py).
    """
    size = choose_size(int(trust[1]), times, plays)
    runs = wp.min(1 << size, most)
    began = now(system)
    work = wp.int64(0)
    if runs == 1:
        play_alone(stage)
    else:
        deal(slots, stage, runs)
        take_pieces(slots, 0, system)
        work = finish(slots, system)
    ended = now(system)
    if runs == 1:
        work = undisturbed(ended - began, times, plays)
    note_loss(size, ended - began - work, ended, trust)
    if are_awake(slots, runs) == 1:
        note_time(size, float(ended - began), float(work), times, plays)
