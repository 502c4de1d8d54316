# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossings of a surface with straight lines through the middles of unit cells.

The interval between two crossings is either material or empty, however short it is: so lines
resolve gaps and sheets that are much thinner than a cell.
"""

from dataclasses import dataclass

import numpy as np

from .voxels import ROUNDING, within_boxes

# Crossings closer than this, in cells, coincide: shells that touch are joined.
TOUCHING = 1e-5


@dataclass(eq=False)
class LineCrossings:
    """Crossings of all lines along `axis`, sorted by line and depth."""

    axis: int
    row: np.ndarray
    """Cell along the next axis, [crossing]; with `column`, the line."""
    column: np.ndarray
    """Cell along the axis after it, [crossing]."""
    depth: np.ndarray
    """Position along the axis, in cells, [crossing]."""
    triangle: np.ndarray
    sign: np.ndarray
    """1 if the line runs against the triangle's normal, into the material; else -1, [crossing]."""

    @property
    def next_middle(self):
        """First cell with its middle beyond the crossing, [crossing]."""
        return np.ceil(self.depth - 0.5).astype(np.int64)

    @property
    def has_next(self):
        """True if another crossing follows on the same line, [crossing]."""
        row, column = self.row, self.column
        return np.append((row[1:] == row[:-1]) & (column[1:] == column[:-1]), False)

    def winding(self, weights):
        """Sums of `sign` times `weights` [crossing] on the line, up to and with each crossing."""
        sums = np.cumsum(self.sign * weights)
        first = np.concatenate([[True], ~self.has_next[:-1]])[: len(sums)]
        before = (sums - self.sign * weights)[first]
        return sums - before[np.cumsum(first) - 1] if len(sums) else sums

    def places(self, along):
        """Index [3] of cells at positions `along` [crossing] the lines."""
        index = [None, None, None]
        index[self.axis] = along
        index[(self.axis + 1) % 3], index[(self.axis + 2) % 3] = self.row, self.column
        return tuple(index)

    def __getitem__(self, chosen):
        arrays = (self.row, self.column, self.depth, self.triangle, self.sign)
        return LineCrossings(self.axis, *(array[chosen] for array in arrays))


def crossings(points, triangles, counts, axis):
    """`LineCrossings` of triangles [triangle, 3] between points [point, 3], in cells, with the
    lines along an axis through the middles of all cells in a grid of `counts`.

    A line that passes an edge is on one side of it for both triangles, so lines leave a closed
    surface as often as they enter it.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    flat, height = points[:, [u, v]] - 0.5, points[:, axis]
    batches = [(np.zeros((0, 2), np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, int))]
    for triangle, line in _candidates(flat[triangles], counts[[u, v]]):
        sides = _sides(flat, triangles[triangle], line)
        left = (sides > 0.0).sum(axis=0)
        hit = (left == 0) | (left == 3)
        triangle, line, sides = triangle[hit], line[hit], np.abs(sides[:, hit])
        total = sides.sum(axis=0)
        # The area beside an edge is the weight of the opposite corner.
        opposite = height[triangles[triangle][:, [2, 0, 1]]].T
        depth = (sides * opposite).sum(axis=0) / np.maximum(total, 1e-300)
        batches.append((line, depth, triangle, np.where(left[hit] == 3, -1, 1)))
    line, depth, triangle, sign = (np.concatenate(rows) for rows in zip(*batches, strict=True))
    order = np.lexsort([depth - TOUCHING * sign, line[:, 1], line[:, 0]])
    every = LineCrossings(axis, line[:, 0], line[:, 1], depth, triangle, sign)
    return every[order]


def _candidates(corners, counts):
    """Yield batches of triangles [pair] with `corners` [triangle, 3, 2] and of points with integer
    coordinates [pair, 2], below `counts`, that may lie in them.
    """
    first = np.maximum(np.ceil(corners[:, :, 0].min(axis=1)), 0).astype(np.int64)
    last = np.minimum(np.floor(corners[:, :, 0].max(axis=1)), counts[0] - 1).astype(np.int64)
    for triangle, row in within_boxes(first[:, None], np.maximum(last - first + 1, 0)[:, None]):
        start = corners[triangle]
        along = np.roll(start, -1, axis=1) - start
        with np.errstate(divide="ignore", invalid="ignore"):
            fraction = (row - start[:, :, 0]) / along[:, :, 0]
            column = start[:, :, 1] + fraction * along[:, :, 1]
        passed = (fraction >= -ROUNDING) & (fraction <= 1.0 + ROUNDING)
        low = np.where(passed, column, np.inf).min(axis=1) - ROUNDING * counts[1]
        high = np.where(passed, column, -np.inf).max(axis=1) + ROUNDING * counts[1]
        low = np.ceil(np.clip(low, 0, counts[1])).astype(np.int64)
        high = np.floor(np.clip(high, -1, counts[1] - 1)).astype(np.int64)
        spans = np.stack([np.ones_like(low), np.maximum(high - low + 1, 0)], axis=1)
        for pair, line in within_boxes(np.column_stack([row, low]), spans):
            yield triangle[pair], line


def _sides(flat, triangles, line):
    """Sides of points `line` [pair, 2] relative to the three edges of triangles [pair, 3]: twice
    the areas [3, pair], positive on the left.
    """
    sides = np.empty((3, len(line)))
    for k in range(3):
        a, b = triangles[:, k], triangles[:, (k + 1) % 3]
        # Both triangles of an edge start at the same end, so they round alike.
        turned = a > b
        start, end = flat[np.minimum(a, b)], flat[np.maximum(a, b)]
        along, to = end - start, line - start
        side = along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]
        side = np.where(side == 0.0, 1e-300, side)
        sides[k] = np.where(turned, -side, side)
    return sides
