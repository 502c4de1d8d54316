# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts under a lasting load: stiffness and multiplier (kernels/contact/load.py)."""

import math

import numpy as np

from ..kernels.contact import load

# Loads that last longer than this [s] make a contact stiffer, ...
STIFFENING_TIME = 0.1
# ... and in this time [s] they return to the contact distance.
MULTIPLIER_TIME = 1.0
# Logarithm of the largest growth in a step: beyond all contacts, but finite in float32.
MOST_GROWTH = 50.0
# Rough cost of a vertex without a contact, and of a pair [ns].
VERTEX, TOUCH = 5.0, 10.0


class Load:
    """Stiffness and multiplier of all contacts, which follow their load."""

    def __init__(self, model, settings):
        self.model = model
        surface, upload = model.surface, model.upload
        self.least = upload(surface.stiffness, float)
        pressing_stiffness = surface.stiffness.copy()
        pressing_stiffness[model.free_count : surface.point_start] = (
            0.0  # animation presses nothing flat
        )
        # Rigid bodies press with all of a pile above them; float32 resolves no stiffer contacts.
        rigid = np.isin(surface.points.body, model.assembly.rigid.numbers)
        pressing_stiffness[surface.point_start :][rigid] = settings.collision_stiffness
        self.pressing_stiffness = upload(pressing_stiffness, float)
        self.growth = math.exp(min(settings.step_time / STIFFENING_TIME, MOST_GROWTH))
        self.ascent = -math.expm1(-settings.step_time / MULTIPLIER_TIME)
        self._record()

    def _record(self):
        model, lists = self.model, self.model.lists
        self.revision = lists.revision
        state, count = model.contact_model.state, len(model.surface.body)
        inputs = [
            model.x,
            lists.near,
            lists.all.pairs,
            model.contact_model,
            self.least,
            self.pressing_stiffness,
        ]
        self.launch = model.launches.record(
            load.follow_load,
            count,
            [*inputs, self.growth, self.ascent],
            [state.stiffness, state.multiplier],
            VERTEX + TOUCH * lists.expected / count,
        )

    def follow(self):
        """Let the stiffness and the multiplier of all contacts follow the load of the last step."""
        if self.revision != self.model.lists.revision:
            self._record()
        self.launch()
