# SPDX-License-Identifier: GPL-3.0-or-later
"""When the coarse correction comes in (coarse/correction.py)."""

from .stage import Stage


class CoarseSteps(Stage):
    """Coarse steps after sweeps 1, 2, 3, 5, 9, 17, …: the smooth part of the error needs no more,
    and the rest of it is left to sweeps, which cost less.
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

    def after_sweep(self, iteration):
        if iteration & (iteration - 1) == 0:
            # To an equilibrium it is farther than a matrix can be turned.
            if iteration == 0 or self.model.settings.quasistatic:
                self.correction.assemble()
            self.correction.step()
