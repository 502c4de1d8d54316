# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the iterations of a substep are enough, and how they have converged."""

from functools import partial

import warp as wp

from ..kernels.iterations import compare
from ..report.position_error import PositionError
from .accuracy import Accuracy, has_step

# Iterations between two looks at the residual where a tolerance may end the substep.
LOOK = 10
# Where surfaces may touch, even cycles that fewer iterations than these cut short let a house of
# cards slip: by 17 mm at 18 and 20, by less than 1 mm from 22 on, and by 1 mm at 20 that are not
# even. Other houses slip with any of them (docs/gallery/convergence.md).
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
    settings = model.settings
    if not settings.is_cyclic or not coarse or has_multipliers(model):
        return False
    return settings.iterations >= ENOUGH_TO_HOLD or model.contact is None


class Convergence:
    """How a substep converges.

    `done` iterations it has taken; a tolerance or an accuracy that is met ends them. `accuracy` is
    None where none is asked for or nothing tells, as where there is no `coarse` correction, which
    makes what is smooth of the error shrink. Of a watched substep `halfway` is the
    residual after half of the iterations, and `error` estimates that of the positions.
    """

    def __init__(self, model, residual, iterations, coarse):
        self.residual, self.iterations = residual, iterations
        self.at_half = wp.zeros(1, dtype=wp.float64, device=model.device)
        count, when_due = iterations.count, iterations.when_due
        self.looks = [when_due(after((count + 1) // 2), self._measure, watched=True)]
        tolerance = model.settings.tolerance
        if tolerance > 0.0:
            sizes = [wp.float64(tolerance), residual.norm, residual.least]
            self.compare = model.launches.record(compare, 1, sizes, [iterations.is_met])
            self.looks.append(when_due(lambda number: (number + 1) % LOOK == 0, self._compare))
        self.accuracy = self.error = None
        self.finds = []
        if may_end_early(model, coarse):
            self.accuracy = Accuracy(model, iterations, coarse.linkages.ruined)
            self.looks += self.accuracy.looks
        elif coarse:
            steps = [n + 1 for n in range(count) if has_step(n, model.settings)]
            self.error = PositionError(model, count, steps)
            self.looks += [
                when_due(after(done), partial(wp.copy, kept, model.u), watched=True)
                for done, kept in self.error.marks.items()
            ]
            self.finds = [when_due(lambda _: True, self.error.find, watched=True)]

    def _measure(self):
        self.residual.find()
        wp.copy(self.at_half, self.residual.norm)

    def _compare(self):
        self.residual.find()
        self.compare()

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
        last = {"iteration": self.iterations.number, "halfway": self.at_half}
        return last | (self.estimate.reported if self.estimate else {})

    def errors_of(self, numbers):
        """`BodyErrors` by what was `reported`."""
        done = int(numbers["iteration"][0]) + 1
        if self.accuracy:
            return self.accuracy.estimate(numbers, done)
        return self.error.estimate(numbers["squares"], done)
