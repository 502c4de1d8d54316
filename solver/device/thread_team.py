# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU threads that replay graphs side by side: each its own, with barriers between.

The first thread does everything, but of a launch that is shared out only its own part; the others
do theirs, and go the same ways at every decision. They all read a flag between two barriers.
"""

import ctypes
import sys

import warp as wp

from ..kernels.device.barrier import wait


def yield_address():
    """Address of the function of the system that gives a core to another thread."""
    if sys.platform == "win32":
        function = ctypes.windll.kernel32.SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value


class SingleThread:
    """One thread that does all parts of what is shared out, in the graph that it captures."""

    def share(self, stages):
        for parts in stages:
            for part in parts:
                part()

    def when(self, flag, then, otherwise):
        wp.capture_if(flag, on_true=then, on_false=otherwise)

    def repeat_while(self, flag, body):
        wp.capture_while(flag, body)


class ThreadTeam:
    """What `count` threads do: `steps` of the others as noted while the first thread's graph is
    captured.

    A step is a list of stages, which are lists of parts, or a tuple of a flag and the steps behind
    it: of a loop, or of both ways of a branch.
    """

    def __init__(self, count, device):
        self.count, self.steps = count, []
        meeting = wp.zeros(2, dtype=int, device=device)
        inputs, outputs = [count, wp.uint64(yield_address())], [meeting]
        self.wait = wp.launch(wait, 1, inputs, outputs, device=device, record_cmd=True).launch
        self.shares = False

    def share(self, stages):
        """Do the first part of every stage; the others do theirs meanwhile."""
        self.wait()
        for parts in stages:
            parts[0]()
            self.wait()
        self.steps.append([parts[1:] for parts in stages])
        self.shares = True

    def when(self, flag, then, otherwise):
        """Go one of two ways, together."""
        ways = []
        self.wait()
        wp.capture_if(
            flag,
            on_true=lambda: ways.append(self._steps_of(then)),
            on_false=lambda: ways.append(self._steps_of(otherwise)),
        )
        self.steps.append((flag, *ways))

    def repeat_while(self, flag, body):
        """Go round together."""
        rounds = []

        def once():
            rounds.append(self._steps_of(body))
            self.wait()

        self.wait()
        wp.capture_while(flag, once)
        self.wait()
        self.steps.append((flag, *rounds))

    def _steps_of(self, body):
        """The steps of the others while the first thread does what is in `body`."""
        outer, self.steps = self.steps, []
        self.wait()
        if body is not None:
            body()
        inner, self.steps = self.steps, outer
        return inner

    def follow(self, number):
        """What thread `number`, from 1, does."""
        self._follow(self.steps, number)

    def _follow(self, steps, number):
        for step in steps:
            self.wait()
            if isinstance(step, list):
                for parts in step:
                    if number <= len(parts):
                        parts[number - 1]()
                    self.wait()
            elif len(step) == 3:
                flag, *ways = step
                goes = [lambda way=way: self._go(way, number) for way in ways]
                wp.capture_if(flag, on_true=goes[0], on_false=goes[1])
            else:
                flag, inner = step
                wp.capture_while(flag, lambda inner=inner: self._go_round(inner, number))
                self.wait()

    def _go(self, steps, number):
        self.wait()
        self._follow(steps, number)

    def _go_round(self, steps, number):
        self._go(steps, number)
        self.wait()
