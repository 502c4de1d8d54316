# SPDX-License-Identifier: GPL-3.0-or-later
"""Where CPU threads that replay graphs side by side wait for each other."""

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)

# `int(x)` is a macro of Warp: no type of a function may be written with it.
WAIT = """
    auto* count = &tickets.data[0];
    const auto ticket = __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);
    const auto goal = (ticket / threads + 1) * threads;
    const auto give_way = reinterpret_cast<void (*)()>(static_cast<size_t>(yield_address));
    for (unsigned spins = 0; __atomic_load_n(count, __ATOMIC_ACQUIRE) < goal; ++spins)
        if (spins > 2000)
            give_way();
"""


@wp.func_native(WAIT)
def wait_for_all(tickets: wp.array[int], threads: int, yield_address: wp.uint64): ...


@wp.kernel
def wait(
    threads: int,
    yield_address: wp.uint64,
    # in and out
    tickets: wp.array[int],
):
    """Wait until all threads have come here: each takes a ticket of its own. One thread each.

    Spins for some microseconds, then gives the core away between looks, by the function without
    arguments at `yield_address`.
    """
    wait_for_all(tickets, threads, yield_address)
