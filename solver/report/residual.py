# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the positions are from the minimum of the objective."""

import numpy as np
import warp as wp

from ..device.threads import recorded

# The residual is measured in weights under this acceleration [m/s²], whatever the scene's gravity.
STANDARD_GRAVITY = 9.80665


class Residual:
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices.

    `force` [vertex] holds −∂G/∂x_i [N] after `find_forces`.
    """

    def __init__(self, model, workers):
        self.workers, self.free = workers, model.free_count
        self.weight = model.assembly.mass[: self.free].sum() * STANDARD_GRAVITY
        self.force = wp.zeros(len(model.x), dtype=wp.vec3, device=model.device)
        self.rounding = wp.zeros(self.free, dtype=float, device=model.device)
        self.touching = wp.zeros(self.free, dtype=int, device=model.device)
        self.before = lambda: None  # brings contact forces up to date
        self.record(model)

    def record(self, model):
        """Take over the model's objective, at the start and when it has changed."""
        self.model = model
        if self.free:
            self.launches = self._launches(model.x)

    def _launches(self, x):
        model = self.model
        return recorded(
            self.workers,
            model.device,
            model.kernels.residual,
            self.free,
            [x, model.objective, model.elements],
            [self.force, self.rounding, self.touching, model.lists.closing],
            model.work[: self.free].mean(),
        )

    def find_forces(self):
        """The forces at the positions of now, with contacts as they were last looked at."""
        self.workers.run(self.launches)

    def measure(self):
        """The residual now; 0 when nothing is free."""
        if not self.free:
            return 0.0
        self.before()
        self.find_forces()
        return self._norm()

    def measure_at(self, x):
        """The residual at other positions [m], with contacts and multipliers as they are now."""
        if not self.free:
            return 0.0
        self.workers.run(self._launches(x))
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
