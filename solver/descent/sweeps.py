# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps: every free vertex takes its own Newton step, color by color (VBD 2024, §3.1)."""

from itertools import pairwise

import numpy as np
import warp as wp

from ..device.launches import SharedLaunches
from ..model.stage import RecordedStage, Stage

# Rough cost in a visit of a point of the surface that a vertex carries, and of a pair of that [ns].
CARRIED, PAIR = 20.0, 8.0


def visit_costs(model):
    """Nanoseconds [vertex] of a visit: `Model.work`, and what contacts add where all have as many.
    A corner of a lattice carries a dozen points of the surface.
    """
    if model.contact is None:
        return model.work
    surface = model.surface
    _, corners, _ = surface.points.parents()
    carried = np.bincount(corners, minlength=model.vertex_count)
    carried += ~surface.hidden[: model.vertex_count]
    pairs = 4.0 * model.lists.expected / max(len(surface.vertices), 1)
    return model.work + carried * (CARRIED + PAIR * pairs)


class PlainFirstSweep(Stage):
    """Takes the first sweep without over-relaxation, from where nobody has moved yet.

    There a vertex lacks all of its way. Over-relaxed, what hardly holds on to others would go to
    and fro: n sweeps leave it (1 − ω)ⁿ short of its end, too far where n is odd, and it would go on
    from there faster by as much in every substep.
    """

    def __init__(self, model):
        super().__init__(model)
        self.plain = model.upload(np.minimum(model.relaxation.numpy(), 1.0), float)
        self.relaxation = wp.clone(model.relaxation)

    @staticmethod
    def is_needed(settings):
        """Whether sweeps are over-relaxed, and begin where the last substep has ended."""
        return settings.sweep_relaxation > 1.0 and settings.initial_guess == "previous"

    @staticmethod
    def is_due(iteration):
        """In the first iteration."""
        return iteration == 0

    def before_sweep(self):
        wp.copy(self.relaxation, self.model.relaxation)
        wp.copy(self.model.relaxation, self.plain)

    def after_sweep(self):
        wp.copy(self.model.relaxation, self.relaxation)


class Sweeps(RecordedStage):
    """`sweep()` visits every free vertex once; with contact each color is committed by itself."""

    def __init__(self, model):
        self.untouched = model.upload(model.augmented.astype(np.int32), int)
        super().__init__(model)

    def record(self):
        model = self.model
        searches = model.settings.line_search
        kernel = model.kernels.search if searches else model.kernels.solve
        # A line search moves vertices to and fro, in sight of partners of the same color.
        whole = searches and model.contact is not None
        costs = visit_costs(model)
        solves = [
            (
                model.launches.record(
                    kernel,
                    last - first,
                    [wp.vec2i(first, last), model.objective, model.elements, model.relaxation],
                    [
                        model.x,
                        model.candidate,
                        model.touched,
                        model.rejected,
                    ],
                    cost=0.0 if whole else costs[first:last],
                    first=first,
                ),
                first,
                last,
            )
            for first, last in pairwise(int(start) for start in model.color_start)
        ]
        stages = (self._visits(*color) for color in solves)
        self.visits = SharedLaunches([stage for color in stages for stage in color])

    def _visits(self, solve, first, last):
        """The stages of a color, which begin with the launch `solve`."""
        model = self.model
        if model.contact is None:
            return [[solve]]
        return model.contact.settling(solve, first, last)

    def begin_frame(self, _frame, _time):
        """Count steps that are not taken anew."""
        self.model.rejected.zero_()

    def begin_step(self):
        """What has a multiplier is never extrapolated, as if contacts had touched it."""
        wp.copy(self.model.touched, self.untouched)

    def sweep(self):
        """Visit every free vertex once."""
        self.visits()
