# SPDX-License-Identifier: GPL-3.0-or-later
"""When the coarse correction comes in (coarse/correction.py)."""

from ..model.stage import Stage
from .accuracy import begins_cycle, begins_growing_cycle, has_step


class CoarseSteps(Stage):
    """What passes from one substep to the next, and is counted. `follows(iteration)`: whether a
    step comes between an iteration and the next one; `follows_evenly` where cycles are even.
    """

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

    state_name = "coarse_steps"

    def is_due(self, iteration):
        return has_step(iteration, self.model.settings)

    follows = follows_evenly = is_due

    def after_sweep(self):
        self.correction.step()


class CyclicCoarseSteps(CoarseSteps):
    """Coarse steps at the beginning of every cycle (accuracy.py). Unless all cycles `are_even`
    they grow: the same steps as above, but before the sweeps that follow.
    """

    state_name = "coarse_cycles"

    def __init__(self, model, correction, are_even):
        super().__init__(model, correction)
        self.is_due = begins_cycle if are_even else begins_growing_cycle

    is_due_evenly = staticmethod(begins_cycle)

    def follows(self, iteration):
        return self.is_due(iteration + 1)

    def follows_evenly(self, iteration):
        return self.is_due_evenly(iteration + 1)

    def before_sweep(self):
        self.correction.step()


class CoarseMatrixUpdate(Stage):
    """The matrix of the coarse correction: after the first sweep, and where stiff bodies may touch
    before every one of the `steps`. In an impact more and more touches of which the first matrix
    knows nothing.
    """

    def __init__(self, model, correction, steps):
        super().__init__(model)
        self.correction, self.steps = correction, steps

    def is_due(self, iteration):
        return self._is_due(iteration, self.steps.follows)

    def is_due_evenly(self, iteration):
        return self._is_due(iteration, self.steps.follows_evenly)

    def _is_due(self, iteration, follows):
        # To an equilibrium it is farther than a matrix can be turned.
        if iteration == 0 or self.model.settings.quasistatic:
            return True
        return self.correction.holds and follows(iteration)

    def after_sweep(self):
        self.correction.assemble()
