# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of a stage of launches that CPU threads take side by side, without waiting for helpers.

The thread that solves deals the pieces out, takes its own, and then those that nobody has begun. So
it waits only for pieces that a helper has begun: a helper that the system does not run delays
nobody, unless it is amid a piece.

`slots` has 16 numbers for the team and 16 for each thread (128 bytes, so that no two threads write
to the same cache line). `system` has addresses of system functions (device/threads.py). A stage is
the address of a table: numbers of pieces and of calls per piece, then function, bounds and
arguments of each call. GPU threads never run any of this.
"""

import warp as wp

from .options import OPTIONS

wp.set_module_options(OPTIONS)

# `int(x)` is a macro of Warp: no type of a function may be written with it.
# A ticket is the round, the end of the thread's pieces, and the next one: 32, 16 and 16 bits. DONE
# is the round, and the number of pieces that the thread has done in it.
COMMON = """
    enum { OPEN, STAGE, ROUND, RUNS };
    enum { TICKET, DONE, WORK, AWAKE, SEEN, SLOT = 16 };
    using Number = int64_t;
    const auto load = [](const Number& number) {
        return __atomic_load_n(&number, __ATOMIC_ACQUIRE);
    };
    const auto store = [](Number& number, Number value) {
        __atomic_store_n(&number, value, __ATOMIC_RELEASE);
    };
    const auto relax = [] {
#if defined(__x86_64__) || defined(_M_X64)
        __builtin_ia32_pause();
#endif
    };
"""
CLOCK = """
    const auto now = [&]() -> long long {
        long long time[2] = {0, 0};
        const auto address = static_cast<size_t>(system.data[0]);
        if (system.data[1] < 0) {
            reinterpret_cast<void (*)(long long*)>(address)(time);
            return time[0] * system.data[2];
        }
        reinterpret_cast<void (*)(long long, long long*)>(address)(system.data[1], time);
        return 1000000000 * time[0] + time[1];
    };
"""
NAP = """
    const auto nap = [&](unsigned microseconds) {
        reinterpret_cast<void (*)(unsigned)>(static_cast<size_t>(system.data[3]))(
            microseconds / system.data[4]);
    };
"""
PLAY = """
    const auto play = [](const Number* table, Number piece) {
        const Number* call = table + 2 + 3 * table[1] * piece;
        for (Number k = 0; k < table[1]; ++k, call += 3)
            reinterpret_cast<void (*)(void*, void*)>(static_cast<size_t>(call[0]))(
                reinterpret_cast<void*>(static_cast<size_t>(call[1])),
                reinterpret_cast<void*>(static_cast<size_t>(call[2])));
    };
"""


def on_cpu(body, *parts, otherwise=""):
    """Return a snippet for `wp.func_native` that a GPU replaces by `otherwise`."""
    return "".join(
        ["#ifndef __CUDACC__\n", COMMON, *parts, body, "#else\n", otherwise, "\n#endif\n"]
    )


@wp.func_native(
    on_cpu(
        """
    return now();
""",
        CLOCK,
        otherwise="return 0;",
    )
)
def now(system: wp.array[wp.int64]) -> wp.int64:
    """Return the time of a clock that never goes back [ns]."""
    ...


@wp.func_native(
    on_cpu(
        """
    const auto* table = reinterpret_cast<const Number*>(static_cast<size_t>(stage));
    for (Number piece = 0; piece < table[0]; ++piece)
        play(table, piece);
""",
        PLAY,
    )
)
def play_alone(stage: wp.int64):
    """Play all pieces of a stage."""
    ...


@wp.func_native(
    on_cpu("""
    const auto* table = reinterpret_cast<const Number*>(static_cast<size_t>(stage));
    const Number round = (slots.data[ROUND] + 1) & 0x7fffffff;
    slots.data[STAGE] = stage;
    slots.data[ROUND] = round;
    store(slots.data[RUNS], runs);
    for (Number k = 0; k < runs; ++k) {
        const Number begin = table[0] * k / runs, end = table[0] * (k + 1) / runs;
        store(slots.data[SLOT * (k + 1) + TICKET], round << 32 | end << 16 | begin);
    }
""")
)
def deal(slots: wp.array[wp.int64], stage: wp.int64, runs: int):
    """Begin a round: deal the pieces of a stage out to the first `runs` threads."""
    ...


@wp.func_native(
    on_cpu(
        """
    auto* own = slots.data + SLOT * (number + 1);
    const Number round = load(own[TICKET]) >> 32, runs = load(slots.data[RUNS]);
    for (Number k = 0; k < runs; ++k) {
        auto& ticket = slots.data[SLOT * ((number + k) % runs + 1) + TICKET];
        for (;;) {
            Number seen = load(ticket);
            const Number next = seen & 0xffff, end = seen >> 16 & 0xffff;
            if (seen >> 32 != round || next >= end)
                break;
            if (!__atomic_compare_exchange_n(
                    &ticket, &seen, seen + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                continue;
            const Number began = now();
            play(reinterpret_cast<const Number*>(static_cast<size_t>(slots.data[STAGE])), next);
            const bool is_first = own[DONE] >> 32 != round;
            store(own[WORK], (is_first ? 0 : own[WORK]) + now() - began);
            store(own[DONE], (is_first ? round << 32 : own[DONE]) + 1);
        }
    }
""",
        CLOCK,
        PLAY,
    )
)
def take_pieces(slots: wp.array[wp.int64], number: int, system: wp.array[wp.int64]):
    """Play the pieces dealt to thread `number`, then those of others that nobody has begun."""
    ...


# Threads that wait longer than 100 µs sleep for 50 µs at a time, after 5 ms for up to 3 ms: the
# system gives processor time to a thread that has slept sooner than to one that has yielded.
@wp.func_native(
    on_cpu(
        """
    const Number* table = reinterpret_cast<const Number*>(static_cast<size_t>(slots.data[STAGE]));
    const Number pieces = table[0], round = slots.data[ROUND], runs = slots.data[RUNS];
    const Number began = now();
    for (unsigned looks = 1;; ++looks) {
        Number done = 0;
        for (Number k = 0; k < runs; ++k) {
            const Number found = load(slots.data[SLOT * (k + 1) + DONE]);
            done += found >> 32 == round ? found & 0xffffffff : 0;
        }
        if (done == pieces)
            break;
        relax();
        if (looks % 64 == 0 && now() - began > 100000)
            nap(50);
    }
    double least = 1e300, work = 0.0;
    for (int pass = 0; pass < 2; ++pass)
        for (Number k = 0; k < runs; ++k) {
            const auto* slot = slots.data + SLOT * (k + 1);
            if (slot[DONE] >> 32 != round)
                continue;
            const double count = slot[DONE] & 0xffffffff, spent = slot[WORK];
            if (pass == 0)
                least = spent / count < least ? spent / count : least;
            else
                work += spent < 4.0 * least * count + 3e5 ? spent : 4.0 * least * count + 3e5;
        }
    return static_cast<Number>(work);
""",
        CLOCK,
        NAP,
        otherwise="return 0;",
    )
)
def finish(slots: wp.array[wp.int64], system: wp.array[wp.int64]) -> wp.int64:
    """Wait until all pieces are done; return the time that a single thread would take for them if
    nothing disturbed it [ns].

    That is the sum of the times of all threads. One that was interrupted counts by four times the
    time per piece of the quickest, plus 0.3 ms.
    """
    ...


@wp.func_native(
    on_cpu(
        """
    for (Number k = 1; k < runs; ++k)
        if (!load(slots.data[SLOT * (k + 1) + AWAKE]))
            return 0;
    return 1;
""",
        otherwise="return 1;",
    )
)
def are_awake(slots: wp.array[wp.int64], runs: int) -> int:
    """Return 1 if the first `runs` threads are all awake, else 0."""
    ...


@wp.func_native(
    on_cpu(
        """
    auto* own = slots.data + SLOT * (number + 1);
    const Number began = now();
    unsigned pause = 50;
    for (unsigned looks = 1;; ++looks) {
        const Number round = load(own[TICKET]) >> 32;
        if (round != own[SEEN]) {
            own[SEEN] = round;
            store(own[AWAKE], 1);
            return 1;
        }
        relax();
        if (looks % 64)
            continue;
        if (!load(slots.data[OPEN]))
            break;
        const Number waited = now() - began;
        if (waited > 100000) {
            store(own[AWAKE], 0);
            if (waited > 5000000 && pause < 2000)
                pause *= 2;
            nap(pause);
            looks = 63;
        }
    }
    store(own[AWAKE], 0);
    return 0;
""",
        CLOCK,
        NAP,
        otherwise="return 0;",
    )
)
def wait_for_pieces(slots: wp.array[wp.int64], number: int, system: wp.array[wp.int64]) -> int:
    """Return 1 once pieces are dealt to thread `number`, 0 once the team is closed."""
    ...
