# SPDX-License-Identifier: GPL-3.0-or-later
"""Barrier at which CPU threads that replay graphs side by side wait for each other."""

import warp as wp

from .options import OPTIONS

wp.set_module_options(OPTIONS)

# `int(x)` is a macro of Warp: no type of a function may be written with it.
# GPU threads never use this barrier.
WAIT = """
#ifndef __CUDACC__
    auto* waiting = &meeting.data[0];
    auto* round = &meeting.data[1];
    const auto give_way = reinterpret_cast<void (*)()>(static_cast<size_t>(yield_address));
    const auto this_round = __atomic_load_n(round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(waiting, 1, __ATOMIC_ACQ_REL) == threads) {
        __atomic_store_n(waiting, 0, __ATOMIC_RELAXED);
        __atomic_add_fetch(round, 1, __ATOMIC_RELEASE);
        return;
    }
    for (unsigned spins = 0; __atomic_load_n(round, __ATOMIC_ACQUIRE) == this_round; ++spins)
        if (spins > 2000)
            give_way();
#endif
"""


@wp.func_native(WAIT)
def wait_for_all(meeting: wp.array[int], threads: int, yield_address: wp.uint64): ...


@wp.kernel
def wait(
    threads: int,
    yield_address: wp.uint64,
    # in and out
    meeting: wp.array[int],
):
    """Wait until all threads have reached the barrier. One thread each.

    `meeting` [2] counts the waiting threads and the rounds so far. The thread spins for some
    microseconds, then yields its core between checks by the function at `yield_address`.
    """
    wait_for_all(meeting, threads, yield_address)
