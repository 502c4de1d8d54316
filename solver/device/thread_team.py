# SPDX-License-Identifier: GPL-3.0-or-later
"""Team of CPU threads that replay graphs side by side: each its own, with barriers between.

The first thread plays everything, but only its own share of a shared launch; the others play their
shares, and take the same branch at every decision. All read a flag between two barriers.
"""

import ctypes
import sys

import warp as wp

from ..kernels.device.barrier import wait


def yield_address():
    """Return the address of the system function that yields a core to another thread."""
    if sys.platform == "win32":
        function = ctypes.windll.kernel32.SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value


class SingleThread:
    """One thread that plays all shares, in the graph that it captures."""

    def share(self, stages):
        for shares in stages:
            for share in shares:
                share()

    def when(self, flag, then, otherwise):
        wp.capture_if(flag, on_true=then, on_false=otherwise)

    def repeat_while(self, flag, body):
        wp.capture_while(flag, body)


class ThreadTeam:
    """A team of `count` threads; `steps` of the others are recorded while the first thread's graph
    is captured.

    A step is a list of stages, which are lists of shares, or a tuple of a flag and the steps behind
    it: those of a loop, or of both branches.
    """

    def __init__(self, count, device):
        self.count, self.steps = count, []
        meeting = wp.zeros(2, dtype=int, device=device)
        inputs, outputs = [count, wp.uint64(yield_address())], [meeting]
        self.wait = wp.launch(wait, 1, inputs, outputs, device=device, record_cmd=True).launch
        self.is_shared = False

    def share(self, stages):
        """Play the first share of every stage, while the others play theirs."""
        self.wait()
        for shares in stages:
            shares[0]()
            self.wait()
        self.steps.append([shares[1:] for shares in stages])
        self.is_shared = True

    def when(self, flag, then, otherwise):
        """Take one of two branches with the whole team."""
        branches = []
        self.wait()
        wp.capture_if(
            flag,
            on_true=lambda: branches.append(self._steps_of(then)),
            on_false=lambda: branches.append(self._steps_of(otherwise)),
        )
        self.steps.append((flag, *branches))

    def repeat_while(self, flag, body):
        """Repeat the body with the whole team."""
        rounds = []

        def once():
            rounds.append(self._steps_of(body))
            self.wait()

        self.wait()
        wp.capture_while(flag, once)
        self.wait()
        self.steps.append((flag, *rounds))

    def _steps_of(self, body):
        """Return the steps of the others while the first thread plays `body`."""
        outer, self.steps = self.steps, []
        self.wait()
        if body is not None:
            body()
        inner, self.steps = self.steps, outer
        return inner

    def follow(self, number):
        """Play the steps of thread `number`, from 1."""
        self._play_steps(self.steps, number)

    def _play_steps(self, steps, number):
        for step in steps:
            self.wait()
            if isinstance(step, list):
                for shares in step:
                    if number <= len(shares):
                        shares[number - 1]()
                    self.wait()
            elif len(step) == 3:
                flag, *branches = step
                actions = [
                    lambda branch=branch: self._play_branch(branch, number) for branch in branches
                ]
                wp.capture_if(flag, on_true=actions[0], on_false=actions[1])
            else:
                flag, inner = step
                wp.capture_while(flag, lambda inner=inner: self._play_round(inner, number))
                self.wait()

    def _play_branch(self, steps, number):
        self.wait()
        self._play_steps(steps, number)

    def _play_round(self, steps, number):
        self._play_branch(steps, number)
        self.wait()
