# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact numbers of a frame: energy, pairs in touch, depth, and truncated steps."""

import warp as wp

from ..device.launches import play
from ..kernels.contact import measure
from ..kernels.contact.feasibility.truncation import BY_PAIR
from ..kernels.report import sums

# Rough cost of a pair, and of a vertex at an analytic collider [ns].
PAIR, VERTEX = 20.0, 20.0


class ContactMeasure:
    """Measures the pairs and the analytic colliders of a model, and counts truncated vertices."""

    def __init__(self, model):
        self.model = model
        self.truncated = wp.zeros(1, dtype=int, device=model.device)
        ranges = model.surface_ranges() if model.has_analytic_colliders else []
        places = [measure.SHARES * (1 + k) for k in range(len(ranges))]
        self.at_colliders = list(zip(ranges, places, strict=True))
        self.partial_sums = self._sums(measure.SHARES * (1 + len(ranges)))
        self.totals = self._sums(1)
        self.record()

    def _sums(self, count):
        sums = measure.ContactSums()
        for name, dtype in (("energy", wp.float64), ("touching", int), ("depth", float)):
            setattr(sums, name, wp.zeros(count, dtype=dtype, device=self.model.device))
        return sums

    @property
    def reported(self):
        """Numbers that a frame reports: see `Statistics`."""
        return {
            "contact_energy": self.totals.energy,
            "pairs": self.totals.touching,
            "deepest": self.totals.depth,
            "truncated": self.truncated,
        }

    def record(self):
        """Record launches with the present lists of contacts, again when lists are replaced."""
        model, record, lists = self.model, self.model.launches.record, self.model.lists
        self.launches = []
        if model.surface.can_touch:
            inputs = [lists.counts, model.x, lists.pairs, lists.touches, lists.state]
            cost = PAIR * lists.expected / measure.SHARES
            self.launches.append(
                record(measure.measure_pairs, measure.SHARES, inputs, [self.partial_sums], cost)
            )
        for (first, count), at in self.at_colliders:
            inputs = [first, count, at, model.x, model.contact_model]
            cost = VERTEX * count / measure.SHARES
            self.launches.append(
                record(measure.measure_colliders, measure.SHARES, inputs, [self.partial_sums], cost)
            )
        if self.launches:
            self.launches.append(record(measure.add_shares, 1, [self.partial_sums], [self.totals]))
        if model.contact is not None:
            cut = model.contact.truncation.cut
            counting = record(sums.count_marked, len(cut), [cut, BY_PAIR], [self.truncated])
            self.launches += [self.truncated.zero_, counting]

    def find(self):
        """Measure all numbers."""
        play(self.launches)
