# SPDX-License-Identifier: GPL-3.0-or-later
"""A surface cut by the cells of a grid: pieces of its triangles, and patches of pieces."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..topology.graphs import connected_components
from .voxels import PAIRS_AT_ONCE, ROUNDING, touches


@dataclass(eq=False)
class Pieces:
    """Pieces of triangles in single cells, sorted by triangle and cell."""

    triangle: np.ndarray
    """[piece]"""
    cell: np.ndarray
    """Flat number in the grid, [piece]."""
    patch: np.ndarray
    """Patch of pieces connected by edges and points within one cell, by number, [piece]."""
    cell_count: int
    """Number of cells in the grid."""

    def find(self, triangle, cell):
        """Pieces of `triangle` in `cell`, arrays of one shape; -1 where there is none."""
        keys = self.triangle * self.cell_count + self.cell
        wanted = triangle * self.cell_count + cell
        at = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        return np.where(keys[at] == wanted, at, -1)

    @cached_property
    def _by_cell(self):
        order = np.argsort(self.cell, kind="stable")
        return order, self.cell[order]

    def in_cells(self, cells):
        """Yield batches of pieces in cells [n]: indices of cells [pair], and pieces [pair]."""
        order, sorted_cells = self._by_cell
        first, last = (np.searchsorted(sorted_cells, cells, side) for side in ("left", "right"))
        count = last - first
        batches = np.cumsum(count) // PAIRS_AT_ONCE
        for some in np.split(np.arange(len(cells)), np.flatnonzero(np.diff(batches)) + 1):
            number, own = np.repeat(some, count[some]), count[some]
            within = np.arange(len(number)) - np.repeat(np.cumsum(own) - own, own)
            yield number, order[first[number] + within]


def pieces_of(points, triangles, counts):
    """`Pieces` of triangles [triangle, 3] between points [point, 3], in cells."""
    triangle, cell = touches(points[triangles], counts)
    cell_count = int(np.prod(counts))
    low = np.stack(np.unravel_index(cell, counts), axis=1)
    corners = triangles[triangle].astype(np.int64)
    links = []
    for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)):
        ends = np.sort(corners[:, [a, b]], axis=1)
        reach = np.flatnonzero(_segments_touch(points[ends], low))
        keys = (ends[reach] @ [len(points), 1]) * cell_count + cell[reach]
        links.append((keys, reach))
    shared = []
    for some in (links[:3], links[3:]):
        keys, piece = (np.concatenate(columns) for columns in zip(*some, strict=True))
        shared.append(_neighbors_of_equals(keys, piece))
    patch = connected_components(np.concatenate(shared), len(cell))
    return Pieces(triangle, cell, patch, cell_count)


def _segments_touch(ends, low):
    """True for segments [pair, 2, 3] that touch unit cells with lowest corners `low` [pair, 3]."""
    start, along = ends[:, 0] - low, ends[:, 1] - ends[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-ROUNDING - start) / along, (1.0 + ROUNDING - start) / along
    still = along == 0.0
    within = (start >= -ROUNDING) & (start <= 1.0 + ROUNDING)
    first = np.where(still, np.where(within, 0.0, 2.0), np.minimum(one, other)).max(axis=1)
    last = np.where(still, 1.0, np.maximum(one, other)).min(axis=1)
    return np.maximum(first, 0.0) <= np.minimum(last, 1.0)


def _neighbors_of_equals(keys, items):
    """Pairs of consecutive `items` of one key, [pair, 2]."""
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    return np.stack([items[order[same]], items[order[same + 1]]], axis=1)
