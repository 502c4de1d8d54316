# SPDX-License-Identifier: GPL-3.0-or-later
"""Chebyshev acceleration of the sweeps (kernels/descent/chebyshev.py)."""

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.descent import chebyshev as kernels
from ..lattice.embedding import collider_step_limits
from ..model.stage import RecordedStage


def weights(rho, count):
    """Return ω_k [iteration] for a spectral radius ρ (Wang 2015, eq. 9)."""
    omega = np.ones(count)
    for k in range(1, count):
        begin = 2.0 if k == 1 else 4.0
        omega[k] = begin / (begin - rho**2 * omega[k - 1])
    return omega


class Acceleration(RecordedStage):
    """Extrapolates every vertex after every sweep."""

    def __init__(self, model):
        self.before, self.before_last = wp.zeros_like(model.x), wp.zeros_like(model.x)
        settings = model.settings
        self.omega = model.upload(weights(settings.acceleration, settings.iterations), float)
        super().__init__(model)

    def record(self):
        model, record = self.model, self.model.launches.record
        self.extrapolate = record(
            kernels.extrapolate,
            model.free_count,
            [model.iteration, self.omega, model.touched, model.x],
            [model.candidate, self.before, self.before_last],
        )
        self.collider_bounds = []
        if model.contact is None and model.has_analytic_colliders:
            self.end = wp.clone(model.x)
            self.collider_bounds = collider_step_limits(model, self.end, model.x)

    def begin_step(self):
        """The sweeps begin at the guess."""
        wp.copy(self.before, self.model.x)
        wp.copy(self.before_last, self.model.x)

    def after_sweep(self):
        if self.collider_bounds:
            wp.copy(self.end, self.model.x)
        self.extrapolate()
        play(self.collider_bounds)
        self.model.commit(0, self.model.free_count)
