# SPDX-License-Identifier: GPL-3.0-or-later
"""The iterations of a substep, whose number is decided on the device."""

from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
import warp as wp

from ..device.conditions import repeat_while, when
from ..device.launches import THREADS, in_turn
from ..kernels.descent import iterations as kernels


@dataclass(frozen=True)
class WhenDue:
    """An action that is called in the iterations that are due by a rule of `Iterations`."""

    iterations: "Iterations"
    rule: int
    action: callable

    def __call__(self):
        when(self.iterations.flags[self.rule], self.action)


class Iterations:
    """Counts iterations, from 0, in `model.iteration`, until an accuracy or their number is met.

    `rules` [rule][iteration] say in which cases actions are due (kernels/descent/iterations.py). A
    substep is watched if its convergence is reported: the last one of a frame. With the flag
    `has_fixed_period` the cycles from one coarse step to the next have a fixed period, else they
    grow (accuracy.py).
    """

    def __init__(self, model):
        self.model, self.count, device = model, model.settings.iterations, model.device
        self.number, self.launches = model.iteration, model.launches
        self.goes_on, self.is_met, self.has_fixed_period = (
            wp.zeros(1, dtype=int, device=device) for _ in range(3)
        )
        self.rules, self.flags = [], []

    def when_due(self, is_due, action, watched=False, when_fixed=None):
        """Return a function that calls `action` in the iterations that are due, or only in those of
        `watched` substeps. Where cycles have a fixed period, `when_fixed` says which are due.
        """
        cases = 0b10 if watched else 0b11
        when_fixed = when_fixed or is_due
        return self._rule(
            [cases * bool(is_due(n)) + 4 * cases * bool(when_fixed(n)) for n in range(self.count)],
            action,
        )

    def _rule(self, cases, action):
        self.rules.append(np.array(cases, np.int32))
        return WhenDue(self, len(self.rules) - 1, action)

    def in_turn(self, actions):
        """Return a function that calls actions one after the other. Consecutive ones that wait for
        rules wait together, for a rule that is due where any of theirs is, and then alone if their
        own differs: a decision takes as long as a launch.
        """
        found = []
        for waits, group in groupby(actions, lambda action: isinstance(action, WhenDue)):
            own = list(group)
            if waits and len(own) > 1:
                any_due = np.bitwise_or.reduce([self.rules[action.rule] for action in own])
                own = [
                    action.action if np.array_equal(self.rules[action.rule], any_due) else action
                    for action in own
                ]
                own = [self._rule(any_due, in_turn(own))]
            found += own
        return in_turn(found)

    def record(self):
        """Record the launches after all rules are known; `flags` say which rules are due."""
        model = self.model
        due = wp.zeros(len(self.rules), dtype=int, device=model.device)
        self.flags = [due[rule : rule + 1] for rule in range(len(self.rules))]
        table = wp.array(np.array(self.rules, np.int32), dtype=int, device=model.device)
        record = partial(self.launches.record, tile_threads=THREADS)
        rules = [table, model.fraction, self.has_fixed_period]
        begun = [due, self.number, self.is_met, self.goes_on]
        self.begin = record(kernels.begin_iterations, 1, rules, begun)
        state = [self.count, *rules, self.is_met, model.frame_continues]
        self.end = record(kernels.end_iteration, 1, state, [due, self.goes_on, self.number])

    def run(self, body):
        """Call `body` for every iteration."""
        self.begin()

        def iterate():
            body()
            self.end()

        repeat_while(self.goes_on, iterate)
