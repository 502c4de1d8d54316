# SPDX-License-Identifier: GPL-3.0-or-later
"""A lattice of cells around any surface mesh, and the surface embedded in it."""

from dataclasses import dataclass

import numpy as np

from ..bodies.solids import CELL_CORNERS
from ..topology.meshes import finite_points
from .cage import KUHN_CORNERS, Cage, cage, embed_in_tets  # noqa: F401
from .grid import LEAST_FRACTION, MAX_RESOLUTION, grid_around  # noqa: F401
from .voxels import closed_volume, inside_fractions


@dataclass(eq=False)
class Lattice:
    """Cells around a surface. `embed` finds points in them."""

    points: np.ndarray
    """Corners of the cells [m], shape [vertex, 3]."""
    cells: np.ndarray
    """Vertices of every cell, shape [cell, 8], int32; corner k is at CELL_CORNERS[k]."""
    fractions: np.ndarray
    """Part of every cell that its material fills, shape [cell], in (0, 1]."""
    origin: np.ndarray
    """Lowest corner of the grid [m]."""
    cell_size: float
    """Side of a cell [m]."""
    grid: np.ndarray
    """Where the vertices are in the grid, in cells, shape [vertex, 3], int."""

    @property
    def places(self):
        """Where the lowest corners of the cells are in the grid, [cell, 3]."""
        return self.grid[self.cells[:, 0]]


def lattice(points, triangles, resolution, name="Lattice"):
    """The `Lattice` around a surface: points [vertex, 3] in m, triangles [triangle, 3].

    `resolution`: cells along the longest side of the bounding box.
    """
    points, triangles, origin, size, counts = grid_around(points, triangles, resolution, name)
    volume = closed_volume(points, triangles)
    inside = inside_fractions(
        (points[triangles] - origin) / size, counts, volume and volume / size**3
    )
    places = np.argwhere(inside > 0.0)
    corners = (places[:, None] + CELL_CORNERS).reshape(-1, 3)
    used, cells = np.unique(np.ravel_multi_index(corners.T, counts + 1), return_inverse=True)
    grid = np.stack(np.unravel_index(used, counts + 1), axis=1)
    return Lattice(
        points=origin + size * grid,
        cells=cells.reshape(-1, 8).astype(np.int32),
        fractions=np.maximum(inside[tuple(places.T)], LEAST_FRACTION),
        origin=origin,
        cell_size=size,
        grid=grid,
    )


def embed(points, lattice):
    """Corners, int32 [point, 8], and their weights, float64 [point, 8], of points in a lattice.

    `(weights[:, :, None] * lattice.points[corners]).sum(axis=1)` moves the points with the lattice.
    Points outside follow the nearest cell, with weights beyond 0 and 1.
    """
    if isinstance(lattice, Cage):
        return embed_in_tets(points, lattice)
    points = finite_points("Lattice", "points", points)
    at = (points - lattice.origin) / lattice.cell_size
    places = lattice.places
    counts = places.max(axis=0) + 1
    number = np.full(counts, -1)
    number[tuple(places.T)] = np.arange(len(places))
    cell = number[tuple(np.clip(np.floor(at).astype(int), 0, counts - 1).T)]
    for i in np.flatnonzero(cell < 0):
        gap = np.maximum(0.0, np.abs(at[i] - (places + 0.5)) - 0.5)
        cell[i] = np.argmin((gap**2).sum(axis=1))
    inner = (at - places[cell])[:, None]
    return lattice.cells[cell], np.where(CELL_CORNERS == 1, inner, 1.0 - inner).prod(axis=2)
