# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the iterations of a substep are enough, and how they have converged."""

import math

from ..report.position_error import PositionError

# Iterations between two looks at the residual where a tolerance may end the substep.
LOOK = 10


class Convergence:
    """How one substep converges.

    `done` iterations it has taken, `is_met` tells whether they met the tolerance. Of a watched
    substep `halfway` is the residual after half of the iterations, and `error` estimates that of
    the positions.
    """

    def __init__(self, model, residual):
        self.settings, self.residual = model.settings, residual
        self.error = PositionError(model)
        self.halfway, self.done, self.is_met, self.is_watched = math.nan, 0, False, False

    def begin_step(self, is_watched):
        """Begin a substep."""
        self.halfway, self.is_watched = math.nan, is_watched

    def is_enough(self, iteration):
        """Look at the state after an iteration, where that is due; True ends the substep."""
        count, tolerance = self.settings.iterations, self.settings.tolerance
        done = self.done = iteration + 1
        if self.is_watched:
            self.error.look(done, count)
            if done == (count + 1) // 2:
                self.halfway = self.residual.measure()
        self.is_met = False
        if tolerance > 0.0 and done % LOOK == 0:
            self.is_met = self.residual.measure() < max(tolerance, self.residual.floor())
        return self.is_met or done == count
