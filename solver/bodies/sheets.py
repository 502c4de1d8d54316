# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth and rods."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..messages import message
from ..topology.meshes import FLAT_TRIANGLE, checked_elements, longest_edges, refuse_flat_triangles
from ..topology.values import number, numbers, refuse_other, whole_numbers
from .deformable import Deformable


@dataclass(eq=False)
class Cloth(Deformable):
    """A sheet of triangles: `Cloth(points [vertex, 3], triangles [triangle, 3], ...)`.

    `uv` [vertex, 2] or [triangle, 3, 2]: woven cloth has its warp along u. `tear_strain`: an edge
    longer than its rest length by more than this fraction splits; `Frame.elements` then has the
    vertices of the triangles, and positions of duplicates follow those of the points.
    `pressure_in_time`: the pressure of the material [Pa] as a function of the time [s], read once
    per frame and interpolated in between. `seams` [seam, 2]: pairs of vertices that an `Attachment`
    pulls together; for the enclosed air they are joined from the start.
    """

    uv: np.ndarray | None = None
    tear_strain: float | None = None
    pressure_in_time: Callable[[float], float] | None = field(default=None, kw_only=True)
    seams: np.ndarray | None = field(default=None, kw_only=True)

    corners = 3
    element_name = "triangle"

    @property
    def triangles(self):
        return self.elements

    def _check_rest_shape(self):
        refuse_flat_triangles(self.name, self.rest_points, self.elements)
        if self.pressure_in_time is not None:
            refuse_other(self.name, "pressure_in_time", self.pressure_in_time, None)
        if self.tear_strain is not None:
            self.tear_strain = number(self.name, "tear_strain", self.tear_strain)
            if not self.tear_strain > 0.0:
                raise ValueError(
                    message("script.tear_strain", name=self.name, value=self.tear_strain)
                )
        if self.tear_strain is not None and self.keyed:
            raise ValueError(message("material.tears_keyed", name=self.name))
        if self.seams is not None:
            count = len(self.points)
            self.seams = checked_elements(self.name, "seam", self.seams, 2, count)
        if self.uv is not None:
            self.uv = np.array(numbers(self.name, "uv", self.uv))
            if self.uv.shape not in {(len(self.points), 2), (len(self.elements), 3, 2)}:
                raise ValueError(message("script.uv_shape", name=self.name, shape=self.uv.shape))
            if not np.isfinite(self.uv).all():
                known = {"what": "uv", "value": self.uv[~np.isfinite(self.uv)][0]}
                raise ValueError(message("script.not_finite", name=self.name, **known))


@dataclass(eq=False)
class Rod(Deformable):
    """Rods along edges: `Rod(points [vertex, 3], edges [edge, 2], ...)`.

    Without `directors` they are particles on springs. `directors` [edge]: the vertex beside every
    edge that gives the orientation of its section (scene/directors.py makes them); then the rod
    resists bending and twisting by the bending factor of its material. Directors are massless and
    have no contact; pinned ones fix the twist.
    """

    directors: np.ndarray | None = None

    corners = 2
    element_name = "edge"

    @property
    def edges(self):
        return self.elements

    @property
    def is_elastic(self):
        """True if it resists bending and twisting."""
        return self.directors is not None and bool(np.any(self.material.bending_factor))

    def _in_use(self):
        if self.directors is None:
            return self.elements
        count, vertices = len(self.elements), len(self.points)
        self.directors = whole_numbers(self.name, "directors", self.directors).ravel()
        if self.directors.shape != (count,):
            raise ValueError(
                message("script.directors", name=self.name, count=len(self.directors), edges=count)
            )
        outside = (self.directors < 0) | (self.directors >= vertices)
        known = np.isin(self.directors, self.elements)
        twice = np.ones(count, dtype=bool)
        twice[np.unique(self.directors, return_index=True)[1]] = False
        wrong = np.flatnonzero(outside | known | twice)
        if len(wrong):
            raise ValueError(
                message(
                    "script.director",
                    name=self.name,
                    edge=wrong[0],
                    vertex=self.directors[wrong[0]],
                    vertices=vertices,
                )
            )
        ends = np.sort(self.elements, axis=1)
        _, first, edge = np.unique(ends, axis=0, return_index=True, return_inverse=True)
        again = np.flatnonzero(first[edge.ravel()] != np.arange(count))
        if len(again):
            raise ValueError(message("script.edge_twice", name=self.name, edge=again[0]))
        return np.column_stack([self.elements, self.directors])

    def _check_rest_shape(self):
        size = longest_edges(self.rest_points, self.elements)
        short = np.flatnonzero(size <= FLAT_TRIANGLE * size.max())
        if len(short):
            raise ValueError(
                message(
                    "mesh.short_edges",
                    name=self.name,
                    count=len(short),
                    total=len(size),
                    first=short[0],
                )
            )
