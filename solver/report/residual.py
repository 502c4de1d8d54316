# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the positions are from the minimum of the objective."""

import math

import warp as wp

from ..device.launches import play
from ..kernels.report import sums

# The residual is measured in weights under this acceleration [m/s²], whatever the scene's gravity.
STANDARD_GRAVITY = 9.80665
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


class Residual:
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices.

    `force` [vertex] holds −∂G/∂x_i [N] after `find_forces`, and `touching` [free vertex] says what
    contacts act on. `norm` [1] is the residual as of the last `find`, `least` [1] what rounding
    alone leaves of it, and `before` [1] that of the last `find_before`; 0 when nothing is free.
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
        """A launch that finds the forces at positions x [m]."""
        model = self.model
        return model.launches.record(
            model.kernels.residual,
            self.free,
            [x, model.objective, model.elements],
            [self.force, self.rounding, self.touching],
            cost=model.work[: self.free].mean() if self.free else 0.0,
        )

    def _sums(self):
        """Launches that add up the forces of now."""
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
        """The forces at the positions of now, with contacts as they were last looked at."""
        if self.revisions != self.model.revisions:
            self.revisions, self.at_now = self.model.revisions, self.forces_at(self.model.x)
        self.at_now()

    def find(self):
        """`norm` and `least` of now."""
        if self.model.contact is not None:
            self.model.contact.refresh()
        self.find_forces()
        play(self.add_up)

    def find_before(self, x):
        """`before`, at other positions [m], with contacts and multipliers as they are now."""
        self.forces_at(x)()
        play(self.add_up)
        wp.copy(self.before, self.norm)

    @property
    def reported(self):
        """What a frame tells: see `Statistics`."""
        return {"residual": self.norm, "rounding": self.least, "residual_before": self.before}


def decay(halfway, end, count, done):
    """Factor by which an iteration shrank the residual from half of `count` to those `done`."""
    steps = done - (count + 1) // 2
    if steps < 1 or not (halfway > 0.0 and end > 0.0):
        return math.nan
    return (end / halfway) ** (1.0 / steps)
