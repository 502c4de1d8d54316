# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape whose gradients are nearest to wanted ones, in the sense of least squares.

It solves Poisson's equation Gᵀ V G X = Gᵀ V W on the modeled shape, by conjugate gradients with the
diagonal as preconditioner (Hestenes and Stiefel 1952).
"""

import numpy as np

from ..topology.graphs import edge_index, unique_edges

# The residual over the first one at which a solution is accepted, and the most iterations. The
# next round corrects what remains.
ENOUGH, MOST = 1e-2, 3000


class Fit:
    """Least squares for the `gradients` of a body; `held` [pin] are vertices that stay."""

    def __init__(self, gradients, vertex_count, held):
        self.gradients = gradients
        self.free = np.ones(vertex_count, dtype=bool)
        self.free[held] = False
        g = gradients
        local = np.einsum("epki,epli,ep->ekl", g.weights, g.weights, g.measure)
        ends = unique_edges(g.corners)
        values, diagonal = np.zeros(len(ends)), np.zeros(vertex_count)
        for k in range(g.corners.shape[1]):
            np.add.at(diagonal, g.corners[:, k], local[:, k, k])
            for m in range(k):
                at = edge_index(ends, g.corners[:, [k, m]])
                np.add.at(values, at, local[:, k, m])
        self.diagonal = np.maximum(diagonal, 1e-12 * diagonal.max())
        # Both directions of every edge, sorted by vertex.
        both = np.concatenate([ends, ends[:, ::-1]])
        order = np.argsort(both[:, 0], kind="stable")
        self.other, self.value = both[order, 1], np.tile(values, 2)[order, None]
        self.start = np.searchsorted(both[order, 0], np.arange(vertex_count))

    def product(self, x):
        """Gᵀ V G x of free vertices, [vertex, 3]; 0 at held ones."""
        sums = np.add.reduceat(self.value * x[self.other], self.start)
        return np.where(self.free[:, None], sums + self.diagonal[:, None] * x, 0.0)

    def shape(self, near, wanted):
        """The points [vertex, 3] with gradients nearest to `wanted`, from the points `near`."""
        g = self.gradients
        missing = (wanted - g.of(near)) * g.measure[..., None, None]
        forces = np.einsum("epij,epkj->eki", missing, g.weights)
        residual = np.zeros_like(near)
        np.add.at(residual, g.corners, forces)
        residual[~self.free] = 0.0
        x, direction, size = np.zeros_like(near), np.zeros_like(near), 1.0
        first = None
        for _ in range(MOST):
            scaled = residual / self.diagonal[:, None]
            before, size = size, float((residual * scaled).sum())
            first = size if first is None else first
            if size <= ENOUGH**2 * first or size == 0.0:
                break
            direction = scaled + (size / before) * direction
            image = self.product(direction)
            step = size / float((direction * image).sum())
            x += step * direction
            residual -= step * image
        return near + x
