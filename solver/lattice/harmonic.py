# SPDX-License-Identifier: GPL-3.0-or-later
"""Harmonic extension into a lattice: positions of its inner vertices for known ones around them.

The inner vertices minimize Σ |x_i − x_j|² over the edges of the cells (harmonic coordinates: Joshi,
Meyer, DeRose, Green and Sanocki 2007). An affine motion of the known vertices moves them along.
"""

import numpy as np

from ..bodies import CELL_CORNERS

# Residual over the first one at which conjugate gradients end, and their most steps.
ENOUGH, MOST_STEPS = 1e-4, 1000


def cell_edges(cells):
    """Edges of `cells` [cell, 8], each once per cell, [edge, 2]."""
    apart = np.abs(CELL_CORNERS[:, None] - CELL_CORNERS).sum(axis=2)
    first, second = np.nonzero(np.triu(apart == 1))
    return np.stack([cells[:, first], cells[:, second]], axis=2).reshape(-1, 2)


class HarmonicExtension:
    """The map from positions of the `known` vertices [n] of a lattice to those of all."""

    def __init__(self, points, cells, known):
        self.rest, self.known = points, known
        self.inner = np.setdiff1d(np.arange(len(points)), known)
        ends = cell_edges(cells)
        both = np.concatenate([ends, ends[:, ::-1]])
        number = np.full(len(points), -1)
        number[self.inner] = np.arange(len(self.inner))
        both = both[number[both[:, 0]] >= 0]
        order = np.argsort(number[both[:, 0]], kind="stable")
        self.row, self.other = number[both[order, 0]], both[order, 1]
        self.start = np.searchsorted(self.row, np.arange(len(self.inner)))
        self.degree = np.bincount(self.row, minlength=len(self.inner)).astype(float)[:, None]

    def of(self, positions):
        """Positions [vertex, 3] of all vertices for those of the known ones, [n, 3]."""
        everywhere = self._affine(positions)
        everywhere[self.known] = positions
        if not len(self.inner):
            return everywhere
        change = np.zeros_like(everywhere)
        residual = self._sums(everywhere) - self.degree * everywhere[self.inner]
        least = ENOUGH**2 * (residual**2 / self.degree).sum()
        step, size = 0.0, 1.0
        for _ in range(MOST_STEPS):
            scaled = residual / self.degree
            before, size = size, (residual * scaled).sum()
            if size <= least:
                break
            step = scaled + (size / before) * step
            change[self.inner] = step
            image = self.degree * step - self._sums(change)
            length = size / (step * image).sum()
            everywhere[self.inner] += length * step
            residual -= length * image
        return everywhere

    def _sums(self, values):
        """Sums over the neighbors of the inner vertices, [inner, 3]."""
        return np.add.reduceat(values[self.other], self.start)

    def _affine(self, positions):
        """All vertices under the affine map that fits the known ones best, [vertex, 3]."""
        middle, middle_now = self.rest[self.known].mean(axis=0), positions.mean(axis=0)
        rest = self.rest - middle
        map_, *_ = np.linalg.lstsq(rest[self.known], positions - middle_now, rcond=None)
        return rest @ map_ + middle_now
