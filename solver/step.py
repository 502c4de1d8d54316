# SPDX-License-Identifier: GPL-3.0-or-later
"""One substep of vertex block descent."""

from itertools import pairwise

import numpy as np
import warp as wp

from .augmentation import StiffSprings
from .guess import guard_launches
from .iterations import Iterations
from .kernels.damping import move_rest_values
from .kernels.detection import find_contacts
from .kernels.motion import ADAPTIVE, INERTIA, INERTIA_ACCELERATION, PREVIOUS, begin_step, end_step

INITIAL_GUESS = {
    "previous": PREVIOUS,
    "inertia": INERTIA,
    "inertia_acceleration": INERTIA_ACCELERATION,
    "adaptive": ADAPTIVE,
}
# Fewer iterations than these are not relaxed.
SETTLING = 3
# Part of the iterations before the guess is drawn back: what they settle is no reason to do so.
BEFORE_GUARD = 0.25
# Split a range between CPU threads when one thread would take longer than this [ns].
WORTH_SPLITTING = 150e3


class Stepper:
    """The launches of a substep, recorded once; `step()` plays them."""

    def __init__(self, model, collisions, pins, ties, tearing, residual, settings, workers):
        self.model, self.collisions, self.pins, self.ties = model, collisions, pins, ties
        self.tearing, self.residual = tearing, residual
        self.stiff_springs = StiffSprings(model, settings)
        self.settings, self.workers = settings, workers
        # Chebyshev extrapolates plain sweeps, and multipliers need them too: relaxed, they grow.
        # So does a substep that is too short to settle what relaxation overshoots.
        chebyshev = settings.acceleration > 0.0 or settings.estimate_acceleration
        short = settings.iterations < SETTLING and not settings.quasistatic
        omega = 1.0 if chebyshev or short else settings.relaxation
        self.no_extrapolation = model.upload(model.augmented.astype(np.int32), int)
        self.relaxation = model.upload(np.where(model.augmented, 1.0, omega), float)
        self.iterations = Iterations(
            model,
            residual,
            settings,
            self.sweep,
            carried=[*ties.carried(), *self.stiff_springs.carried(), model.depth],
        )
        guess = "previous" if settings.quasistatic else settings.initial_guess
        self.begin = self._record(
            begin_step,
            model.vertex_count,
            [
                wp.vec3(*settings.gravity),
                settings.step_time,
                INITIAL_GUESS[guess],
                model.velocity,
            ],
            [model.x, model.x_start, model.inertial, model.last_velocity, model.acceleration],
        )
        # Chebyshev extrapolates from sweep to sweep, and must not meet a jump on the way.
        self.guard_at = 0 if chebyshev else int(BEFORE_GUARD * settings.iterations)
        self.guarded = guess == "adaptive" and model.free_count > 0
        self.end = self._record(
            end_step,
            model.vertex_count,
            [settings.step_time, model.x, model.x_start],
            [model.velocity],
        )
        self.find_contacts = (
            self._record_range(
                find_contacts,
                (0, model.free_count),
                [
                    model.x,
                    model.x_start,
                    model.inertial,
                    model.thickness,
                    model.friction,
                    collisions.struct,
                ],
                [model.depth, model.contacts],
            )
            if collisions.slots
            else []
        )
        self._record_elements()

    def _record_elements(self):
        """The launches that know the elements: again when tearing has changed them."""
        model, kernels = self.model, self.model.kernels
        self.move_rest_values = (
            self._record_range(
                move_rest_values,
                (0, model.free_count),
                [model.x_start, model.damping, model.elements],
                [],
            )
            if model.damped
            else []
        )
        self.guard = (
            guard_launches(model, self.settings, self._record, self._record_range)
            if self.guarded
            else []
        )
        self.colors = [
            self._record_range(
                kernels.search if self.settings.line_search else kernels.solve,
                color,
                [model.objective, self.relaxation],
                [model.x, model.touched, model.rejected],
            )
            for color in pairwise(model.color_start)
        ]

    def _record(self, kernel, count, inputs, outputs):
        return wp.launch(
            kernel,
            dim=count,
            inputs=inputs,
            outputs=outputs,
            device=self.model.device,
            record_cmd=True,
        )

    def _record_range(self, kernel, vertices, inputs, outputs):
        """Launches that cover a range of vertices, one per thread when that pays."""
        first, last = vertices
        work = np.cumsum(self.model.work[first:last])
        parts = 1
        if self.model.device.is_cpu and len(work) and work[-1] > WORTH_SPLITTING:
            parts = min(self.workers.count, int(work[-1] / WORTH_SPLITTING) + 1)
        total = work[-1] if len(work) else 0.0
        cuts = np.searchsorted(work, np.arange(1, parts) * total / parts) + first
        bounds = [first, *cuts.tolist(), last]
        return [
            self._record(kernel, int(b - a), [int(a), *inputs], outputs).launch
            for a, b in pairwise(bounds)
            if b > a
        ]

    def _run(self, launches):
        if len(launches) > 1:
            self.workers.run(launches)
        elif launches:
            launches[0]()

    def sweep(self, iteration):
        """Visit every free vertex once, color by color."""
        if iteration == self.guard_at:
            for launches in self.guard:
                self._run(launches)
        if iteration % self.settings.collision_interval == 0:
            self._run(self.find_contacts)
        for color in self.colors:
            self._run(color)
        self.ties.after_sweep(self.model.x)
        self.stiff_springs.after_sweep()

    def step(self, substep):
        """Advance by one substep, number `substep` of the frame, counted from 1."""
        count = self.settings.substeps
        self.collisions.move(substep / count)
        self.begin.launch()
        self._run(self.move_rest_values)
        self.pins.move(substep / count, self.model.x)
        self.ties.move(substep / count)
        self.stiff_springs.begin_step()
        wp.copy(self.model.touched, self.no_extrapolation)
        self.iterations.run(watched=substep == count)
        self.ties.after_step(self.model.x)
        self.end.launch()
        if self.tearing.after_step(self.model):
            self.residual.record(self.model)
            self._record_elements()
