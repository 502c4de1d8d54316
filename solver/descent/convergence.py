# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the iterations of a substep are enough, and how they have converged."""

from dataclasses import replace
from functools import partial
from operator import eq

import warp as wp

from ..model.stage import Stage
from ..report.position_error import PositionError
from .accuracy import Accuracy, has_step

# Where surfaces may touch, even cycles take more time than they save if fewer iterations than these
# cut them short (docs/gallery/convergence.md).
ENOUGH_TO_HOLD = 24


def after(done):
    """The rule that something is due after so many iterations."""
    return lambda number: number + 1 == done


def has_multipliers(model):
    """Whether something converges by multipliers: positions hardly move meanwhile, and tell
    nothing.
    """
    return (model.attachments.penalty > 0.0).any() or (model.spring_penalty > 0.0).any()


def may_end_early(model, coarse):
    """Whether an accuracy ends substeps, with the `coarse` correction of the scene."""
    return bool(model.settings.is_cyclic and coarse and not has_multipliers(model))


def has_even_cycles(model):
    """Whether cycles to an accuracy are even in every substep."""
    return model.settings.iterations >= ENOUGH_TO_HOLD or model.contact is None


class ErrorSamples(Stage):
    """Keeps the positions that the error is found by later, behind the coarse steps that follow an
    iteration.
    """

    def __init__(self, model, iterations, marks):
        super().__init__(model)
        self.is_due = marks.__contains__
        self.keeps = [
            iterations.when_due(partial(eq, done), partial(wp.copy, kept, model.x), watched=True)
            for done, kept in marks.items()
        ]

    def before_sweep(self):
        for keep in self.keeps:
            keep()


class Convergence:
    """How a substep converges.

    `done` iterations it has taken; an accuracy that is met ends them. `accuracy` is
    None where none is asked for or nothing tells, as where there is no `coarse` correction, which
    makes what is smooth of the error shrink. Of a watched substep `halfway` is the
    residual after half of the iterations, and `error` estimates that of the positions where all
    iterations are done; None where cycles `are_even`.
    """

    state_name = "accuracy"

    def __init__(self, model, residual, iterations, coarse):
        self.residual, self.iterations = residual, iterations
        self.at_half = wp.zeros(1, dtype=wp.float64, device=model.device)
        count, when_due = iterations.count, iterations.when_due
        self.looks = [when_due(after((count + 1) // 2), self._measure, watched=True)]
        self.accuracy = self.error = None
        self.finds, self.coarse = [], coarse
        self.are_even = may_end_early(model, coarse) and has_even_cycles(model)
        if may_end_early(model, coarse):
            ruined, chooses = coarse.linkages.ruined, not self.are_even
            self.accuracy = Accuracy(model, iterations, ruined, chooses)
            self.looks.append(self.accuracy.look)
        if coarse and not self.are_even:
            steps = [n + 1 for n in range(count) if has_step(n, model.settings)]
            self.error = PositionError(model, count, steps)
            self.finds = [when_due(lambda _: True, self.error.find, watched=True)]

    def _measure(self):
        self.residual.find()
        wp.copy(self.at_half, self.residual.norm)

    @property
    def kept(self):
        """What passes from one substep to the next."""
        return self.accuracy.kept if self.accuracy else {}

    def begin(self):
        """Keep what is asked for later of where the iterations begin."""
        if self.accuracy:
            self.accuracy.begin()

    def end(self):
        """Find what is told of the error, before anything but iterations moves what they have."""
        for find in self.finds:
            find()

    def look(self):
        """Look at the state after an iteration, where that is due."""
        for look in self.looks:
            look()

    @property
    def done(self):
        return int(self.iterations.number.numpy()[0]) + 1

    @property
    def estimate(self):
        """What tells of the error of positions; None without a coarse correction."""
        return self.accuracy or self.error

    @property
    def reported(self):
        """What a frame tells."""
        found = {"iteration": self.iterations.number, "halfway": self.at_half}
        found["are_even"] = self.iterations.are_even
        for estimate in (self.accuracy, self.error):
            found |= estimate.reported if estimate else {}
        return found

    def errors_of(self, numbers):
        """`BodyErrors` by what was `reported`."""
        done = int(numbers["iteration"][0]) + 1
        if self.error is None:
            return self.accuracy.estimate(numbers, done)
        was_even = self.accuracy and (done < self.iterations.count or numbers["are_even"][0])
        if not was_even:
            return self.error.estimate(numbers["squares"], done)
        found = self.accuracy.estimate(numbers, done)
        return replace(found, goal=found.seen)
