# SPDX-License-Identifier: GPL-3.0-or-later
"""A lattice of tets around a surface, and the surface embedded in it: bodies with tets of their own
that touch with a surface.

The surface may be open, self-intersecting, flat or not a manifold: cells of a cubic lattice that
touch it or lie inside it are kept, and every kept cell becomes six tets.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from vbd.solver.scene.grid import LEAST_FRACTION, grid_around
from vbd.solver.scene.voxels import closed_volume, outside_cells, touched_cells
from vbd.solver.topology.meshes import finite_points

# Subcells per side of a cell that measure how much of it is inside.
SUBCELLS = 3

# The corners of a Kuhn tet: from corner 000 to corner 111 of the cell, one axis after the other.
AXIS_ORDERS = np.array(list(permutations(range(3))))
KUHN_CORNERS = np.concatenate(
    [np.zeros((6, 1, 3), int), np.cumsum(np.eye(3, dtype=int)[AXIS_ORDERS], axis=1)], axis=1
)
# Makes one number of an axis order; the orders above rise in it.
BASE_3 = (9, 3, 1)
ODD = np.array([np.linalg.det(np.eye(3)[order]) < 0.0 for order in AXIS_ORDERS])


def inside_fractions(corners, counts, volume):
    """Part of every cell inside the surface, shape `counts`; above 0 for all that are to be kept.

    `corners` [triangle, 3, 3] in cells, `volume` in cells or None. A hole narrower than a cell does
    not let the outside in.
    """
    x, y, z = counts
    subcells = touched_cells(corners * SUBCELLS, counts * SUBCELLS)
    blocks = subcells.reshape(x, SUBCELLS, y, SUBCELLS, z, SUBCELLS)
    touched = blocks.any(axis=(1, 3, 5))
    enclosed = ~(touched | outside_cells(touched))
    # The finer flood runs through narrow holes, but not into cells that are known to be enclosed.
    blocks |= enclosed[:, None, :, None, :, None]
    outside = outside_cells(subcells).reshape(blocks.shape)
    full = np.where(enclosed, 1.0, (~(blocks | outside)).mean(axis=(1, 3, 5)))
    partly = np.where(enclosed, 0.0, blocks.mean(axis=(1, 3, 5)))
    # On the average the surface halves the subcells that it touches, but not if it runs along them.
    fraction = 0.5 if volume is None else (volume - full.sum()) / partly.sum()
    return full + np.clip(fraction, 0.01, 1.0) * partly


@dataclass(eq=False)
class Cage:
    """Tets around a surface. `embed` finds surface points in them."""

    points: np.ndarray
    """Corners of the kept cells [m], shape [vertex, 3]."""
    tets: np.ndarray
    """Positively oriented, shape [tet, 4], int32; six after each other fill one cell."""
    fractions: np.ndarray
    """Part of the tet's cell that lies inside the surface, shape [tet], in (0, 1]."""
    origin: np.ndarray
    """Lowest corner of the lattice [m]."""
    cell_size: float
    """Side of a cell [m]."""
    cell_index: np.ndarray
    """Index of every kept cell of the lattice, -1 for the others, shape [x, y, z]."""


def cage(points, triangles, resolution, name="Cage"):
    """The `Cage` around a surface: points [vertex, 3] in m, triangles [triangle, 3].

    `resolution`: cells along the longest side of the bounding box.
    """
    points, triangles, origin, size, counts = grid_around(points, triangles, resolution, name)
    volume = closed_volume(points, triangles)
    inside = inside_fractions(
        (points[triangles] - origin) / size, counts, volume and volume / size**3
    )
    cells = np.argwhere(inside > 0.0)
    fractions = np.maximum(inside[tuple(cells.T)], LEAST_FRACTION)

    cell_index = np.full(counts, -1)
    cell_index[tuple(cells.T)] = np.arange(len(cells))
    kuhn = KUHN_CORNERS.copy()
    kuhn[ODD, 1], kuhn[ODD, 2] = KUHN_CORNERS[ODD, 2], KUHN_CORNERS[ODD, 1]
    grid = (cells[:, None, None] + kuhn).reshape(-1, 3)
    used, tets = np.unique(np.ravel_multi_index(grid.T, counts + 1), return_inverse=True)
    cage_points = origin + size * np.stack(np.unravel_index(used, counts + 1), axis=1)
    return Cage(
        points=cage_points,
        tets=tets.reshape(-1, 4).astype(np.int32),
        fractions=np.repeat(fractions, 6),
        origin=origin,
        cell_size=size,
        cell_index=cell_index,
    )


def embed_in_tets(points, cage):
    """Tet corners, int32 [point, 4], and their weights, float64 [point, 4], of points in a cage.

    `(weights[:, :, None] * cage_points[corners]).sum(axis=1)` moves the points with the cage.
    Points outside follow the nearest cell, with weights below 0.
    """
    points = finite_points("Cage", "points", points)
    in_cells = (points - cage.origin) / cage.cell_size
    cells = np.clip(np.floor(in_cells).astype(int), 0, np.array(cage.cell_index.shape) - 1)
    number = cage.cell_index[tuple(cells.T)]
    kept = np.argwhere(cage.cell_index >= 0)
    for i in np.flatnonzero(number < 0):
        gap = np.maximum(0.0, np.abs(in_cells[i] - (kept + 0.5)) - 0.5)
        cells[i] = kept[np.argmin((gap**2).sum(axis=1))]
        number[i] = cage.cell_index[tuple(cells[i])]

    # Inside the Kuhn tet, the coordinates fall in the order in which its path takes the axes.
    inner = in_cells - cells
    order = np.argsort(-inner, axis=1, kind="stable")
    falling = np.take_along_axis(inner, order, axis=1)
    path = np.concatenate([np.ones((len(points), 1)), falling, np.zeros((len(points), 1))], axis=1)
    weights = path[:, :-1] - path[:, 1:]
    tet = np.searchsorted(AXIS_ORDERS @ BASE_3, order @ BASE_3)
    swapped = ODD[tet]
    weights[swapped, 1], weights[swapped, 2] = weights[swapped, 2], weights[swapped, 1]
    return cage.tets[6 * number + tet], weights
