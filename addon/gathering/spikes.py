# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments that pull on a soft body at single points: sentences that say so."""

import numpy as np

from .ignored import named

# A load that fewer vertices near each other carry draws a spike out of a soft body.
PATCH = 3
# Near are vertices within so many cells.
NEAR = 1.5
SUBDIVIDE = "subdivide the faces there first, in Edit Mode with Edge > Subdivide"


class Spikes:
    """Gathers the attachments of an object that draw spikes out of what is soft."""

    def __init__(self, ob):
        self.ob = ob
        self.found = {}
        """What is wrong and what to do, with the names of attachments."""

    def take(self, item, vertices, own, place):
        """Count an attachment that ties `vertices` [row] of the `Target` `own` to a place."""
        if own.lattice is not None:
            chosen, points = item.vertex_group, own.start_points()
            if not chosen and not is_patch(points[vertices], own.lattice):
                rest = "a load draws a spike out of a soft body there; "
                if not has_patch(points, points[vertices], own.lattice):
                    rest += f"{SUBDIVIDE}, then "
                self._add(item, len(vertices), f"{rest}choose a Vertex Group, or set Within")
        elif place.is_soft and len(vertices) == 1:
            soft, lattice = item.target.name, place.target.lattice
            rest = (
                f"a load draws a spike out of {soft} there; give {soft} the attachment, with "
                f"{self.ob.name} as its target and a Vertex Group or Within"
            )
            at = place.nearest(own.start_points()[vertices])
            if not has_patch(place.points, at, lattice):
                rest += f", and {SUBDIVIDE}"
            self._add(item, 1, rest)

    def _add(self, item, count, rest):
        ties = "a single vertex" if count == 1 else f"only {count} vertices"
        self.found.setdefault((ties, rest), []).append(item.name or "an attachment")

    def notes(self):
        """A sentence for all that are alike."""
        for (ties, rest), names in self.found.items():
            verb = "ties" if len(names) == 1 else "each tie"
            yield f"{self.ob.name}: {named(names)} {verb} {ties}, and {rest}"


def is_patch(points, lattice):
    """Whether any of the tied points [row, 3] has others near it."""
    return len(points) > PATCH**2 or has_patch(points, points, lattice)


def has_patch(points, places, lattice):
    """Whether enough of `points` [vertex, 3] are near one of a few `places` [place, 3]."""
    gap = np.linalg.norm(points[:, None] - places, axis=2)
    return bool(((gap < NEAR * lattice.cell_size).sum(axis=0) >= PATCH).any())
