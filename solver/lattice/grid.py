# SPDX-License-Identifier: GPL-3.0-or-later
"""The grid of equal cubes around a surface."""

import numpy as np

from ..messages import message
from ..topology.meshes import checked_elements, finite_points
from .voxels import ROUNDING

MAX_RESOLUTION = 128
# Cells at the border of a thin or open mesh contain little or none of its inside. They keep this
# fraction of their mass and stiffness, so that no vertex of the lattice is too light to simulate.
LEAST_FRACTION = 0.1


def grid_around(points, triangles, resolution, name):
    """Points [vertex, 3] and triangles [triangle, 3], checked; the origin [m], the cell size [m]
    and the number of cells along each axis of the grid around them.

    `resolution`: cells along the longest side of the bounding box.
    """
    points = finite_points(name, "points", points)
    triangles = checked_elements(name, "triangle", triangles, 3, len(points))
    if not len(triangles):
        raise ValueError(message("mesh.no_cells", name=name))
    if not 1 <= resolution <= MAX_RESOLUTION:
        raise ValueError(
            message("mesh.resolution", name=name, resolution=resolution, most=MAX_RESOLUTION)
        )
    corners = points[triangles]
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    longest = (high - low).max()
    if longest <= ROUNDING * np.abs(corners).max():
        raise ValueError(message("mesh.one_point", name=name))

    # A small margin on both sides: the surface never lies on the border of the lattice.
    size = longest * (1.0 + 1e-6) / int(resolution)
    counts = np.maximum(np.ceil((high - low) / size).astype(int), 1)
    origin = 0.5 * (low + high) - 0.5 * size * counts
    return points, triangles, origin, size, counts
