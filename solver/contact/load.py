# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts and bounds under a lasting load get stiffer and reach further (kernels/load.py)."""

import math

import warp as wp

from ..device.threads import launches
from ..kernels.contact import law as contact
from ..kernels.contact import load
from ..kernels.contact import pairs as kernels

# Loads that last longer than this [s] make a contact stiffer, ...
LASTING = 0.1
# ... and in this time [s] they come back to the contact distance.
RISING = 1.0
# Rough cost of a vertex without a contact, and of a pair [ns].
VERTEX, TOUCH = 5.0, 10.0


class Load:
    """Follows what the vertices of a scene carry; `pairs` are its contact pairs, if any."""

    def __init__(self, model, pairs, settings, workers):
        self.model, self.pairs, self.workers = model, pairs, workers
        shape, upload = model.surface, model.upload
        self.least = upload(shape.stiffness, float)
        firm = shape.stiffness.copy()
        firm[model.free_count : shape.point_start] = 0.0  # what is led presses nothing flat
        self.firm = upload(firm, float)
        self.growth = math.exp(settings.step_time / LASTING)
        self.ascent = -math.expm1(-settings.step_time / RISING)
        self.contacts = model.objective.contacts if pairs else self._no_contacts()
        self.no_pairs = wp.empty(0, dtype=kernels.Pair, device=model.device)

    def _no_contacts(self):
        count, device = len(self.model.surface.body), self.model.device
        contacts = contact.Contacts()
        contacts.start, contacts.end = (wp.zeros(count, dtype=int, device=device) for _ in range(2))
        return contacts

    def follow(self):
        """Let the stiffness and the lift of all contacts follow the load of the last step."""
        model, bounds = self.model, self.model.bounds
        count, number, found = len(model.surface.body), 0, self.no_pairs
        if self.pairs:
            number, found = self.pairs.count, self.pairs.pairs
        launches(
            self.workers,
            model.device,
            load.follow_load,
            count,
            [
                model.x,
                self.contacts,
                found,
                bounds,
                self.least,
                self.firm,
                self.growth,
                self.ascent,
            ],
            [bounds.stiffness, bounds.lift],
            VERTEX + TOUCH * number / count,
        )
