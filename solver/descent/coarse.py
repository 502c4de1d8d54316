# SPDX-License-Identifier: GPL-3.0-or-later
"""When the coarse correction comes in (coarse/correction.py)."""

from .accuracy import CYCLE
from .stage import Stage


class CoarseMatrix(Stage):
    """The matrix of the coarse correction, after the first sweep."""

    def __init__(self, model, correction):
        super().__init__(model)
        self.correction = correction

    def is_due(self, iteration):
        # To an equilibrium it is farther than a matrix can be turned.
        return iteration == 0 or (
            self.model.settings.quasistatic and has_step(iteration, self.model.settings)
        )

    def after_sweep(self):
        self.correction.assemble()


class CoarseSteps(Stage):
    """Coarse steps after sweeps 1, 2, 3, 5, 9, 17, …: the smooth part of the error needs no more,
    and the rest of it is left to sweeps, which cost less. To a given accuracy they come in even
    cycles, after sweeps 1, 2, 3, 5, 7, 9, …: all parts of the error shrink evenly by that. To an
    equilibrium one follows every sweep.
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

    def is_due(self, iteration):
        return has_step(iteration, self.model.settings)

    def after_sweep(self):
        self.correction.step()


def has_step(iteration, settings):
    """Whether a coarse step follows an iteration, counted from 0."""
    if settings.quasistatic:
        return True
    if settings.is_cyclic and iteration >= CYCLE:
        return iteration % CYCLE == 0
    return iteration & (iteration - 1) == 0
