# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients of other shapes of a body over its modeled shape, at points of its elements."""

from dataclasses import dataclass

import numpy as np

from ..bodies import CELL_CORNERS, Cells, Cloth, Rod, Solid
from ..elements.cells import FARTHEST as FARTHEST_MIDDLE

# Points of a cell, in sides from its middle (Gauss), and the least fraction of a cell that counts.
GAUSS, LEAST_FILLED = 0.5 / 3.0**0.5, 0.05
# The largest stretch of an element at rest over its modeled shape, and the inverse of the least.
FARTHEST = 10.0
# Below this size, over that of the modeled shape, an element is flat.
FLAT = 1e-3


@dataclass
class Gradients:
    """Points in elements, at which Σ_k X_k w_kᵀ is the gradient ∂X/∂t of a shape X over the modeled
    shape t.

    `corners` [element, n], `weights` w [element, point, n, 3] in 1/m, `measure` [element, point]:
    the volume, area or length that a point stands for. `dimension` is 3, 2 for sheets or 1 for
    springs; `along` [element, point, 3, 3] are the gradients of the modeled shape: projections on
    its tangents. `middle` [element, 1, n, 3] are the weights at the points that the energy knows.
    """

    corners: np.ndarray
    weights: np.ndarray
    measure: np.ndarray
    dimension: int
    along: np.ndarray
    middle: np.ndarray

    def of(self, points, weights=None):
        """∂X/∂t, [element, point, 3, 3], of points X [vertex, 3]."""
        edges = points[self.corners] - points[self.corners[:, :1]]
        return np.swapaxes(edges, 1, 2)[:, None] @ (self.weights if weights is None else weights)

    def least_and_most(self, points):
        """The least and the largest size of an element in its middle, for points [vertex, 3]."""
        sizes = self.sizes(self.of(points, self.middle))
        return sizes.min(), sizes.max()

    def sizes(self, gradients):
        """Volumes, which may be negative, areas or lengths over those of the modeled shape."""
        if self.dimension == 3:
            return np.linalg.det(gradients)
        if self.dimension == 2:
            return np.linalg.norm(cofactors(gradients), axis=(-2, -1))
        return np.linalg.norm(gradients, axis=(-2, -1))

    def unloaded(self, rest, x):
        """The gradients of the modeled shape after the deformation from `rest` to `x` is undone.

        Elements that are flat or inverted at x keep their gradients at rest.
        """
        own, now = self.of(rest), self.of(x)
        sizes = self.sizes(now)
        sound = (sizes > FLAT)[..., None, None]
        if self.dimension == 1:
            ratio = self.sizes(own) / np.maximum(sizes, FLAT)
            return np.where(sound, ratio[..., None, None] * self.along, own)
        full, moved = self._completed(own), self._completed(now)
        wanted = limited(full @ inverses(np.where(sound, moved, np.eye(3)))) @ self.along
        return np.where(sound, wanted, own)

    def _completed(self, gradients):
        """The gradients with the unit normal of a sheet as the image of its modeled normal."""
        if self.dimension == 3:
            return gradients
        normal = cofactors(gradients)
        size = np.linalg.norm(normal, axis=(-2, -1), keepdims=True)
        return gradients + normal / np.maximum(size, 1e-30)


def limited(gradients):
    """Gradients [..., 3, 3], invertible, with stretches between 1/`FARTHEST` and that."""
    sizes = [(m * m).sum(axis=(-2, -1)) for m in (gradients, inverses(gradients))]
    far = np.maximum(*sizes) > FARTHEST**2
    u, stretches, v = np.linalg.svd(gradients[far])
    gradients[far] = (u * np.clip(stretches, 1.0 / FARTHEST, FARTHEST)[..., None, :]) @ v
    return gradients


def inverses(m):
    """The inverses of matrices [..., 3, 3]."""
    transposed = np.swapaxes(cofactors(m), -2, -1)
    return transposed / (transposed @ m)[..., :1, :1]


def cofactors(m):
    """cof M of matrices [..., 3, 3]."""
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(m, (-2, -1), (0, 1))
    first = e * i - f * h, f * g - d * i, d * h - e * g
    second = c * h - b * i, a * i - c * g, b * g - a * h
    third = b * f - c * e, c * d - a * f, a * e - b * d
    return np.stack([np.stack(row, axis=-1) for row in (first, second, third)], axis=-2)


def gradients_of(body):
    """The `Gradients` over the points of a body, its modeled shape."""
    points, elements = body.points, body.elements
    if isinstance(body, Cells):
        return _of_cells(body)
    if isinstance(body, Rod) and body.directors is not None:
        elements = np.column_stack([elements, body.directors])
    edges = np.swapaxes(points[elements[:, 1:]] - points[elements[:, :1]], 1, 2)
    inverse = np.linalg.pinv(edges)
    weights = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)[:, None]
    dimension = {Solid: 3, Cloth: 2, Rod: elements.shape[1] - 1}[type(body)]
    if dimension == 3:
        measure = np.abs(np.linalg.det(edges))
    elif isinstance(body, Cloth):
        measure = np.linalg.norm(np.cross(edges[..., 0], edges[..., 1]), axis=1)
    else:
        measure = np.linalg.norm(edges[..., 0], axis=1)
    along = (edges @ inverse)[:, None]
    return Gradients(elements, weights, measure[:, None], dimension, along, weights)


def _of_cells(body):
    """The `Gradients` of cells, at eight points each."""
    sides, per_side = body.sides(), 1.0 / body.sides()[:, None, None, None]
    weights = trilinear(GAUSS * (2.0 * CELL_CORNERS - 1.0)) * per_side
    middle = trilinear(_middles(body))[:, None] * per_side
    volume = sides**3 * np.maximum(body.filling.part, LEAST_FILLED) / 8.0
    measure = np.repeat(volume[:, None], 8, axis=1)
    made = Gradients(body.cells, weights, measure, 3, None, middle)
    made.along = made.of(body.points)  # the identity where they are cubes
    return made


def trilinear(places):
    """∂N/∂x of the corners of a unit cell [place, corner, 3] at places [place, 3] from its middle:
    the sign along x times the shapes along y and z, and so on.
    """
    signs, shape = 2.0 * CELL_CORNERS - 1.0, _shape(places)
    others = np.stack([shape[..., [1, 2]], shape[..., [0, 2]], shape[..., [0, 1]]], axis=-2)
    return signs * others.prod(axis=-1)


def _shape(places):
    """N of the corners along each axis, [place, corner, 3]."""
    return 0.5 + places[:, None] * (2.0 * CELL_CORNERS - 1.0)


def material_shares(body):
    """Weights [cell, 8] of the corners of cells at the middle of their material."""
    return _shape(_middles(body)).prod(axis=-1)


def _middles(body):
    """The middle of the material of cells, in sides from their own, [cell, 3]."""
    return 0.5 * np.clip(body.filling.middle, -FARTHEST_MIDDLE, FARTHEST_MIDDLE)
