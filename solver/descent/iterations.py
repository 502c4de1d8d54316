# SPDX-License-Identifier: GPL-3.0-or-later
"""The iterations of one substep: plain or over-relaxed sweeps, or sweeps with Chebyshev."""

import math

import warp as wp

from ..kernels.chebyshev import extrapolate
from ..report.position_error import PositionError

# Substeps from one estimate of ρ to the next; the one that measures is not accelerated.
ESTIMATE = 8
# Iterations between two looks at the residual where a tolerance may end the substep.
LOOK = 10
# The estimate of ρ stays below this: nearer to 1, Chebyshev amplifies what it has wrong.
HIGHEST_ESTIMATE = 0.995


class Iterations:
    """Runs `sweep` up to `settings.iterations` times; knows how the residual fell.

    `carried` are arrays that sweeps change besides the positions: multipliers, sides of contacts.
    `pairs` are the contact pairs, if there are any: they truncate what is extrapolated, and
    `search()` finds them anew.
    `sweep(iteration)` visits every vertex once. `halfway` is the residual after half of the
    iterations of a watched substep, `done` how many it took.
    """

    def __init__(self, model, residual, settings, sweep, carried=(), pairs=None, search=None):
        self.model, self.residual, self.settings, self.sweep = model, residual, settings, sweep
        self.error = PositionError(model)
        self.pairs, self.search = pairs, search
        wanted = settings.acceleration > 0.0 or settings.estimate_acceleration
        self.accelerated = wanted and model.free_count > 0
        self.rho = settings.acceleration
        self.halfway, self.done, self.substep = math.nan, 0, 0
        if self.accelerated:
            self.carried = [model.x, *carried]
            self.kept = [wp.zeros_like(array) for array in self.carried]
            self.before = wp.zeros_like(model.x)
            self.before_last = wp.zeros_like(model.x)
            self.extrapolate = wp.launch(
                extrapolate,
                dim=model.free_count,
                inputs=[1.0, model.touched, model.x],
                outputs=[pairs.candidate if pairs else model.x, self.before, self.before_last],
                device=model.device,
                record_cmd=True,
            )

    def run(self, watched):
        """Iterate one substep; of a watched one the decay is known afterwards."""
        self.halfway = math.nan
        measures = self.settings.estimate_acceleration and self.substep % ESTIMATE == 0
        self.substep += 1
        if not self.accelerated:
            self._plain(watched)
        elif measures:
            self._plain(watched=True)
            self.rho = self._estimate()
        else:
            self._chebyshev()

    def _plain(self, watched):
        count = self.settings.iterations
        for iteration in range(count):
            self.sweep(iteration)
            if self._ends(iteration, watched, count):
                break

    def _ends(self, iteration, watched, count):
        """Look at the residual where that is due; True when the tolerance is met."""
        done = self.done = iteration + 1
        if watched:
            self.error.look(done, count)
        if watched and done == (count + 1) // 2:
            self.halfway = self.residual.measure()
        if self.settings.tolerance > 0.0 and done % LOOK == 0:
            residual = self.residual.measure()
            return residual < max(self.settings.tolerance, self.residual.floor())
        return False

    def _estimate(self):
        """ρ of plain sweeps from the fall of the residual over the second half."""
        end = self.residual.measure()
        if self.done < self.settings.iterations or self.halfway <= self.residual.floor():
            return 0.0  # converged as it is: what is left is rounding, and has no rate
        rate = decay(self.halfway, end, self.settings.iterations, self.done)
        return min(rate, HIGHEST_ESTIMATE) if math.isfinite(rate) else 0.0

    def _chebyshev(self):
        """Accelerated sweeps; done again without when the residual does not fall all the way."""
        for kept, array in zip(self.kept, self.carried, strict=True):
            wp.copy(kept, array)
        wp.copy(self.before, self.model.x)
        wp.copy(self.before_last, self.model.x)
        begin = self.residual.measure()
        omega, count = 1.0, self.settings.iterations
        for iteration in range(count):
            self.sweep(iteration)
            if iteration == 1:
                omega = 2.0 / (2.0 - self.rho**2)
            elif iteration > 1:
                omega = 4.0 / (4.0 - self.rho**2 * omega)
            self.extrapolate.set_param_by_name("omega", omega)
            self.extrapolate.launch()
            if self.pairs:
                self.pairs.settle(0, self.model.free_count)
            if self._ends(iteration, True, count):
                return
        # Written so that a residual that is not a number, or infinite, falls back too.
        end, floor = self.residual.measure(), self.residual.floor()
        fell = end <= max(begin, floor) and end <= max(self.halfway, floor)
        if not (fell and math.isfinite(end)):
            for kept, array in zip(self.kept, self.carried, strict=True):
                wp.copy(array, kept)
            if self.pairs:
                self.search()
            self._plain(watched=True)


def decay(halfway, end, count, done):
    """Factor by which an iteration shrank the residual from half of `count` to those `done`."""
    steps = done - (count + 1) // 2
    if steps < 1 or not (halfway > 0.0 and end > 0.0):
        return math.nan
    return (end / halfway) ** (1.0 / steps)
