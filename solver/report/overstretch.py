# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of rods and cloth that are far longer than at rest while nothing pulls at them.

Rubber under its load is long as well, and its tension is then balanced by what pulls at it, be it
weight, inertia, contact or a pin. Here the tension is left over: nothing but a step that was cut
short holds a free end of the edge where it is, such as one at a surface that pins have carried past
it.
"""

from dataclasses import dataclass

import numpy as np

from ..elements.triangles import STABLE_TRIANGLES, STVK_TRIANGLES
from ..topology.graphs import edge_index, unique_edges

# It shows from this ratio of lengths on, ...
SHOWS = 1.25
# ... where the force that is left would draw a free end back by this part of the excess.
PART = 0.5
# The stiffness k [N/m] that stands for the sides of a triangle: of three bars of length l in all
# directions of a plane Σ k l² 3/8 = K A, by the mean of cos⁴ over them.
OF_SIDES = 8.0 / 3.0


@dataclass(frozen=True)
class Overstretched:
    """A body with an edge that is `ratio` times as long as at rest with nothing that pulls."""

    name: str
    ratio: float


class Overstretch:
    """Looks for such edges; `residual` has the forces [N] that are left at vertices."""

    def __init__(self, model, bodies, residual):
        self.model, self.bodies, self.residual = model, bodies, residual
        self.owner = np.zeros(len(model.assembly.points), dtype=np.int64)
        for number, vertices in enumerate(model.assembly.vertices):
            self.owner[vertices] = number
        self.record()

    def record(self):
        """Take over the elements, at the start and when they have changed."""
        assembly, settings = self.model.assembly, self.model.settings
        elements = assembly.elements
        self.inertia = assembly.mass * (not settings.quasistatic) / settings.step_time**2
        parts = [(np.zeros((0, 2), np.int64), np.zeros(0), np.zeros(0))]
        if "springs" in elements:
            springs = elements["springs"]
            parts.append((springs.corners, springs.rest, springs.stiffness))
        for kind in (STVK_TRIANGLES, STABLE_TRIANGLES):
            if kind.name in elements:
                parts.append(_sides(elements[kind.name], assembly.rest_points))
        self.edges, self.rest, self.stiffness = map(np.concatenate, zip(*parts, strict=True))

    def find(self):
        """The bodies of now, an `Overstretched` each, after `Residual.find`."""
        if not len(self.edges):
            return ()
        count, free = len(self.owner), self.model.free_count
        x = self.model.x.numpy()[:count].astype(np.float64)
        sides = x[self.edges[:, 1]] - x[self.edges[:, 0]]
        lengths = np.linalg.norm(sides, axis=1)
        long = np.flatnonzero(lengths > SHOWS * self.rest)
        if not len(long):
            return ()
        force = self.residual.force.numpy()[:count].astype(np.float64)
        force[free:] = 0.0  # of pins, which need none
        ends, along = self.edges[long], sides[long] / lengths[long, None]
        excess, back = lengths[long] - self.rest[long], np.zeros(len(long))
        for end, side in ((0, 1.0), (1, -1.0)):
            pull = side * (force[ends[:, end]] * along).sum(axis=1)
            # What inertia holds comes back in many steps, and is where it belongs in this one.
            back = np.maximum(back, pull / (self.stiffness[long] + self.inertia[ends[:, end]]))
        found = long[back > PART * excess]
        ratios, owners = lengths[found] / self.rest[found], self.owner[self.edges[found, 0]]
        return tuple(
            Overstretched(self.bodies[number].name, float(ratios[owners == number].max()))
            for number in np.unique(owners)
        )


def _sides(triangles, points):
    """The sides of triangles as bars: ends [side, 2], lengths at rest [m], stiffness [N/m]."""
    edges = unique_edges(triangles.corners)
    rest = np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)
    of_all = triangles.stiffness[:, :2].mean(axis=1) * triangles.area * OF_SIDES
    stiffness = np.zeros(len(edges))
    sides = [edge_index(edges, triangles.corners[:, [k, (k + 1) % 3]]) for k in range(3)]
    squares = sum(rest[side] ** 2 for side in sides)
    for side in sides:
        np.add.at(stiffness, side, of_all / squares)
    return edges, rest, stiffness
