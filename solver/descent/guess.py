# SPDX-License-Identifier: GPL-3.0-or-later
"""The safeguards of the adaptive guess (kernels/descent/guess.py): those of scenes without contact
pairs, and that of restless bodies in scenes with them.
"""

from functools import partial

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.descent import guess as kernels
from ..lattice.embedding import steps_in_front
from ..model.components import make_linkages, rigid_motions
from ..model.stage import RecordedStage

# Part of the iterations before the guess is drawn back: what they settle is no reason to do so.
BEFORE_GUARD = 0.25
# An iteration that would only go back to this part of its path stays where it is.
OVERSHOT = 0.98
# Bodies whose over-relaxation is held below this turn what sweeps leave of them in a circle.
RESTLESS = 1.3


def is_guarded(model):
    """Whether a scene has a guess to be drawn back."""
    is_adaptive = model.settings.guess == "adaptive"
    return is_adaptive and model.free_count > 0 and model.contact is None


def restless_vertices(model):
    """Which free vertices belong to nearly incompressible cells."""
    restless = np.zeros(model.vertex_count, dtype=bool)
    for kind in model.assembly.kinds:
        if kind.relaxation is not None and kind.volume is not None:
            cells = model.assembly.elements[kind.name]
            restless[cells.corners[kind.relaxation(cells) < RESTLESS]] = True
    return restless[: model.free_count]


class Guard(RecordedStage):
    """What draws a state back to the rigid motion of its linkages; `residual` gives the forces."""

    def __init__(self, model, residual):
        self.residual = residual
        super().__init__(model)

    def record(self):
        model = self.model
        self.linkages = make_linkages(model.assembly, model.device)
        self.slope = wp.zeros(model.free_count, dtype=wp.vec2, device=model.device)
        self.before = wp.clone(model.x)
        state = [model.x_start, model.velocity, model.acceleration, model.objective.inertia]
        gravity, step_time = model.gravity.now, model.settings.step_time
        rigid = rigid_motions(model.launches, self.linkages, state, gravity, step_time)
        self.launches = [*rigid, *self.record_guard()]

    def record_guard(self):
        """What follows when the rigid motions are known."""
        raise NotImplementedError

    def find_guess_slopes(self, guess):
        """A launch that finds the slopes along the way to a guess, from the forces there."""
        model = self.model
        inputs = [guess, model.x_start, model.inertial, model.acceleration]
        inputs += [model.objective.inertia, self.residual.force, model.gravity.now]
        inputs += [model.settings.step_time, self.linkages]
        kernel = kernels.find_guess_slopes
        return model.launches.record(kernel, model.free_count, inputs, [self.slope])

    def find_alphas(self, kept):
        """Launches that find how far each linkage goes back; all the way on from `kept`, a number
        or one of each."""
        model, linkages, record = self.model, self.linkages, self.model.launches.record
        chunks, count = len(linkages.weight), len(linkages.held)
        kept = model.upload(np.broadcast_to(kept, count), float)
        return [
            record(kernels.add_slopes, chunks, [self.slope], [linkages]),
            record(kernels.find_alphas, count, [kept], [linkages]),
        ]

    def way_back(self, kept, end):
        """Launches that go back from `end` as far as the slopes ask for."""
        model, linkages, record = self.model, self.linkages, self.model.launches.record
        inputs, launches = [model.x_start, linkages, end], self.find_alphas(kept)
        if model.has_analytic_colliders:
            launches.append(partial(wp.copy, self.before, model.x))
            launches.append(partial(wp.copy, self.before, end, 0, 0, model.free_count))
        launches.append(record(kernels.draw_back, model.free_count, inputs, [model.x]))
        return [*launches, *steps_in_front(model, self.before, model.x)]

    def draw_back(self):
        """Draw the positions of now back."""
        play(self.launches)


class GuessGuard(Guard):
    """Draws the guess back after some iterations; soon where cycles `are_even`, whose moves are
    measured from there on.
    """

    def __init__(self, model, residual, are_even):
        super().__init__(model, residual)
        settings = model.settings
        # Chebyshev extrapolates from sweep to sweep, and must not meet a jump in between.
        self.at = 0 if settings.is_accelerated else int(BEFORE_GUARD * settings.iterations)
        if are_even:
            self.at = min(self.at, 1)

    def record_guard(self):
        model = self.model
        slopes, back = self.find_guess_slopes(model.x), self.way_back(1.0, model.x)
        return [self.residual.find_forces, slopes, *back]

    def is_due(self, iteration):
        return iteration == self.at

    def before_sweep(self):
        self.draw_back()


class RestlessGuard(Guard):
    """Draws the guess of linkages with nearly incompressible cells back where contacts may be,
    before it is approached: later would lead through what has been found.

    Sweeps leave of such bodies what a guess that goes on with their motion makes larger from step
    to step.
    """

    @staticmethod
    def is_needed(model):
        is_adaptive = model.settings.guess == "adaptive" and model.contact is not None
        return is_adaptive and bool(restless_vertices(model).any())

    def record_guard(self):
        model, record = self.model, self.model.launches.record
        is_restless = np.zeros(len(self.linkages.held), dtype=bool)
        is_restless[self.linkages.of.numpy()[restless_vertices(model)]] = True
        back = [model.x_start, self.linkages, model.candidate]
        return [
            self.residual.forces_at(model.candidate),
            self.find_guess_slopes(model.candidate),
            # Others keep all of it.
            *self.find_alphas(np.where(is_restless, 1.0, -1.0)),
            record(kernels.draw_back, model.free_count, back, [model.candidate]),
        ]

    def begin_step(self):
        self.draw_back()


class LastGuard(Guard):
    """Draws the end of the last iteration back where it overshot: in few coarse iterations fast
    vibrations do, and would gain energy.

    The same along the same path, but with the forces at both of its ends, and only where α is below
    OVERSHOT: a little less would drag all motion, and does not gain energy either.
    """

    def record_guard(self):
        model, force, record = self.model, self.residual.force, self.model.launches.record
        free = model.free_count
        end, force_at_end = (wp.zeros(free, dtype=wp.vec3, device=model.device) for _ in range(2))
        aside = [model.x_start, self.linkages, force]
        ends = [model.x, end, force, force_at_end]
        return [
            self.residual.find_forces,
            record(kernels.step_aside, free, aside, [model.x, end, force_at_end]),
            self.residual.find_forces,
            record(kernels.find_slopes, free, ends, [self.slope]),
            *self.way_back(OVERSHOT, end),
        ]

    def is_due(self, iteration):
        return iteration == self.model.settings.iterations - 1

    def after_sweep(self):
        self.draw_back()
