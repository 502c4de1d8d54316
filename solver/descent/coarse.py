# SPDX-License-Identifier: GPL-3.0-or-later
"""When the coarse correction comes in (coarse/correction.py)."""

from .accuracy import begins_cycle, has_step
from .stage import Stage


class CoarseMatrix(Stage):
    """The matrix of the coarse correction: after the first sweep, and where stiff bodies may touch
    before every step. In an impact more and more touches of which the first matrix knows nothing.
    `are_even`: whether steps come in even cycles.
    """

    def __init__(self, model, correction, are_even):
        super().__init__(model)
        self.correction, self.are_even = correction, are_even

    def is_due(self, iteration):
        # To an equilibrium it is farther than a matrix can be turned.
        if iteration == 0 or self.model.settings.quasistatic:
            return True
        if self.are_even:
            return self.correction.holds and begins_cycle(iteration + 1)
        return self.correction.holds and has_step(iteration, self.model.settings)

    def after_sweep(self):
        self.correction.assemble()


class CoarseSteps(Stage):
    """What passes from one substep to the next, and is counted."""

    def __init__(self, model, correction):
        super().__init__(model)
        self.correction = correction

    @property
    def kept(self):
        """What passes from one substep to the next."""
        return self.correction.kept

    def begin_frame(self, _frame, _time):
        self.correction.begin_frame()


class FewCoarseSteps(CoarseSteps):
    """Coarse steps after sweeps 1, 2, 3, 5, 9, 17, …: the smooth part of the error needs no more,
    and the rest of it is left to sweeps, which cost less. To an equilibrium one follows every
    sweep.
    """

    def is_due(self, iteration):
        return has_step(iteration, self.model.settings)

    def after_sweep(self):
        self.correction.step()


class CyclicCoarseSteps(CoarseSteps):
    """Coarse steps at the beginning of every cycle (accuracy.py)."""

    def is_due(self, iteration):
        return begins_cycle(iteration)

    def before_sweep(self):
        self.correction.step()
