# SPDX-License-Identifier: GPL-3.0-or-later
"""The cell of a lattice that contains a point, among several cells in one place.

A point follows the material that is nearest to it. No other surface lies between a point and the
nearest point of the surface, so the nearest piece of the surface determines the component of a
point inside the material, on its surface or slightly outside.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .surface_patches import Pieces
from .triangle_queries import nearest_on_triangles

# A point within this distance of a triangle, in cells, lies on it.
ON_IT = 1e-6
AROUND = np.stack(np.indices((3, 3, 3)), axis=-1).reshape(-1, 3) - 1


@dataclass(eq=False)
class ContainingCells:
    """The surface in a lattice, cut in pieces that belong to cells; finds cells of points."""

    points: np.ndarray
    """Points of the surface in cells, [point, 3]."""
    triangles: np.ndarray
    """[triangle, 3]"""
    counts: np.ndarray
    """Size of the grid, [3]."""
    place: np.ndarray
    """Flat place of every cell in the grid, ascending, [cell]."""
    pieces: Pieces
    cell: np.ndarray
    """Cell of each piece, [piece]."""
    cells: np.ndarray
    """Vertices of the cells, [cell, 8]."""
    doubled: np.ndarray
    """True for cells that share their place, or that of a corner, with others, [cell]."""

    def cells_at(self, at):
        """Cell [point] that each of the points `at` [point, 3], in cells, follows."""
        place = np.clip(np.floor(at).astype(np.int64), 0, self.counts - 1)
        cell = self._first_cell(place)
        unclear = np.flatnonzero((cell < 0) | self.doubled[cell])
        piece = self._at_corners(at[unclear], place[unclear])
        cell[unclear[piece >= 0]] = self.cell[piece[piece >= 0]]
        unclear = unclear[piece < 0]
        if len(unclear):
            cell[unclear] = self._nearest(at[unclear], place[unclear])
        return cell

    def _first_cell(self, place):
        """The first cell at places [n, 3] in the grid, -1 for none."""
        flat = np.ravel_multi_index(place.T, self.counts)
        first = np.searchsorted(self.place, flat).clip(max=len(self.place) - 1)
        return np.where(self.place[first] == flat, first, -1)

    def _at_corners(self, at, place):
        """A piece in the cell of each point that is a corner of the surface; -1 for others."""
        corners, first = np.unique(self.triangles, return_index=True)
        every = np.concatenate([self.points[corners], at])
        order = np.lexsort(every.T)
        new = np.append(True, (every[order][1:] != every[order][:-1]).any(axis=1))
        # The sort is stable: if a point is at a corner, its group begins with the corner.
        leader = np.empty(len(order), np.int64)
        leader[order] = order[new][np.cumsum(new) - 1]
        corner = leader[len(corners) :]
        known = corner < len(corners)
        triangle = first[np.where(known, corner, 0)] // 3
        piece = self.pieces.find(triangle, np.ravel_multi_index(place.T, self.counts))
        return np.where(known, piece, -1)

    def _nearest(self, at, place):
        """Cells of points away from the corners of the surface, by its nearest piece."""
        flat = np.ravel_multi_index(place.T, self.counts)
        piece, gap = self._nearest_piece(at, flat[:, None])
        cell = np.where(piece >= 0, self.cell[piece], -1)
        off = np.flatnonzero(~(gap < ON_IT**2))
        if not len(off):
            return cell
        at, place = at[off], self._occupied(at[off], place[off])
        around = place[:, None] + AROUND
        flat = np.ravel_multi_index(np.moveaxis(around, 2, 0), self.counts, mode="clip")
        piece, _ = self._nearest_piece(at, flat)
        cell[off] = self._beside(np.where(piece >= 0, self.cell[piece], -1), place)
        return cell

    def _occupied(self, at, place):
        """Places of points, or of the nearest cells where no cell is at their places."""
        touched = np.unique(self.pieces.cell)
        touched = np.stack(np.unravel_index(touched, self.counts), axis=1)
        place = place.copy()
        for i in np.flatnonzero(self._first_cell(place) < 0):
            gap = np.maximum(0.0, np.abs(at[i] - (touched + 0.5)) - 0.5)
            place[i] = touched[np.argmin((gap**2).sum(axis=1))]
        return place

    def _beside(self, nearest, place):
        """Cells at places [n, 3] that are connected to the `nearest` cells, or else those."""
        own = self._first_cell(place)
        cell = np.where(nearest >= 0, nearest, own)
        other = np.stack(np.unravel_index(self.place[cell], self.counts), axis=1)
        common = (2 - np.abs(place - other)).prod(axis=1)
        todo = np.flatnonzero(nearest >= 0)
        candidate = own.copy()
        while len(todo):
            own_corners, nearest_corners = self.cells[candidate[todo]], self.cells[nearest[todo]]
            shared = (own_corners[:, :, None] == nearest_corners[:, None]).any(axis=2).sum(axis=1)
            fits = shared == common[todo]
            cell[todo[fits]] = candidate[todo[fits]]
            candidate[todo] += 1
            more = candidate[todo].clip(max=len(self.place) - 1)
            more = (self.place[more] == self.place[own[todo]]) & (more == candidate[todo])
            todo = todo[more & ~fits]
        return cell

    def _nearest_piece(self, at, flat):
        """Pieces nearest to points [n, 3] in the cells at flat places [n, m], -1 for none, and
        their squared distances.
        """
        piece, least = np.full(len(at), -1), np.full(len(at), np.inf)
        for pair, near in self.pieces.in_cells(flat.ravel()):
            point = pair // flat.shape[1]
            chosen = self._near(at[point], point, self.pieces.triangle[near])
            point, near = point[chosen], near[chosen]
            corners = self.points[self.triangles[self.pieces.triangle[near]]]
            gap = ((nearest_on_triangles(at[point], corners) - at[point]) ** 2).sum(axis=1)
            order = np.lexsort([near, gap, point])
            order = order[np.append(True, point[order][1:] != point[order][:-1])[: len(order)]]
            order = order[gap[order] < least[point[order]]]
            piece[point[order]], least[point[order]] = near[order], gap[order]
        return piece, least

    def _near(self, at, point, triangle):
        """Indices of pairs [pair] whose triangle may be the nearest one to its point."""
        center, radius = self._bounding_spheres
        distance = np.linalg.norm(center[triangle] - at, axis=1)
        least = np.full(point.max(initial=-1) + 1, np.inf)
        np.minimum.at(least, point, distance)
        return np.flatnonzero(distance - radius[triangle] <= least[point])

    @cached_property
    def _bounding_spheres(self):
        """Centers [triangle, 3] and radii [triangle] of bounding spheres of the triangles."""
        corners = self.points[self.triangles]
        center = corners.mean(axis=1)
        return center, np.linalg.norm(corners - center[:, None], axis=2).max(axis=1)
