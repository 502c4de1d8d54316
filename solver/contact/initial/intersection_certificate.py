# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificate that nothing intersects, without a check of all surfaces."""

from ...device.launches import play
from ...kernels.contact.initial import intersection_certificate as kernels

# Rough cost of a pair, and of a vertex [ns].
PAIR, VERTEX = 1.0, 10.0


class IntersectionCertificate:
    """Finds from the listed pairs and the regions of `truncation` whether it is `uncertain` that
    nothing intersects (`ContactLists`).
    """

    def __init__(self, model, struct, truncation):
        self.model, self.struct, self.truncation = model, struct, truncation
        self._record()

    def _record(self):
        model, lists, launches = self.model, self.model.lists, self.model.launches
        self.revision, outputs = lists.revision, [lists.uncertain]
        inputs, extent = [model.x, lists.pairs, lists.state], (lists.capacity, lists.expected)
        regions = self.truncation.regions
        where = [self.struct, model.x, regions.struct, regions.is_invalid]
        count = len(self.struct.vertices)
        self.launches = [
            launches.record_list(
                kernels.find_unseparated, *extent, [*inputs, lists.counts], outputs, PAIR
            ),
            launches.record(kernels.find_strayed, count, where, outputs, VERTEX),
        ]

    def find(self):
        """Evaluate pairs and regions at the end of a frame, after a refresh."""
        if self.revision != self.model.lists.revision:
            self._record()
        play(self.launches)
