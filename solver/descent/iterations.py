# SPDX-License-Identifier: GPL-3.0-or-later
"""The iterations of a substep, whose number is decided on the device."""

from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
import warp as wp

from ..device.conditions import repeat_while, when
from ..device.launches import THREADS, in_turn, nothing
from ..kernels.descent import iterations as kernels

# On a GPU so many first iterations come apart: most rules are due in one of them in all cases or in
# none, and need no decision there. Behind them cycles may grow or not (accuracy.py).
APART = 7
# Cases of a rule (kernels/descent/iterations.py), all together.
ALL_CASES = 0b1111


@dataclass(frozen=True)
class WhenDue:
    """An action that is called in the iterations that are due by a rule of `Iterations`."""

    iterations: "Iterations"
    rule: int
    action: callable

    def __call__(self):
        when(self.iterations.flags[self.rule], self.action)


@dataclass(frozen=True)
class Body:
    """Functions that an iteration calls: the `first` ones, which come apart, and all `others`."""

    first: list
    others: callable

    def __call__(self):
        self.others()


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
        # Records what comes at the end of an iteration.
        self.record_end = self._record_end

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
        """Return the `Body` that calls actions one after the other.

        Consecutive actions that wait for rules wait together, for a rule that is due where any of
        theirs is, and then alone if their own differs: a decision takes as long as a launch.
        """
        apart = min(APART, self.count) if self.launches.are_wide else 0
        parts = [*(slice(n, n + 1) for n in range(apart)), slice(apart, None)]
        *first, others = (in_turn(self._within(part, actions)) for part in parts)
        return Body(first, others)

    def _within(self, part, actions):
        """Return what calls actions in a part of the iterations, without needless rules."""
        actions = [action for action in actions if self._cases(action, part).any()]
        actions = [self._without_rule(action, part) for action in actions]
        found = []
        for waits, group in groupby(actions, lambda action: isinstance(action, WhenDue)):
            own = list(group)
            if waits and len(own) > 1:
                any_due = np.bitwise_or.reduce([self.rules[action.rule] for action in own])
                together = any_due[part]
                own = [
                    action.action if (self._cases(action, part) == together).all() else action
                    for action in own
                ]
                own = [self._without_rule(self._rule(any_due, in_turn(own)), part)]
            found += own
        return found or [nothing]

    def _cases(self, action, part):
        """Return the cases in which an action is due, in a part of the iterations."""
        if isinstance(action, WhenDue):
            return self.rules[action.rule][part]
        return np.array([ALL_CASES])

    def _without_rule(self, action, part):
        """Return what an action does if it is always due in a part of the iterations, or itself."""
        always = (self._cases(action, part) == ALL_CASES).all()
        return action.action if isinstance(action, WhenDue) and always else action

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
        progress = kernels.Progress()
        progress.count, progress.table, progress.due = self.count, table, due
        progress.fraction, progress.has_fixed_period = model.fraction, self.has_fixed_period
        progress.is_met, progress.frame_continues = self.is_met, model.frame_continues
        progress.goes_on, progress.iteration = self.goes_on, self.number
        self.end = self.record_end(progress)

    def _record_end(self, progress):
        """Return the launch that ends an iteration."""
        record = self.launches.record
        return record(kernels.end_iteration, 1, [], [progress], tile_threads=THREADS)

    def run(self, body):
        """Call `body` for every iteration; one of `in_turn` begins with its first ones."""
        self.begin()
        first = body.first if isinstance(body, Body) else []
        for number, each in enumerate(first):
            iterate = partial(self._iterate, each)
            iterate() if number == 0 else when(self.goes_on, iterate)
        repeat_while(self.goes_on, partial(self._iterate, body))

    def _iterate(self, body):
        """Call a function, and end the iteration."""
        body()
        self.end()
