# SPDX-License-Identifier: GPL-3.0-or-later
"""Residual: unbalanced forces at the current positions."""

import math
from functools import partial

import warp as wp

from ..device.launches import play
from ..kernels.report import sums

# The residual is measured in weights under this acceleration [m/s²], whatever the scene's gravity.
STANDARD_GRAVITY = 9.80665
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


class Residual:
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices.

    `force` [vertex] holds −∂G/∂x_i [N] after `find_forces`, and `touching` [free vertex] the number
    of contacts. `norm` [1] is the residual of the last `find`, `least` [1] its part by rounding,
    and `before` [1] the residual of the last `find_before`; all are 0 without free vertices.
    """

    def __init__(self, model):
        self.model, self.free = model, model.free_count
        device = model.device
        self.force = wp.zeros(len(model.x), dtype=wp.vec3, device=device)
        self.rounding = wp.zeros(self.free, dtype=float, device=device)
        self.touching = wp.zeros(self.free, dtype=int, device=device)
        self.norm, self.least, self.before = (
            wp.zeros(1, dtype=wp.float64, device=device) for _ in range(3)
        )
        self.revisions, self.at_now = model.revisions, self.forces_at(model.x)
        self.add_up = self._sums()

    def forces_at(self, x):
        """Return a launch that finds the forces at positions x [m]."""
        model = self.model
        launch = model.launches.record(
            model.kernels.residual,
            self.free,
            [x, model.objective, model.elements],
            [self.force, self.rounding, self.touching],
            cost=model.work[: self.free].mean() if self.free else 0.0,
        )
        if not model.rigid:
            return launch
        return partial(play, [launch, model.rigid.projecting(x, self.force)])

    def _sums(self):
        """Return launches that sum up the current forces."""
        if not self.free:
            return []
        record = self.model.launches.record
        weight = self.model.assembly.mass[: self.free].sum() * STANDARD_GRAVITY
        count = -(-self.free // sums.CHUNK)
        chunks = wp.zeros(count, dtype=wp.vec2d, device=self.model.device)
        inputs = [self.free, self.force, self.rounding]
        totals, each = [self.norm, self.least], VERTEX * sums.CHUNK
        return [
            record(sums.add_forces, count, inputs, [chunks], each),
            record(sums.find_residual, 1, [chunks, wp.float64(weight)], totals),
        ]

    def find_forces(self):
        """Find the forces at the current positions, with contacts as of their last refresh."""
        if self.revisions != self.model.revisions:
            self.revisions, self.at_now = self.model.revisions, self.forces_at(self.model.x)
            self.add_up = self._sums()
        self.at_now()

    def find(self):
        """Find the current `norm` and `least`."""
        if self.model.contact is not None:
            self.model.contact.refresh()
        self.find_forces()
        play(self.add_up)

    def find_before(self, x):
        """Find `before`, at other positions [m], with the current contacts and multipliers."""
        self.forces_at(x)()
        play(self.add_up)
        wp.copy(self.before, self.norm)

    @property
    def reported(self):
        """Arrays that a frame reports: see `Statistics`."""
        return {"residual": self.norm, "rounding": self.least, "residual_before": self.before}


def decay(halfway, end, count, done):
    """Return the factor per iteration of the residual, from half of `count` to those `done`."""
    steps = done - (count + 1) // 2
    if steps < 1 or not (halfway > 0.0 and end > 0.0):
        return math.nan
    return (end / halfway) ** (1.0 / steps)
