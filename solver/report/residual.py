# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the positions are from the minimum of the objective."""

import math

import numpy as np
import warp as wp

# The residual is measured in weights under this acceleration [m/s²], whatever the scene's gravity.
STANDARD_GRAVITY = 9.80665


class Residual:
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices.

    `force` [vertex] holds −∂G/∂x_i [N] after `find_forces`.
    """

    def __init__(self, model):
        self.model, self.free = model, model.free_count
        self.weight = model.assembly.mass[: self.free].sum() * STANDARD_GRAVITY
        self.force = wp.zeros(len(model.x), dtype=wp.vec3, device=model.device)
        self.rounding = wp.zeros(self.free, dtype=float, device=model.device)
        self.touching = wp.zeros(self.free, dtype=int, device=model.device)
        self.revisions, self.at_now = model.revisions, self._launch(model.x)

    def _launch(self, x):
        """Finds the forces at positions x [m]."""
        model = self.model
        return model.launches.record(
            model.kernels.residual,
            self.free,
            [x, model.objective, model.elements],
            [self.force, self.rounding, self.touching, model.lists.closing],
            cost=model.work[: self.free].mean() if self.free else 0.0,
        )

    def find_forces(self):
        """The forces at the positions of now, with contacts as they were last looked at."""
        if self.revisions != self.model.revisions:
            self.revisions, self.at_now = self.model.revisions, self._launch(self.model.x)
        self.at_now()

    def measure(self):
        """The residual now; 0 when nothing is free."""
        if not self.free:
            return 0.0
        if self.model.contact is not None:
            self.model.contact.refresh()
        self.find_forces()
        return self._norm()

    def measure_at(self, x):
        """The residual at other positions [m], with contacts and multipliers as they are now."""
        if not self.free:
            return 0.0
        self._launch(x)()
        return self._norm()

    def _norm(self):
        force = self.force.numpy()[: self.free]
        return float(np.sqrt((force * force).sum(axis=1)).sum(dtype=float)) / self.weight

    def floor(self):
        """The residual that rounding alone may make, as of the last measurement."""
        return float(wp.utils.array_sum(self.rounding)) / self.weight if self.free else 0.0

    def contacts(self):
        """Vertices that something touches, as of the last measurement."""
        return int((self.touching.numpy() > 0).sum()) if self.free else 0


def decay(halfway, end, count, done):
    """Factor by which an iteration shrank the residual from half of `count` to those `done`."""
    steps = done - (count + 1) // 2
    if steps < 1 or not (halfway > 0.0 and end > 0.0):
        return math.nan
    return (end / halfway) ** (1.0 / steps)
