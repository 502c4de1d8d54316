# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending over dihedral angles, E = ½ k (θ − θ₀)² with k = (D/3) 3|e|²/(A₁ + A₂), exact Hessian.

A hinge (p, q, r, s) has the edge p-q and the triangles (p, q, r) and (q, p, s). ∇θ is a sum of one
term per triangle. For (p, q, r), with e = q − p, n = e × (r − p) and u = n/|n|²:

    on r: −|e| u,   on q: (r − p)·ê u,   on p: −(r − q)·ê u

The other triangle is the same with p and q exchanged.
"""

from dataclasses import dataclass

import numpy as np

from .energies import IDENTITY, outer, rows
from .solids import cross_matrix


def dot(a, b):
    return np.einsum("ei,ei->e", a, b)


def angles(x, corners):
    """θ [rad] from the unit normals; zero when flat."""
    p, q, r, s = (x[corners[:, k]] for k in range(4))
    n_1, n_2 = np.cross(q - p, r - p), np.cross(p - q, s - q)
    e = (q - p) / np.linalg.norm(q - p, axis=1)[:, None]
    return np.arctan2(dot(np.cross(n_1, n_2), e), dot(n_1, n_2))


def triangle_part(p, q, r):
    """One triangle's term of ∇θ on (p, q, r) [element, 3, 3], and its slope [element, 3, 3, 3, 3].

    The slope's axes are (element, corner, coordinate, corner moved, coordinate moved).
    """
    e, to_p, to_q = q - p, r - p, r - q
    length = np.linalg.norm(e, axis=1)
    axis = e / length[:, None]
    n = np.cross(e, to_p)
    n_sq = dot(n, n)
    u = n / n_sq[:, None]
    weights = np.stack([-dot(to_q, axis), dot(to_p, axis), -length], axis=1)

    flip = (IDENTITY - 2.0 * outer(n, n) / n_sq[:, None, None]) / n_sq[:, None, None]
    by_q, by_r = -flip @ cross_matrix(to_p), flip @ cross_matrix(e)
    u_slope = np.stack([-by_q - by_r, by_q, by_r], axis=1)

    def off_axis(v):
        return (v - dot(v, axis)[:, None] * axis) / length[:, None]

    zero = np.zeros_like(e)
    weight_slope = np.stack(
        [
            np.stack([off_axis(to_q), axis - off_axis(to_q), -axis], axis=1),
            np.stack([-axis - off_axis(to_p), off_axis(to_p), axis], axis=1),
            np.stack([axis, -axis, zero], axis=1),
        ],
        axis=1,
    )
    slope = np.einsum("ea,ebij->eaibj", weights, u_slope)
    slope += np.einsum("ei,eabj->eaibj", u, weight_slope)
    return weights[:, :, None] * u[:, None, :], slope


def angle_gradient_hessian(x, corners):
    """∇θ [element, 4, 3] and ∇²θ [element, 4, 3, 4, 3]."""
    gradient = np.zeros((len(corners), 4, 3))
    hessian = np.zeros((len(corners), 4, 3, 4, 3))
    for triangle in ([0, 1, 2], [1, 0, 3]):
        part, slope = triangle_part(*(x[corners[:, k]] for k in triangle))
        gradient[:, triangle] += part
        for a, i in enumerate(triangle):
            for b, j in enumerate(triangle):
                hessian[:, i, :, j] += slope[:, a, :, b]
    return gradient, hessian


@dataclass(frozen=True)
class Hinges:
    """corners [element, 4], stiffness k [N m] and rest θ₀ [rad], both [element]."""

    corners: np.ndarray
    stiffness: np.ndarray
    rest: np.ndarray

    def gap(self, x):
        """θ − θ₀ as the smaller of the two angles."""
        gap = angles(x, self.corners) - self.rest
        return gap - 2.0 * np.pi * np.round(gap / (2.0 * np.pi))

    def energy(self, x):
        return 0.5 * self.stiffness * self.gap(x) ** 2

    def gradient(self, x):
        slope, _ = angle_gradient_hessian(x, self.corners)
        return (self.stiffness * self.gap(x))[:, None, None] * slope

    def hessian(self, x):
        slope, curvature = angle_gradient_hessian(x, self.corners)
        moment = self.stiffness * self.gap(x)
        return np.einsum("e,eai,ebj->eaibj", self.stiffness, slope, slope) + np.einsum(
            "e,eaibj->eaibj", moment, curvature
        )

    def damping(self, x_start, ratio):
        return Hinges(self.corners, self.stiffness * ratio, angles(x_start, self.corners))

    def take(self, keep):
        return rows(self, keep)


def interior_edges(triangles):
    """Hinges (p, q, r, s) [hinge, 4] of a manifold mesh: the edges of two triangles."""
    wing_of = {}
    hinges = []
    for triangle in triangles.tolist():
        for k in range(3):
            p, q, r = (triangle[(k + j) % 3] for j in range(3))
            if (q, p) in wing_of:
                hinges.append([q, p, wing_of[q, p], r])
            wing_of[p, q] = r
    return np.array(hinges, dtype=int).reshape(-1, 4)


def bending(rest_points, triangles, rigidity):
    """Hinges of flexural rigidity D [N m], at rest as they lie in `rest_points`.

    An edge that faces right angles, the diagonal of a square, counts half; one that faces angles of
    60° or less counts in full, and in between the mean of the cotangents decides.
    """
    corners = interior_edges(triangles)
    p, q, r, s = (rest_points[corners[:, k]] for k in range(4))
    areas = 0.5 * np.linalg.norm(np.cross(q - p, r - p), axis=1)
    areas += 0.5 * np.linalg.norm(np.cross(q - p, s - p), axis=1)
    facing = np.zeros(len(corners))
    for wing in (r, s):
        cosine = dot(p - wing, q - wing)
        facing += 0.5 * cosine / np.linalg.norm(np.cross(p - wing, q - wing), axis=1)
    share = np.minimum(np.maximum(0.5 * (1.0 + facing / np.tan(np.pi / 6.0)), 0.5), 1.0)
    stiffness = share * rigidity / 3.0 * 3.0 * dot(q - p, q - p) / areas
    return Hinges(corners, stiffness, angles(rest_points, corners))
