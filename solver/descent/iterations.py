# SPDX-License-Identifier: GPL-3.0-or-later
"""The iterations of a substep: how many there are is decided on the device."""

import numpy as np
import warp as wp

from ..device.conditions import repeat_while, when
from ..kernels.descent import iterations as kernels
from ..kernels.descent.iterations import ALWAYS, IF_EVEN, IF_GROWING, IF_WATCHED, NEVER


class Iterations:
    """Counts iterations, from 0, in `model.iteration`, until there were enough of them.

    The rows of `rules` say what is due when, [rule][iteration]. A substep is watched when its
    convergence is to be known: the last one of a frame. Where both are to be had, cycles from one
    coarse step to the next `are_even`, or grow (accuracy.py).
    """

    def __init__(self, model):
        self.model, self.count, device = model, model.settings.iterations, model.device
        self.number, self.launches = model.iteration, model.launches
        self.goes_on, self.is_met, self.are_even = (
            wp.zeros(1, dtype=int, device=device) for _ in range(3)
        )
        self.rules, self.flags = [], []
        state = [self.count, self.number, self.is_met, model.frame_goes_on]
        self.end = self.launches.record(kernels.end_iteration, 1, state, [self.goes_on])

    def when_due(self, is_due, action, watched=False, evenly=None):
        """What does `action` in the iterations that are due, or only in those of substeps that are
        `watched`; or, where cycles are even ones, in those that are due `evenly`.
        """
        rule, said = len(self.rules), IF_WATCHED if watched else ALWAYS
        says = {(0, 0): NEVER, (0, 1): IF_EVEN, (1, 0): IF_GROWING, (1, 1): said}
        evenly = evenly or is_due
        self.rules.append([says[is_due(n), evenly(n)] for n in range(self.count)])
        return lambda: when(self.flags[rule], action)

    def record(self):
        """Make ready when all rules are known: `flags` are what is due by each of them."""
        due = wp.zeros(len(self.rules), dtype=int, device=self.model.device)
        self.flags = [due[rule : rule + 1] for rule in range(len(self.rules))]
        table = wp.array(np.array(self.rules, np.int32), dtype=int, device=self.model.device)
        inputs = [table, self.model.fraction, self.are_even]
        outputs = [due, self.number]
        self.begin = self.launches.record(kernels.begin_iteration, 1, inputs, outputs)

    def run(self, body):
        """Call `body` for every iteration."""
        self.number.fill_(-1)
        self.is_met.zero_()
        self.goes_on.fill_(1)

        def one():
            self.begin()
            body()
            self.end()

        repeat_while(self.goes_on, one)
