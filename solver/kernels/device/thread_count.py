# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the number of CPU threads for a stage by what they gain: size k means 2ᵏ threads.

Each stage compares the times of its sizes. `times` [size] is the typical time of a play [ns],
`plays` [size + 1] how often each size was tried, up to TRIED, and last the plays since a trial.

The team limits the size of all stages where threads lose against a single thread that nothing
disturbs. `trust` [4]: the time gained [ns], up to CREDIT; the largest size allowed; when a larger
one is allowed again; and how long the last one was kept [ns].
"""

import warp as wp

from .options import OPTIONS

wp.set_module_options(OPTIONS)

# Plays that try a size: the quickest counts, since the first is slow and others are interrupted.
TRIED = wp.constant(3)
# The neighbors of the best size are tried again after so many plays, in turn.
TRIAL = wp.constant(100)
# More threads must take less than this fraction of the time of fewer.
GAIN = wp.constant(0.9)
# Plays with less work do not count [ns]: lists may be empty.
LEAST = wp.constant(10000.0)
# Time gained that may be lost again before the number of threads is halved [ns]: a helper
# interrupted amid a piece loses 3 to 4 ms on Linux.
CREDIT = wp.constant(wp.int64(5000000))
# What may be lost at first [ns]: helpers take up to 3 ms to wake.
DEBT = wp.constant(wp.int64(200000))
# Fewer threads are kept for this many times the time lost, so that trials lose a twentieth at most,
# and twice as long as the last time unless the credit was full since; up to LONGEST [ns].
KEPT, LONGEST = wp.constant(wp.int64(20)), wp.constant(wp.int64(10000000000))
# Time between two steps up [ns].
STEP_UP = wp.constant(wp.int64(1000000))
# More threads are allowed only after so long without an interruption of a single one [ns]: on Linux
# other programs that use the same core interrupt it every 1 to 4 ms.
QUIET = wp.constant(wp.int64(5000000))


@wp.func
def best_size(times: wp.array[float], plays: wp.array[int]):
    """Return the size that takes the least time, with fewer threads unless more gain enough."""
    best = int(0)
    for size in range(1, times.shape[0]):
        if plays[size] >= TRIED and times[size] < GAIN * times[best]:
            best = size
    return best


@wp.func
def choose_size(limit: int, times: wp.array[float], plays: wp.array[int]):
    """Return the size for the next play, up to `limit`: the best, or a neighbor to be tried."""
    best = best_size(times, plays)
    below = wp.max(best - 1, 0)
    above = wp.min(best + 1, times.shape[0] - 1)
    size = best
    if plays[above] < TRIED and above <= limit:
        size = above
    if plays[below] < TRIED:
        size = below
    return wp.min(size, limit)


@wp.func
def note_time(size: int, time: float, work: float, times: wp.array[float], plays: wp.array[int]):
    """Note the time of a play, and of its `work` on all threads together [ns].

    Where the work changes, the times of all sizes change alike.
    """
    if work < LEAST:
        return
    old = times[size]
    if plays[size] < TRIED:
        times[size] = wp.where(plays[size] == 0, time, wp.min(old, time))
        plays[size] += 1
        return
    scale = 1.0 + (wp.min(time / old, 1.5) - 1.0) / 8.0
    sizes = times.shape[0]
    for k in range(sizes):
        times[k] = scale * times[k]
    plays[sizes] += 1
    if plays[sizes] == TRIAL and size + 1 < sizes:
        plays[size + 1] = 0
    if plays[sizes] >= 2 * TRIAL:
        plays[wp.max(size - 1, 0)] = 0
        plays[sizes] = 0


@wp.func
def undisturbed(time: wp.int64, times: wp.array[float], plays: wp.array[int]):
    """Return how long a play by a single thread takes where nothing interrupts it [ns], given the
    `time` of one that may have been interrupted.
    """
    if plays[0] < TRIED:
        return time
    return wp.min(time, wp.int64(1.5 * times[0] + 1.0e6))


@wp.func
def note_loss(size: int, loss: wp.int64, time: wp.int64, trust: wp.array[wp.int64]):
    """Note what a play has lost against a single undisturbed thread, and that it ended at `time`
    [ns]; halve the threads when more is lost than was gained, and double them later.
    """
    if size > 0:
        trust[0] = wp.min(trust[0] - loss, CREDIT)
        if trust[0] == CREDIT:
            trust[3] = wp.int64(0)
        if trust[0] < -DEBT:
            trust[3] = wp.min(wp.max(-KEPT * trust[0], wp.int64(2) * trust[3]), LONGEST)
            trust[2] = time + trust[3]
            trust[1] = wp.int64(size - 1)
            trust[0] = wp.int64(0)
    elif loss > wp.int64(0) or trust[2] == wp.int64(0):
        trust[2] = wp.max(trust[2], time + QUIET)
    if time > trust[2] and trust[1] < wp.int64(62):
        trust[1] += wp.int64(1)
        trust[2] = time + STEP_UP
