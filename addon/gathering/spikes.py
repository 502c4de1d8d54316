# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments that pull on a soft body at single points: sentences about them."""

import numpy as np

from ...solver.messages import message
from .ignored import named

# A load on fewer neighboring vertices pulls a spike out of a soft body.
PATCH = 3
# Distance in cells within which vertices count as neighbors.
NEAR = 1.5


class Spikes:
    """Gathers the attachments of an object that pull spikes out of soft bodies."""

    def __init__(self, ob):
        self.ob = ob
        self.found = {}
        """The message and its fields, with the names of attachments."""

    def take(self, item, vertices, own, place):
        """Count an attachment that ties `vertices` [row] of the `Target` `own` to a place."""
        if own.lattice is not None:
            chosen, points = item.vertex_group, own.start_points()
            if not chosen and not is_patch(points[vertices], own.lattice):
                enough = has_patch(points, points[vertices], own.lattice)
                self._add(item, "pin.spike" if enough else "pin.spike_coarse", len(vertices))
        elif place.is_soft and len(vertices) == 1:
            at = place.nearest(own.start_points()[vertices])
            enough = has_patch(place.points, at, place.target.lattice)
            which = "pin.spike_in_target" if enough else "pin.spike_in_coarse_target"
            self._add(item, which, 1, item.target.name)

    def _add(self, item, which, count, soft=None):
        self.found.setdefault((which, count, soft), []).append(item.name or "an attachment")

    def notes(self):
        """One sentence for all attachments with the same problem."""
        for (which, count, soft), names in self.found.items():
            known = {"name": self.ob.name, "attachments": named(names), "count": len(names)}
            known["soft"] = soft or self.ob.name
            yield message(which, vertices=message("pin.vertices", count=count), **known)


def is_patch(points, lattice):
    """Return whether any of the tied points [row, 3] has others near it."""
    return len(points) > PATCH**2 or has_patch(points, points, lattice)


def has_patch(points, places, lattice):
    """Return whether enough of `points` [vertex, 3] are near one of a few `places` [place, 3]."""
    gap = np.linalg.norm(points[:, None] - places, axis=2)
    return bool(((gap < NEAR * lattice.cell_size).sum(axis=0) >= PATCH).any())
