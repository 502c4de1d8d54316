# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedules of the coarse correction (coarse/correction.py)."""

from ..model.stage import Stage
from .accuracy import begins_cycle, begins_growing_cycle, coarse_step_follows


class CoarseSteps(Stage):
    """Stage of the coarse correction. `follows(iteration)` is True if a coarse step comes between
    an iteration and the next one; `follows_when_fixed` where cycles have a fixed period.
    """

    def __init__(self, model, correction):
        super().__init__(model)
        self.correction = correction

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        return self.correction.saved

    def begin_frame(self, _frame, _time):
        self.correction.begin_frame()

    def on_restored(self):
        """Forget what was found after the restored state."""
        self.correction.kept.forget()


class FewCoarseSteps(CoarseSteps):
    """Coarse steps after sweeps 1, 2, 3, 5, 9, 17, …: the smooth error needs no more, and sweeps,
    which cost less, reduce the rest. In quasistatic scenes a coarse step follows every sweep.
    """

    state_name = "coarse_steps"

    def is_due(self, iteration):
        return coarse_step_follows(iteration, self.model.settings)

    follows = follows_when_fixed = is_due

    def after_sweep(self):
        self.correction.step()


class CyclicCoarseSteps(CoarseSteps):
    """Coarse steps at the beginning of every cycle (accuracy.py). Without `has_fixed_period` cycles
    grow: the steps of `FewCoarseSteps`, but before the sweeps that follow.
    """

    state_name = "coarse_cycles"

    def __init__(self, model, correction, has_fixed_period):
        super().__init__(model, correction)
        self.is_due = begins_cycle if has_fixed_period else begins_growing_cycle

    is_due_when_fixed = staticmethod(begins_cycle)

    def follows(self, iteration):
        return self.is_due(iteration + 1)

    def follows_when_fixed(self, iteration):
        return self.is_due_when_fixed(iteration + 1)

    def before_sweep(self):
        self.correction.step()


class CoarseMatrixUpdate(Stage):
    """Assembles the matrix of the coarse correction: after the first sweep, and where stiff bodies
    may touch before each of the `steps`. An impact makes new contacts, which the first matrix
    lacks.
    """

    def __init__(self, model, correction, steps):
        super().__init__(model)
        self.correction, self.steps = correction, steps

    def is_due(self, iteration):
        return self._is_due(iteration, self.steps.follows)

    def is_due_when_fixed(self, iteration):
        return self._is_due(iteration, self.steps.follows_when_fixed)

    def _is_due(self, iteration, follows):
        # On the way to an equilibrium bodies rotate too far to reuse a matrix.
        if iteration == 0 or self.model.settings.quasistatic:
            return True
        return self.correction.has_stiff_bodies and follows(iteration)

    def after_sweep(self):
        self.correction.assemble()
