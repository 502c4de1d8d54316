# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice between a team of CPU threads, which wait for each other, and a single thread.

A team meets at barriers thousands of times in a frame. Where other programs use the same cores, its
threads wait for one that is not running, and a frame takes many times as long as by one thread.
"""

from time import perf_counter, thread_time

# Substeps timed per team size: those of a frame are not alike.
COMPARED = 4
# The faster size is kept for so many times as many substeps.
KEPT = 24
# Threads with less than this fraction of a core were disturbed; undisturbed ones have 0.97.
DISTURBED = 0.6


class Timed:
    """A task with its processor time [s]."""

    def __init__(self, task):
        self.task, self.busy = task, 0.0

    def __call__(self):
        began = thread_time()
        self.task()
        self.busy = thread_time() - began


class TeamSize:
    """Chooses the team size from timed substeps; `is_single` is the choice for the next one."""

    def __init__(self):
        self.plan = self._plan()
        self.is_single = next(self.plan)

    def run(self, workers, tasks):
        """Let `Workers` run the tasks of a substep, one per thread, and record their times."""
        began, timed = perf_counter(), [Timed(task) for task in tasks]
        workers.run(timed)
        seconds = perf_counter() - began
        self.is_single = self.plan.send((seconds, min(task.busy for task in timed)))

    def _plan(self):
        """Yield whether the next substep runs single; receive its time and the least processor time
        of its threads [s].
        """
        while True:
            team, busy = yield from self._rounds(1, False)
            if busy < DISTURBED * team:
                single, _ = yield from self._rounds(1, True)
                yield from self._rounds(KEPT, single < team)

    def _rounds(self, count, is_single):
        """Yield one choice for some rounds of substeps; return the sums of the received times."""
        seconds = busy = 0.0
        for _ in range(count * COMPARED):
            times = yield is_single
            seconds, busy = seconds + times[0], busy + times[1]
        return seconds, busy
