# SPDX-License-Identifier: GPL-3.0-or-later
"""Chebyshev acceleration of the sweeps (kernels/chebyshev.py), and how much of it is safe."""

import math

import numpy as np
import warp as wp

from ..kernels.chebyshev import extrapolate
from ..report.residual import decay
from .stage import RecordedStage

# Substeps from one estimate of ρ to the next; the one that measures is not accelerated.
ESTIMATE = 8
# The estimate of ρ stays below this: nearer to 1, Chebyshev amplifies what it has wrong.
HIGHEST_ESTIMATE = 0.995


class Acceleration(RecordedStage):
    """Extrapolates every vertex after every sweep; what did not converge so is done again without.

    The last stage, for it keeps what all others have begun with.
    """

    def __init__(self, model, residual):
        self.residual, self.settings = residual, model.settings
        self.rho, self.substep, self.is_on = self.settings.acceleration, 0, False
        self.before, self.before_last = wp.zeros_like(model.x), wp.zeros_like(model.x)
        self.omega = model.upload(self._weights(), float)
        super().__init__(model)

    def record(self):
        model = self.model
        self.carried = model.carried
        self.begun = [wp.zeros_like(array) for array in self.carried]
        self.extrapolate = [
            model.launches.record(
                extrapolate,
                model.free_count,
                [iteration, self.omega, model.touched, model.x],
                [model.candidate, self.before, self.before_last],
            )
            for iteration in range(self.settings.iterations)
        ]

    def _weights(self):
        """ω_k [iteration] for the ρ of now (Wang 2015, eq. 9)."""
        weights = np.ones(self.settings.iterations)
        for k in range(1, len(weights)):
            begin = 4.0 - 2.0 * (k == 1)
            weights[k] = begin / (begin - self.rho**2 * weights[k - 1])
        return weights

    def keep(self):
        """Keep what is known of ρ; returns what brings it back."""
        rho, substep = self.rho, self.substep

        def bring_back():
            self.rho, self.substep = rho, substep
            self.omega.assign(self._weights())

        return bring_back

    def begin_step(self, _fraction):
        """Keep the state before the first sweep."""
        self.renew()
        self.is_on = not self.settings.estimate_acceleration or self.substep % ESTIMATE > 0
        self.substep += 1
        if self.is_on:
            for begun, array in zip(self.begun, self.carried, strict=True):
                wp.copy(begun, array)
            wp.copy(self.before, self.model.x)
            wp.copy(self.before_last, self.model.x)
            self.begin = self.residual.measure()

    def after_sweep(self, iteration):
        if self.is_on:
            self.extrapolate[iteration]()
            self.model.commit(0, self.model.free_count)

    def must_start_over(self, convergence):
        """Whether the residual has not fallen all the way: then everything is back at the start,
        and this stage is off. After a substep that measures, ρ is taken from how it fell.
        """
        if not self.is_on:
            self.rho = self._estimate(convergence)
            self.omega.assign(self._weights())
            return False
        if convergence.is_met:
            return False
        # Written so that a residual that is not a number, or infinite, falls back too.
        end, floor = self.residual.measure(), self.residual.floor()
        fell = end <= max(self.begin, floor) and end <= max(convergence.halfway, floor)
        if fell and math.isfinite(end):
            return False
        self._go_back()
        return True

    def _go_back(self):
        for begun, array in zip(self.begun, self.carried, strict=True):
            wp.copy(array, begun)
        if self.model.contact is not None:
            self.model.contact.search()
        self.is_on = False

    def _estimate(self, convergence):
        """ρ of plain sweeps from the fall of the residual over the second half."""
        end, count = self.residual.measure(), self.settings.iterations
        if convergence.done < count or convergence.halfway <= self.residual.floor():
            return 0.0  # converged as it is: what is left is rounding, and has no rate
        rate = decay(convergence.halfway, end, count, convergence.done)
        return min(rate, HIGHEST_ESTIMATE) if math.isfinite(rate) else 0.0
