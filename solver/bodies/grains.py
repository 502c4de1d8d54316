# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains: spheres that meet each other and everything else."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..messages import message
from ..topology.meshes import finite_points
from ..topology.near_points import near_pairs
from ..topology.values import numbers
from .deformable import Deformable

# Grains with a gap below this fraction of the smaller radius stick together from the start.
BOND_GAP = 0.1
# Points nearer to each other than this fraction of their extent, or of a radius, are one place.
ONE_PLACE = 1e-6


@dataclass(eq=False, init=False)
class Grains(Deformable):
    """Spheres around points: `Grains(points [grain, 3], radius, ...)`.

    `radius` [m] is one number, or one for each grain, [grain]. The `density` of the material is
    that of the grains in kg/m³. A grain has a position, but no rotation: it slides and does not
    roll. It has no elements, and always touches the others. With a `cohesion` of the material
    above 0, grains that begin within `BOND_GAP` of each other are bonded by springs, which break.
    """

    radius: float | np.ndarray = field(default=0.01)

    corners = 1
    element_name = "grain"

    def __init__(self, points, radius, material=None, **others):
        self.radius = radius
        given = others | ({} if material is None else {"material": material})
        points = finite_points(given.get("name") or "Grains", "points", points)
        given["elements"] = np.arange(len(points))[:, None]
        super().__init__(points, **given)

    def _check_rest_shape(self):
        count = len(self.points)
        radius = numbers(self.name, "radius", self.radius)
        if radius.shape not in {(), (count,)}:
            size = {"shape": radius.shape, "count": count}
            raise ValueError(message("material.array", name=self.name, what="radius", **size))
        if not ((radius > 0.0) & (radius < np.inf)).all():
            least = radius.min()
            raise ValueError(message("script.above_0", name=self.name, what="radius", value=least))
        self.radius = np.broadcast_to(radius, count).copy()
        if self.keeps_shape:
            raise ValueError(message("script.grains_keep_shape", name=self.name))
        # Points in one place have no direction in which they could leave each other.
        step = ONE_PLACE * max(np.ptp(self.points, axis=0).max(), self.radius.max())
        places = np.unique(np.rint((self.points - self.points.min(axis=0)) / step), axis=0)
        if len(places) < count:
            raise ValueError(
                message("mesh.grains_in_one", name=self.name, count=count - len(places))
            )

    @property
    def touches_itself(self):
        return True

    @cached_property
    def bonds(self):
        """Pairs of grains that stick together from the start, int64 [bond, 2], the first of which
        is the smaller number; none without cohesion.
        """
        if not np.any(self.material.cohesion):
            return np.zeros((0, 2), dtype=np.int64)
        reach = (2.0 + BOND_GAP) * self.radius.max()
        pairs = near_pairs(self.points, reach)
        one, other = pairs.T
        gap = np.linalg.norm(self.points[one] - self.points[other], axis=1)
        gap -= self.radius[one] + self.radius[other]
        return pairs[gap <= BOND_GAP * np.minimum(self.radius[one], self.radius[other])]
