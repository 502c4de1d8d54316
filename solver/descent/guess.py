# SPDX-License-Identifier: GPL-3.0-or-later
"""The safeguards of the adaptive guess (kernels/descent/guess.py): in scenes without contact pairs
early in a substep, and at its end where that is short; in scenes with them before it, of restless
bodies.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.launches import THREADS, play
from ..kernels.descent import guess as kernels
from ..lattice.embedding import collider_step_limits
from ..model.components import make_components
from ..model.stage import RecordedStage

# Fraction of the iterations before the guess is drawn back: they remove the fast part of its error.
BEFORE_GUARD = 0.25
# The end of an iteration is drawn back only if α is below this.
OVERSHOT = 0.98
# In bodies whose over-relaxation is limited below this, the error after a sweep oscillates.
RESTLESS = 1.3


def is_guarded(model):
    """Return whether a scene has a guess to be drawn back."""
    is_adaptive = model.settings.guess == "adaptive"
    return is_adaptive and model.free_count > 0 and model.contact is None


def restless_vertices(model):
    """Return the mask of the free vertices of nearly incompressible cells."""
    restless = np.zeros(model.vertex_count, dtype=bool)
    for kind in model.assembly.kinds:
        if kind.relaxation is not None and kind.volume is not None:
            cells = model.assembly.elements[kind.name]
            restless[cells.corners[kind.relaxation(cells) < RESTLESS]] = True
    return restless[: model.free_count]


class Guard(RecordedStage):
    """Draws positions back to the rigid motion of their components; `residual` gives the forces.

    Connected components with α above `threshold` stay where they are.
    """

    threshold = 1.0

    def __init__(self, model, residual):
        self.residual = residual
        super().__init__(model)

    def record(self):
        model = self.model
        before = wp.clone(model.x)
        in_front = collider_step_limits(model, before, model.x)
        keep = [partial(wp.copy, before, model.x)] if in_front else []
        components = make_components(model.assembly, model.device)
        self.launches = [*keep, *self.back_from(model.x, components, self.threshold), *in_front]

    def back_from(self, x, components, threshold):
        """Launches that draw positions x back; `threshold` is a number, or one per component."""
        model, record, free = self.model, self.model.launches.record, self.model.free_count
        blocks = partial(record, tile_threads=THREADS)
        chunks, count = len(components.weight), len(components.held)
        gravity, h = model.gravity.now, model.settings.step_time
        slope = wp.zeros(free, dtype=wp.vec2, device=model.device)
        threshold = model.upload(np.broadcast_to(threshold, count), float)
        state = [model.x_start, model.velocity, model.acceleration, model.objective.inertia]
        return [
            blocks(kernels.add_moments, chunks, state, [components]),
            blocks(kernels.find_rigid_motion, count, [gravity, h], [components]),
            *self.find_slopes(x, components, slope),
            blocks(kernels.add_slopes, chunks, [slope], [components]),
            blocks(kernels.find_alphas, count, [threshold], [components]),
            record(kernels.draw_back, free, [model.x_start, components], [x]),
        ]

    def find_slopes(self, x, components, slope):
        """Launches that find the `slope` of every vertex on the line from x_r to x; the forces of
        the last step serve at x_r.
        """
        model = self.model
        ends = [x, model.x_start, model.inertial, model.acceleration, model.objective.inertia]
        ends += [self.residual.force, model.gravity.now, model.settings.step_time, components]
        launch = model.launches.record(kernels.find_slopes, model.free_count, ends, [slope])
        return [self.residual.forces_at(x), launch]

    def draw_back(self):
        """Draw them back."""
        play(self.launches)


class GuessGuard(Guard):
    """Draws the guess back after some iterations; after the first with `has_fixed_period`, where
    the error is estimated from the moves that follow.
    """

    def __init__(self, model, residual, has_fixed_period):
        super().__init__(model, residual)
        settings = model.settings
        # Chebyshev extrapolates from sweep to sweep; there must be no jump in between.
        self.at = 0 if settings.is_accelerated else int(BEFORE_GUARD * settings.iterations)
        if has_fixed_period:
            self.at = min(self.at, 1)

    def is_due(self, iteration):
        return iteration == self.at

    def before_sweep(self):
        self.draw_back()


class RestlessGuard(Guard):
    """Draws the guess of components with nearly incompressible cells back where contact is
    possible, before the approach to it: later, the vertices might pass through contacts.

    Sweeps leave an error in such bodies, which a guess that extrapolates it amplifies from step to
    step.
    """

    @staticmethod
    def is_needed(model):
        is_adaptive = model.settings.guess == "adaptive" and model.contact is not None
        return is_adaptive and bool(restless_vertices(model).any())

    def record(self):
        model = self.model
        components = make_components(model.assembly, model.device)
        is_restless = np.zeros(len(components.held), dtype=bool)
        is_restless[components.of.numpy()[restless_vertices(model)]] = True
        # Others keep all of it.
        self.launches = self.back_from(
            model.candidate, components, np.where(is_restless, 1.0, -1.0)
        )

    def begin_step(self):
        self.draw_back()


class LastGuard(Guard):
    """Draws the end of the last iteration back where it overshot: with few coarse iterations fast
    vibrations overshoot, and would gain energy.

    Only where α is below OVERSHOT: a little less would drag all motion, and does not gain energy
    either. The forces at x_r are found there: those of the last step are 0 in the first one, and
    would hold a body for ever that begins under stress.
    """

    threshold = OVERSHOT

    def find_slopes(self, x, components, slope):
        model, record, free = self.model, self.model.launches.record, self.model.free_count
        end, force_at_end = (wp.zeros(free, dtype=wp.vec3, device=model.device) for _ in range(2))
        force = self.residual.force
        aside, ends = [model.x_start, components, force], [x, end, force, force_at_end]
        return [
            self.residual.forces_at(x),
            record(kernels.step_aside, free, aside, [x, end, force_at_end]),
            self.residual.forces_at(x),
            record(kernels.find_slopes_between, free, ends, [slope]),
            partial(wp.copy, x, end, 0, 0, free),
        ]

    def is_due(self, iteration):
        return iteration == self.model.settings.iterations - 1

    def after_sweep(self):
        self.draw_back()
