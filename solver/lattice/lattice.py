# SPDX-License-Identifier: GPL-3.0-or-later
"""A lattice of cells around any surface mesh, and points embedded in it.

The surface may be open, self-intersecting, flat or not a manifold: cells of a cubic grid that it
touches, or that lie inside it, are kept. solid_regions.py defines the inside.

A cell is duplicated for every connected component of the material inside it. Two of these share
their common corners only where the material of both connects through their common face, directly
or through others around the corner (virtual nodes: Molino, Bao and Fedkiw 2004; Teran, Sifakis,
Blemker, Ng-Thow-Hing, Lau and Fedkiw 2005; for lattices Patterson, Mitchell and Sifakis 2012). So
two fingers or both lips move independently, however coarse the cells are.
"""

from dataclasses import dataclass

import numpy as np

from ..bodies import CELL_CORNERS, Filling
from ..topology.graphs import connected_components
from ..topology.meshes import finite_points
from .cell_components import components_of
from .containing_cells import ContainingCells
from .grid import LEAST_FRACTION, grid_around
from .shells import welded


@dataclass(eq=False)
class Lattice:
    """Cells around a surface. `embed` finds points in them."""

    points: np.ndarray
    """Corners of the cells [m], shape [vertex, 3]."""
    cells: np.ndarray
    """Vertices of every cell, shape [cell, 8], int32; corner k is at CELL_CORNERS[k]."""
    filling: Filling
    """Filling of the cells by material."""
    origin: np.ndarray
    """Lowest corner of the grid [m]."""
    cell_size: float
    """Side of a cell [m]."""
    grid: np.ndarray
    """Places of the vertices in the grid, in cells, shape [vertex, 3], int."""
    containing_cells: ContainingCells
    """The surface in the cells, by which `embed` finds the cell of a point."""


def lattice(points, triangles, resolution, name="Lattice"):
    """The `Lattice` around a surface: points [vertex, 3] in m, triangles [triangle, 3].

    `resolution`: cells along the longest side of the bounding box.
    """
    points, triangles, origin, size, counts = grid_around(points, triangles, resolution, name)
    at, surface = (points - origin) / size, welded(points, triangles)
    components = components_of(at, surface, counts)
    components.filling.part = _with_least(components.filling.part)
    places = np.stack(np.unravel_index(components.cell, counts), axis=1)
    used, cells = _vertices(components, places, counts)
    doubled = np.bincount(used)[used] > 1
    grid = np.stack(np.unravel_index(used, counts + 1), axis=1)
    return Lattice(
        points=origin + size * grid,
        cells=cells.astype(np.int32),
        filling=components.filling,
        origin=origin,
        cell_size=size,
        grid=grid,
        containing_cells=ContainingCells(
            points=at,
            triangles=surface,
            counts=counts,
            place=components.cell,
            pieces=components.pieces,
            cell=components.of_piece,
            cells=cells,
            doubled=doubled[cells].any(axis=1),
        ),
    )


def _with_least(fractions):
    """Fractions raised to at least `LEAST_FRACTION`; as far as possible the other cells that are
    not full compensate for the added material.
    """
    raised = np.maximum(fractions, LEAST_FRACTION)
    spare = np.where(fractions < 1.0, raised - LEAST_FRACTION, 0.0)
    added, available = (raised - fractions).sum(), max(spare.sum(), 1e-300)
    return raised - min(added / available, 1.0) * spare


def _vertices(components, places, counts):
    """Flat place of every vertex in the grid, [vertex], and the vertices of cells, [cell, 8].

    Corners of components in one place are one vertex if faces connect the components around it.
    """
    corners = (places[:, None] + CELL_CORNERS).reshape(-1, 3)
    node = np.ravel_multi_index(corners.T, counts + 1).reshape(-1, 8)
    nodes = np.prod(counts + 1)
    # Most nodes are corners of eight connected cells without duplicates.
    passed, lone = (
        np.zeros(nodes, int),
        np.append(True, components.cell[1:] != components.cell[:-1]),
    )
    links = []
    for axis, (low, high) in enumerate(pairs.T for pairs in components.faces):
        above = np.flatnonzero(CELL_CORNERS[:, axis] == 1)
        below = above - (1 << axis)
        passed += np.bincount(node[low][:, above].ravel(), minlength=nodes)
        ends = 8 * low[:, None] + above, 8 * high[:, None] + below
        links.append(np.stack([end.ravel() for end in ends], axis=1))
    whole = (passed == 12) & (np.bincount(node.ravel(), minlength=nodes) == 8)
    whole &= np.bincount(node[lone].ravel(), minlength=nodes) == 8
    node, links = node.ravel(), np.concatenate(links)

    other = np.flatnonzero(~whole[node])
    rank = np.empty(len(node), np.int64)
    rank[other] = np.arange(len(other))
    links = rank[links[~whole[node[links[:, 0]]]]]
    vertex = node.copy()
    vertex[other] = nodes + connected_components(links, len(other))
    place = np.full(vertex.max() + 1, -1)
    place[vertex] = node
    used = np.flatnonzero(place >= 0)
    used = used[np.argsort(place[used], kind="stable")]
    number = np.empty(len(place), np.int64)
    number[used] = np.arange(len(used))
    return place[used], number[vertex].reshape(-1, 8)


def embed(points, lattice):
    """Corners, int32 [point, 8], and their weights, float64 [point, 8], of points in a lattice.

    `(weights[:, :, None] * lattice.points[corners]).sum(axis=1)` moves the points with the lattice.
    Points outside follow the nearest cell, with weights beyond 0 and 1.
    """
    points = finite_points("Lattice", "points", points)
    at = (points - lattice.origin) / lattice.cell_size
    cell = lattice.containing_cells.cells_at(at)
    inner = (at - lattice.grid[lattice.cells[cell, 0]])[:, None]
    return lattice.cells[cell], np.where(CELL_CORNERS == 1, inner, 1.0 - inner).prod(axis=2)
