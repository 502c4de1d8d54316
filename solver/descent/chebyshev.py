# SPDX-License-Identifier: GPL-3.0-or-later
"""Chebyshev acceleration of the sweeps (kernels/chebyshev.py), and how much of it is safe."""

import warp as wp

from ..device.flow import when
from ..device.launches import play
from ..kernels import chebyshev as kernels
from ..scene.embedding import steps_in_front
from .stage import RecordedStage

# Substeps from one estimate of ρ to the next; the one that measures is not accelerated.
ESTIMATE = 8
# The estimate of ρ stays below this: nearer to 1, Chebyshev amplifies what it has wrong.
HIGHEST_ESTIMATE = 0.995


class Acceleration(RecordedStage):
    """Extrapolates every vertex after every sweep; what did not converge so is done again without:
    then `starts_over` [1] is set after `judge`.

    The last stage, for it saves what all others have begun with.
    """

    state_name = "chebyshev"

    def __init__(self, model, residual, convergence):
        self.residual, self.convergence, self.settings = residual, convergence, model.settings
        device, count = model.device, model.settings.iterations
        self.before, self.before_last = wp.zeros_like(model.x), wp.zeros_like(model.x)
        self.omega = wp.zeros(count, dtype=float, device=device)
        self.rho = model.upload([model.settings.acceleration], wp.float64)
        self.residual_before = wp.zeros(1, dtype=wp.float64, device=device)
        self.substep, self.is_on, self.is_open, self.measures, self.starts_over = (
            wp.zeros(1, dtype=int, device=device) for _ in range(5)
        )
        # What passes from step to step.
        self.kept = {"substep": self.substep, "rho": self.rho}
        super().__init__(model)

    def record(self):
        model, record = self.model, self.model.launches.record
        self.carried = model.carried
        self.saved = [wp.zeros_like(array) for array in self.carried]
        every = ESTIMATE if self.settings.estimate_acceleration else 0
        flags = [self.substep, self.is_on, self.starts_over]
        self.begin = record(kernels.begin, 1, [every], flags)
        self.extrapolate = record(
            kernels.extrapolate,
            model.free_count,
            [model.iteration, self.omega, model.touched, model.x],
            [model.candidate, self.before, self.before_last],
        )
        self.in_front = []
        if model.contact is None and model.has_analytic_colliders:
            self.end = wp.clone(model.x)
            self.in_front = steps_in_front(model, self.end, model.x)
        self.find_weights = record(kernels.find_weights, 1, [self.rho], [self.omega])
        self._record_judgement()

    def _record_judgement(self):
        record, residual, converged = self.model.launches.record, self.residual, self.convergence
        norms = [converged.at_half, residual.norm, residual.least]
        ways = [self.is_open, self.measures]
        self.find_ways = record(kernels.look, 1, [self.is_on, converged.iterations.is_met], ways)
        outcome = [self.is_on, self.starts_over]
        self.compare = record(kernels.compare, 1, [self.residual_before, *norms], outcome)
        inputs = [self.settings.iterations, self.model.iteration, *norms]
        inputs.append(wp.float64(HIGHEST_ESTIMATE))
        self.estimate = record(kernels.estimate, 1, inputs, [self.rho])

    def begin_step(self):
        """Save the state before the first sweep."""
        self.begin()
        self.find_weights()
        when(self.is_on, self._save)

    def _save(self):
        for saved, array in zip(self.saved, self.carried, strict=True):
            wp.copy(saved, array)
        wp.copy(self.before, self.model.x)
        wp.copy(self.before_last, self.model.x)
        self.residual.find()
        wp.copy(self.residual_before, self.residual.norm)

    def after_sweep(self):
        when(self.is_on, self._go_on)

    def _go_on(self):
        if self.in_front:
            wp.copy(self.end, self.model.x)
        self.extrapolate()
        play(self.in_front)
        self.model.commit(0, self.model.free_count)

    def judge(self):
        """Start over where the residual has not fallen all the way: then everything is back at the
        start, and this stage is off. After a substep that measures, take ρ from how it fell.
        """
        self.find_ways()
        when(self.is_open, self._compare)
        when(self.measures, self._estimate)

    def _compare(self):
        self.residual.find()
        self.compare()
        when(self.starts_over, self._go_back)

    def _go_back(self):
        for saved, array in zip(self.saved, self.carried, strict=True):
            wp.copy(array, saved)
        if self.model.contact is not None:
            self.model.contact.search()

    def _estimate(self):
        self.residual.find()
        self.estimate()
