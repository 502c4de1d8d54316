# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that contact keeps overstretched (kernels/report/overstretch.py)."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..device.launches import play
from ..elements.triangles import STABLE_TRIANGLES, STVK_TRIANGLES
from ..kernels.report.overstretch import Bars, find_overstretch
from ..topology.graphs import edge_index, unique_edges

# Factor of the stiffness k [N/m] of bars in place of the sides of a triangle: three bars of length
# l in all directions of a plane have Σ k l² 3/8 = K A, by the mean of cos⁴.
OF_SIDES = 8.0 / 3.0


@dataclass(frozen=True)
class Overstretched:
    """A body with an edge that contact keeps `ratio` times as long as at rest."""

    name: str
    ratio: float


class Overstretch:
    """Finds overstretched edges; `residual` has the unbalanced forces [N] of vertices, and `owner`
    [vertex] their bodies.
    """

    def __init__(self, model, bodies, residual, owner):
        self.model, self.bodies, self.residual, self.owner = model, bodies, residual, owner
        self.ratio = wp.zeros(len(bodies), dtype=float, device=model.device)
        self.record()

    def record(self):
        """Record the launches with the elements, at the start and when they have changed."""
        model, assembly, settings = self.model, self.model.assembly, self.model.settings
        elements, bar_sets = assembly.elements, []
        if "springs" in elements:
            springs = elements["springs"]
            bar_sets.append((springs.corners, springs.rest, springs.stiffness))
        for kind in (STVK_TRIANGLES, STABLE_TRIANGLES):
            if kind.name in elements:
                bar_sets.append(_sides(elements[kind.name], assembly.rest_points))
        self.launches = []
        if model.contact is None or not sum(len(ends) for ends, _rest, _stiffness in bar_sets):
            return
        ends, rest, stiffness = (np.concatenate(columns) for columns in zip(*bar_sets, strict=True))
        bars = Bars()
        bars.ends = model.upload(ends.astype(np.int32), wp.vec2i)
        bars.rest, bars.stiffness = (model.upload(values, float) for values in (rest, stiffness))
        bars.body = model.upload(self.owner[ends[:, 0]], int)
        # Quasistatic vertices have no inertia.
        mass = assembly.mass[: model.free_count] * (not settings.quasistatic)
        inertia = model.upload(mass / settings.step_time**2, float)
        cut = model.contact.truncation.cut
        inputs = [model.x, self.residual.force, inertia, cut, bars]
        self.launches = [
            self.ratio.zero_,
            model.launches.record_serial(find_overstretch, len(ends), inputs, [self.ratio]),
        ]

    def find(self):
        """Find the current ratios, after `Residual.find`."""
        play(self.launches)

    @property
    def reported(self):
        """Arrays that a frame reports: the largest ratio of every body, 0 where there is none."""
        return {"overstretch": self.ratio}

    def among(self, ratios):
        """Return an `Overstretched` for every body with a ratio."""
        return tuple(
            Overstretched(body.name, float(ratio))
            for body, ratio in zip(self.bodies, ratios, strict=True)
            if ratio
        )


def _sides(triangles, points):
    """Return the sides of triangles as bars: ends [side, 2], rest lengths [m], stiffness [N/m]."""
    edges = unique_edges(triangles.corners)
    rest = np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)
    of_all = triangles.stiffness[:, :2].mean(axis=1) * triangles.area * OF_SIDES
    stiffness = np.zeros(len(edges))
    sides = [edge_index(edges, triangles.corners[:, [k, (k + 1) % 3]]) for k in range(3)]
    squares = sum(rest[side] ** 2 for side in sides)
    for side in sides:
        np.add.at(stiffness, side, of_all / squares)
    return edges, rest, stiffness
