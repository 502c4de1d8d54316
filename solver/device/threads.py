# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU threads that launch their shares of a kernel side by side.

A Warp launch on the CPU uses one core and releases the GIL, so Python threads with disjoint ranges
run in parallel. A join costs about 20 µs: only much longer launches are worth splitting.
"""

import os
from threading import Lock, Thread

from . import thread_priority
from .team_size import TeamSize


def core_count():
    """Return the number of CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Worker:
    """A thread that runs tasks at the priority of its creator. It waits for the lock `go`, and
    releases the lock `done` after each task.
    """

    def __init__(self):
        self.task, self.error, self.priority = None, None, thread_priority.own()
        self.go, self.done = Lock(), Lock()
        self.go.acquire()
        self.done.acquire()
        self.thread = Thread(target=self._loop, name="vbd-worker", daemon=True)
        self.thread.start()

    def _loop(self):
        thread_priority.take(self.priority)
        while True:
            self.go.acquire()
            if self.task is None:
                return
            try:
                self.task()
            except BaseException as error:
                self.error = error  # raised by `run`
            self.done.release()

    def start(self, task):
        self.task = task
        self.go.release()

    def join(self):
        """Wait for the task; return its error in a list, empty when there was none."""
        self.done.acquire()
        errors, self.error = [self.error] if self.error else [], None
        return errors

    def stop(self):
        self.task = None
        self.go.release()
        self.thread.join()


class Workers:
    """A pool of up to `count` threads, the calling one included; the others start when needed."""

    def __init__(self, count):
        self.count = count
        self.others, self.team_size = [], TeamSize()

    def run(self, tasks):
        """Run up to `count` callables at the same time; return when all are done."""
        if len(tasks) == 1:
            return tasks[0]()
        while len(self.others) < len(tasks) - 1:
            self.others.append(Worker())
        helpers = list(zip(self.others, tasks[1:], strict=False))
        for worker, task in helpers:
            worker.start(task)
        errors = []
        try:
            tasks[0]()
        finally:
            # Also after an error: no worker may still run when this returns.
            for worker, _task in helpers:
                errors += worker.join()
        if errors:
            raise errors[0]

    def stop(self):
        while self.others:
            self.others.pop().stop()
