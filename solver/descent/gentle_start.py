# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that begin too near to each other (kernels/contact/initial/gentle_start.py)."""

import numpy as np
import warp as wp

from ..device.conditions import when
from ..device.launches import play
from ..kernels.contact.initial.gentle_start import (
    find_missing_at_colliders,
    find_missing_of_pairs,
    grow,
    shorten_pairs,
)
from ..model.stage import RecordedStage

# Rough cost of a pair, and of a vertex at analytic colliders [ns].
PAIR, VERTEX = 20.0, 20.0


class GentleStart(RecordedStage):
    """Reduces contact distances to the initial gaps of a scene; they then grow within some steps.

    `missing` [vertex, m] is the missing part of the radii. It is found in the first step, after the
    first search for contact; until then the flag `begins` is set.
    """

    state_name = "contact_start"

    def __init__(self, model):
        count = len(model.surface.body)
        self.whole = model.upload(model.surface.radius, float)
        self.missing = model.upload(np.zeros(count), float)
        self.begins = wp.ones(1, dtype=int, device=model.device)
        super().__init__(model)

    def record(self):
        model, lists, launches = self.model, self.model.lists, self.model.launches
        state, h, count = model.contact_model.state, model.settings.step_time, len(self.missing)
        self.finding, shortening = [], []
        if model.contact is not None:
            kernel, out = find_missing_of_pairs, [self.missing]
            inputs = [model.x_start, lists.counts, lists.pairs, self.whole]
            self.finding.append(launches.record_serial(kernel, lists.capacity, inputs, out))
            kernel, out = shorten_pairs, [lists.pairs]
            extent, inputs = (lists.capacity, lists.expected), [lists.counts, state]
            shortening.append(launches.record_list(kernel, *extent, inputs, out, PAIR))
        if model.has_analytic_colliders:
            inputs = [model.x_start, model.contact_model, self.whole]
            kernel, out = find_missing_at_colliders, [self.missing]
            self.finding += [
                launches.record(kernel, some, inputs, out, VERTEX, first)
                for first, some in model.surface_ranges()
            ]
        outputs = [self.missing, state.radius]
        self.growing, self.setting = (
            launches.record(grow, count, [self.whole, time], outputs) for time in (h, 0.0)
        )
        self.finding += [self.growing, *shortening, self.begins.zero_]

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        return {"missing": self.missing, "begins": self.begins}

    def on_restored(self):
        """Set the current radii."""
        self.setting()

    def begin_step(self):
        """Reduce the radii of surfaces that are too near as the scene begins."""
        when(self.begins, self._find)

    def _find(self):
        play(self.finding)

    def end_step(self):
        self.growing()
