# SPDX-License-Identifier: GPL-3.0-or-later
"""Elastic elements: energy, gradient and exact Hessian of each, and sums over a mesh.

Every kind of element evaluates all its elements at once, at positions x [vertex, 3] in metres:

    energy(x)    [J],     shape [element]
    gradient(x)  [N],     shape [element, corner, 3]
    hessian(x)   [N/m],   shape [element, corner, 3, corner, 3]
    damping(x_start, ratio)   the same kind, as a potential that damps it (see `Continuum`)

Here: continuum elements over a density ψ(F) (`solids`, `membranes`) and springs; `hinges` apart.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

IDENTITY = np.eye(3)


def outer(a, b):
    """Outer product a bᵀ over leading axes."""
    return a[..., :, None] * b[..., None, :]


def rows(owner, keep):
    """A dataclass of arrays with only some of its elements; numbers serve all elements."""
    arrays = {f.name: getattr(owner, f.name) for f in fields(owner)}
    return replace(owner, **{n: a[keep] for n, a in arrays.items() if isinstance(a, np.ndarray)})


def positive_part(hessians):
    """Symmetric matrices [element, n, n] with their negative eigenvalues set to zero."""
    values, vectors = np.linalg.eigh(hessians)
    values = np.maximum(values, 0.0)
    return np.einsum("eij,ej,ekj->eik", vectors, values, vectors)


@dataclass(frozen=True)
class Continuum:
    """Tets or triangles of a material with density ψ(F) per rest volume or rest area.

    corners [element, c]; shape [element, c, d] are the gradients of the shape functions in the d
    dimensions of the rest shape; measure [element] is the rest volume [m³] or area [m²]. A
    deformation gradient F [3, d] is stored as its columns, `columns` [element, d, 3].
    """

    corners: np.ndarray
    shape: np.ndarray
    measure: np.ndarray
    density: object

    def columns(self, x):
        return np.einsum("ead,eai->edi", self.shape, x[self.corners])

    def energy(self, x):
        return self.measure * self.density.energy(self.columns(x))

    def gradient(self, x):
        stress = self.density.stress(self.columns(x))
        return np.einsum("e,ead,edi->eai", self.measure, self.shape, stress)

    def hessian(self, x):
        count, corners, dims = self.shape.shape
        # From corners to columns of F: F = B x, as a matrix [element, corner·3, column·3].
        b = np.einsum("ead,ij->eaidj", self.shape, IDENTITY).reshape(count, 3 * corners, -1)
        tangent = self.density.tangent(self.columns(x)).reshape(count, 3 * dims, 3 * dims)
        block = (self.measure[:, None, None] * b) @ (tangent @ b.transpose(0, 2, 1))
        return block.reshape(count, corners, 3, corners, 3)

    def damping(self, x_start, ratio):
        """The potential of one step that damps the rates of internal variables.

        `ratio` is k_d/h. Its viscous force is k_d times the rate of the elastic stress, linearized
        at rest, and it does no work on rigid motions.
        """
        return replace(self, density=self.density.damping(self.columns(x_start), ratio))

    def take(self, keep):
        return replace(rows(self, keep), density=rows(self.density, keep))


def tets(rest_points, corners, density):
    """Tets [element, 4] with positive volume in the rest shape."""
    edges = rest_points[corners[:, 1:]] - rest_points[corners[:, :1]]
    inner = np.linalg.inv(edges).transpose(0, 2, 1)
    shape = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    return Continuum(corners, shape, np.linalg.det(edges) / 6.0, density)


def triangles(rest_points, corners, density, warp=None):
    """Triangles [element, 3]; their first axis is `warp` [element, 3] laid into the plane.

    Without `warp` the first axis is the first edge.
    """
    edges = rest_points[corners[:, 1:]] - rest_points[corners[:, :1]]
    normal = np.cross(edges[:, 0], edges[:, 1])
    double_area = np.linalg.norm(normal, axis=1)
    normal /= double_area[:, None]
    first = edges[:, 0] if warp is None else np.asarray(warp, dtype=float)
    first = first - np.einsum("ei,ei->e", first, normal)[:, None] * normal
    first /= np.linalg.norm(first, axis=1)[:, None]
    axes = np.stack([first, np.cross(normal, first)], axis=1)
    inner = np.linalg.inv(np.einsum("eai,edi->ead", edges, axes)).transpose(0, 2, 1)
    shape = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    return Continuum(corners, shape, 0.5 * double_area, density)


@dataclass(frozen=True)
class Springs:
    """E = ½ k (l − l₀)²; corners [element, 2], stiffness k [N/m], rest l₀ [m], both [element]."""

    corners: np.ndarray
    stiffness: np.ndarray
    rest: np.ndarray

    def lengths(self, x):
        return np.linalg.norm(x[self.corners[:, 1]] - x[self.corners[:, 0]], axis=1)

    def directions(self, x):
        d = x[self.corners[:, 1]] - x[self.corners[:, 0]]
        return d / np.linalg.norm(d, axis=1)[:, None]

    def energy(self, x):
        return 0.5 * self.stiffness * (self.lengths(x) - self.rest) ** 2

    def gradient(self, x):
        pull = (self.stiffness * (self.lengths(x) - self.rest))[:, None] * self.directions(x)
        return np.stack([-pull, pull], axis=1)

    def hessian(self, x):
        along = outer(self.directions(x), self.directions(x))
        across = (1.0 - self.rest / self.lengths(x))[:, None, None] * (IDENTITY - along)
        block = self.stiffness[:, None, None] * (along + across)
        signs = np.array([[1.0, -1.0], [-1.0, 1.0]])
        return np.einsum("ab,eij->eaibj", signs, block)

    def damping(self, x_start, ratio):
        return Springs(self.corners, self.stiffness * ratio, self.lengths(x_start))

    def take(self, keep):
        return rows(self, keep)


def springs(rest_points, corners, stiffness):
    """Springs at rest in `rest_points`; stiffness [N/m] is one number or one per spring."""
    rest = np.linalg.norm(rest_points[corners[:, 1]] - rest_points[corners[:, 0]], axis=1)
    return Springs(corners, np.broadcast_to(stiffness, rest.shape).astype(float), rest)
