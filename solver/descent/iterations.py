# SPDX-License-Identifier: GPL-3.0-or-later
"""The iterations of a substep, whose number is decided on the device."""

import numpy as np
import warp as wp

from ..device.conditions import repeat_while, when
from ..kernels.descent import iterations as kernels
from ..kernels.descent.iterations import ALWAYS, IF_FIXED, IF_GROWING, IF_WATCHED, NEVER


class Iterations:
    """Counts iterations, from 0, in `model.iteration`, until an accuracy or their number is met.

    `rules` [rule][iteration] say when actions are due. A substep is watched if its convergence is
    reported: the last one of a frame. With the flag `has_fixed_period` the cycles from one coarse
    step to the next have a fixed period, else they grow (accuracy.py).
    """

    def __init__(self, model):
        self.model, self.count, device = model, model.settings.iterations, model.device
        self.number, self.launches = model.iteration, model.launches
        self.goes_on, self.is_met, self.has_fixed_period = (
            wp.zeros(1, dtype=int, device=device) for _ in range(3)
        )
        self.rules, self.flags = [], []
        state = [self.count, self.number, self.is_met, model.frame_continues]
        self.end = self.launches.record(kernels.end_iteration, 1, state, [self.goes_on])

    def when_due(self, is_due, action, watched=False, when_fixed=None):
        """Return a function that calls `action` in the iterations that are due, or only in those of
        `watched` substeps. Where cycles have a fixed period, `when_fixed` says which are due.
        """
        rule, always = len(self.rules), IF_WATCHED if watched else ALWAYS
        codes = {(0, 0): NEVER, (0, 1): IF_FIXED, (1, 0): IF_GROWING, (1, 1): always}
        when_fixed = when_fixed or is_due
        self.rules.append([codes[is_due(n), when_fixed(n)] for n in range(self.count)])
        return lambda: when(self.flags[rule], action)

    def record(self):
        """Record the launches after all rules are known; `flags` say which rules are due."""
        due = wp.zeros(len(self.rules), dtype=int, device=self.model.device)
        self.flags = [due[rule : rule + 1] for rule in range(len(self.rules))]
        table = wp.array(np.array(self.rules, np.int32), dtype=int, device=self.model.device)
        inputs = [table, self.model.fraction, self.has_fixed_period]
        outputs = [due, self.number]
        self.begin = self.launches.record(kernels.begin_iteration, 1, inputs, outputs)

    def run(self, body):
        """Call `body` for every iteration."""
        self.number.fill_(-1)
        self.is_met.zero_()
        self.goes_on.fill_(1)

        def iterate():
            self.begin()
            body()
            self.end()

        repeat_while(self.goes_on, iterate)
