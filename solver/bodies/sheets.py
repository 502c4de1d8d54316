# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth and rods."""

from dataclasses import dataclass

import numpy as np

from ..topology.meshes import FLAT_TRIANGLE, longest_edges, refuse_flat_triangles
from .deformable import Deformable


@dataclass(eq=False)
class Cloth(Deformable):
    """A sheet of triangles: `Cloth(points [vertex, 3], triangles [triangle, 3], ...)`.

    `uv` [vertex, 2] or [triangle, 3, 2]: woven cloth has its warp along u. `tear_strain`: an edge
    longer than its rest length by more than this part splits; `Frame.elements` then tells which
    vertices the triangles have, and the positions of duplicates follow those of the points.
    """

    uv: np.ndarray | None = None
    tear_strain: float | None = None

    corners = 3
    element_name = "triangle"

    @property
    def triangles(self):
        return self.elements

    def _check_rest_shape(self):
        refuse_flat_triangles(self.name, self.rest_points, self.elements)
        if self.tear_strain is not None and not self.tear_strain > 0.0:
            raise ValueError(
                f"{self.name}: the tear strain is {self.tear_strain}; it must be above 0"
            )
        if self.uv is not None:
            self.uv = np.array(self.uv, dtype=np.float64)
            if self.uv.shape not in {(len(self.points), 2), (len(self.elements), 3, 2)}:
                raise ValueError(
                    f"{self.name}: the UV map has the shape {self.uv.shape}; "
                    "[vertex, 2] or [triangle, 3, 2] is needed"
                )


class Rod(Deformable):
    """Particles on springs: `Rod(points [vertex, 3], edges [edge, 2], ...)`."""

    corners = 2
    element_name = "edge"

    @property
    def edges(self):
        return self.elements

    def _check_rest_shape(self):
        size = longest_edges(self.rest_points, self.elements)
        short = np.flatnonzero(size <= FLAT_TRIANGLE * size.max())
        if len(short):
            raise ValueError(
                f"{self.name}: {len(short)} of {len(size)} edges have no length "
                f"(first: edge {short[0]}); merge vertices by distance"
            )
