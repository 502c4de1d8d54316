# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a substep goes faster with several CPU threads, which wait for each other, or with one.

They meet thousands of times in a frame. Where other programs want the same cores, each of them may
find that another one does not run, and a frame then takes many times as long as one thread needs.
"""

from time import perf_counter, thread_time

# So many substeps of each way are compared: those of a frame are not alike.
COMPARED = 4
# What has won is kept for so many times as many.
KEPT = 24
# Threads that have had less than this part of a core were disturbed; undisturbed ones have 0.97.
DISTURBED = 0.6


class Timed:
    """A task, and the processor time that it has taken [s]."""

    def __init__(self, task):
        self.task, self.busy = task, 0.0

    def __call__(self):
        began = thread_time()
        self.task()
        self.busy = thread_time() - began


class TeamSize:
    """Chooses, as one goes on; `is_alone` says which way is next."""

    def __init__(self):
        self.plan = self._plan()
        self.is_alone = next(self.plan)

    def run(self, workers, tasks):
        """Let `Workers` run the tasks of a substep, one for each thread, and learn from it."""
        began, timed = perf_counter(), [Timed(task) for task in tasks]
        workers.run(timed)
        seconds = perf_counter() - began
        self.is_alone = self.plan.send((seconds, min(task.busy for task in timed)))

    def _plan(self):
        """Yield whether to go alone; is sent how long that took, and the least time that any thread
        was busy [s].
        """
        while True:
            together, busy = yield from self._rounds(1, False)
            if busy < DISTURBED * together:
                alone, _ = yield from self._rounds(1, True)
                yield from self._rounds(KEPT, alone < together)

    def _rounds(self, count, is_alone):
        """The same for some rounds one way; returns the sums of what was sent."""
        seconds = busy = 0.0
        for _ in range(count * COMPARED):
            took = yield is_alone
            seconds, busy = seconds + took[0], busy + took[1]
        return seconds, busy
