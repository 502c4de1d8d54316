# SPDX-License-Identifier: GPL-3.0-or-later
"""Convergence of a substep: checks that end its iterations, and measures of the remaining error."""

from dataclasses import replace
from functools import partial
from operator import eq

import warp as wp

from ..model.stage import Stage
from ..report.position_error import PositionError
from .accuracy import Accuracy, coarse_step_follows
from .equilibrium_accuracy import EquilibriumAccuracy

# Where surfaces may touch, cycles of a fixed period cost more time than they save below so many
# iterations (docs/gallery/convergence.md).
ENOUGH_TO_HOLD = 24


def due_after(done):
    """Return the rule of an action that is due after so many iterations."""
    return lambda number: number + 1 == done


def has_multipliers(model):
    """Return whether any constraint converges by multipliers: positions hardly move meanwhile, and
    give no estimate of the error.
    """
    return (model.attachments.penalty > 0.0).any() or (model.spring_penalty > 0.0).any()


def may_end_early(model, coarse):
    """Return whether an accuracy ends substeps, with the `coarse` correction of the scene."""
    return bool(model.settings.ends_at_accuracy and coarse and not has_multipliers(model))


def cycles_have_fixed_period(model):
    """Return whether cycles to an accuracy have a fixed period in every substep."""
    is_long = model.settings.iterations >= ENOUGH_TO_HOLD
    return model.settings.is_cyclic and (is_long or model.contact is None)


class ErrorSamples(Stage):
    """Saves `samples` of positions, arrays by iterations done, for the error estimate, after the
    coarse steps that follow an iteration.
    """

    def __init__(self, model, iterations, samples):
        super().__init__(model)
        self.is_due = samples.__contains__
        self.copies = [
            iterations.when_due(partial(eq, done), partial(wp.copy, sample, model.x), watched=True)
            for done, sample in samples.items()
        ]

    def before_sweep(self):
        for copy in self.copies:
            copy()


class Convergence:
    """Convergence of a substep; `checks` are actions after every iteration, where they are due.

    `done` is its number of iterations; an accuracy that is met ends them. `accuracy` is None where
    no accuracy is set or the error cannot be estimated, as without `coarse` correction, which
    reduces the smooth error. In a watched substep `halfway` is the residual after half of the
    iterations, and `error` estimates the error of positions after all iterations; None with
    `has_fixed_period`.
    """

    state_name = "accuracy"

    def __init__(self, model, residual, iterations, coarse):
        self.residual, self.iterations = residual, iterations
        self.at_half = wp.zeros(1, dtype=wp.float64, device=model.device)
        count, when_due = iterations.count, iterations.when_due
        self.checks = [when_due(due_after((count + 1) // 2), self._measure_residual, watched=True)]
        self.accuracy = self.error = None
        self.error_launches, self.coarse = [], coarse
        self.has_fixed_period = may_end_early(model, coarse) and cycles_have_fixed_period(model)
        if may_end_early(model, coarse):
            collapsed = coarse.components.ruined
            if model.settings.quasistatic:
                self.accuracy = EquilibriumAccuracy(model, iterations, collapsed)
            else:
                chooses_period = not self.has_fixed_period
                self.accuracy = Accuracy(model, iterations, collapsed, chooses_period)
            if self.accuracy.check:
                self.checks.append(self.accuracy.check)
        if coarse and not self.has_fixed_period:
            steps = [n + 1 for n in range(count) if coarse_step_follows(n, model.settings)]
            self.error = PositionError(model, count, steps)
            self.error_launches = [when_due(lambda _: True, self.error.find, watched=True)]

    def _measure_residual(self):
        self.residual.find()
        wp.copy(self.at_half, self.residual.norm)

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        return self.accuracy.saved if self.accuracy else {}

    def begin(self):
        """Save the positions at which the iterations begin."""
        if self.accuracy:
            self.accuracy.begin()

    def end(self):
        """Find the reported error, before anything but iterations changes the positions."""
        for launch in self.error_launches:
            launch()

    @property
    def done(self):
        return int(self.iterations.number.numpy()[0]) + 1

    @property
    def estimate(self):
        """Estimator of the error of positions; None without a coarse correction."""
        return self.accuracy or self.error

    @property
    def reported(self):
        """Arrays that a frame reports."""
        found = {"iteration": self.iterations.number, "halfway": self.at_half}
        found["are_even"] = self.iterations.has_fixed_period
        for estimate in (self.accuracy, self.error):
            found |= estimate.reported if estimate else {}
        return found

    def errors_of(self, numbers):
        """Return the `BodyErrors` of the `reported` numbers."""
        done = int(numbers["iteration"][0]) + 1
        if self.error is None:
            return self.accuracy.estimate(numbers, done)
        had_fixed_period = self.accuracy and (
            done < self.iterations.count or numbers["are_even"][0]
        )
        if not had_fixed_period:
            return self.error.estimate(numbers["squares"], done)
        found = self.accuracy.estimate(numbers, done)
        return replace(found, goal=found.seen)
