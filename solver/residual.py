# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the positions are from the minimum of the objective."""

import warp as wp

# The residual is measured in weights under this acceleration [m/s²], whatever the scene's gravity.
STANDARD_GRAVITY = 9.80665


class Residual:
    """Sum of the unbalanced forces |∂G/∂x_i| over the weight of the free vertices."""

    def __init__(self, model):
        self.free = model.free_count
        self.weight = model.assembly.mass[: self.free].sum() * STANDARD_GRAVITY
        self.force = wp.zeros(self.free, dtype=float, device=model.device)
        self.rounding = wp.zeros(self.free, dtype=float, device=model.device)
        self.touching = wp.zeros(self.free, dtype=int, device=model.device)
        self.before = lambda: None  # brings contact forces up to date
        self.record(model)

    def record(self, model):
        """Take over the model's objective, at the start and when it has changed."""
        self.launch = wp.launch(
            model.kernels.residual,
            dim=self.free,
            inputs=[model.x, model.objective],
            outputs=[self.force, self.rounding, self.touching],
            device=model.device,
            record_cmd=True,
        )

    def measure(self):
        """The residual now; 0 when nothing is free."""
        if not self.free:
            return 0.0
        self.before()
        self.launch.launch()
        return float(wp.utils.array_sum(self.force)) / self.weight

    def floor(self):
        """The residual that rounding alone may make, as of the last measurement."""
        return float(wp.utils.array_sum(self.rounding)) / self.weight if self.free else 0.0

    def contacts(self):
        """Vertices that something touches, as of the last measurement."""
        return int((self.touching.numpy() > 0).sum()) if self.free else 0
