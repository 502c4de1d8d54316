# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU threads that launch parts of a kernel side by side.

A Warp launch on the CPU uses one core and releases the GIL, so Python threads with disjoint ranges
run in parallel. A join costs about 20 µs: split only what takes much longer.
"""

import os
from threading import Lock, Thread

from . import thread_priority
from .team_size import TeamSize


def core_count():
    """CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Worker:
    """A thread that runs the tasks it is given, at the priority of the one that makes it. Two locks
    are its starting gun and its goal.
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
        """Wait for the task; returns its error in a list, empty when there was none."""
        self.done.acquire()
        errors, self.error = [self.error] if self.error else [], None
        return errors

    def stop(self):
        self.task = None
        self.go.release()
        self.thread.join()


class Workers:
    """Up to `count` threads in all, the calling one included; the others start when needed."""

    def __init__(self, count):
        self.count = count
        self.others, self.pace = [], TeamSize()

    def run(self, tasks):
        """Run up to `count` callables at the same time; returns when all are done."""
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
            # Also after an error: nobody may still be at work when this returns.
            for worker, _task in helpers:
                errors += worker.join()
        if errors:
            raise errors[0]

    def stop(self):
        while self.others:
            self.others.pop().stop()
