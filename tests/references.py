# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies written a second time, in plain NumPy float64, from F and from angles.

They share nothing with the solver, so that forces and Hessians can be checked against them.
"""

import numpy as np


def neo_hookean(rest, x, mu, lam):
    """Energy [J] of one tet: V₀ (μ/2 (|F|² − 3) + λ/2 (J − α)²)."""
    rest_edges = (rest[1:] - rest[0]).T
    f = (x[1:] - x[0]).T @ np.linalg.inv(rest_edges)
    volume = np.linalg.det(rest_edges) / 6.0
    alpha = 1.0 + mu / lam
    return volume * (0.5 * mu * ((f * f).sum() - 3.0) + 0.5 * lam * (np.linalg.det(f) - alpha) ** 2)


def stvk(rest, x, mu, lam):
    """Energy [J] of one membrane triangle: A (μ |G|² + λ/2 tr(G)²)."""
    e_1, e_2 = rest[1] - rest[0], rest[2] - rest[0]
    axis_1 = e_1 / np.linalg.norm(e_1)
    axis_2 = e_2 - (e_2 @ axis_1) * axis_1
    axis_2 /= np.linalg.norm(axis_2)
    flat = np.array([[e_1 @ axis_1, e_2 @ axis_1], [e_1 @ axis_2, e_2 @ axis_2]])
    f = np.stack([x[1] - x[0], x[2] - x[0]], axis=1) @ np.linalg.inv(flat)
    g = 0.5 * (f.T @ f - np.eye(2))
    return 0.5 * np.linalg.det(flat) * (mu * (g * g).sum() + 0.5 * lam * np.trace(g) ** 2)


def dihedral(p, q, r, s):
    """Angle [rad] between the triangles (p, q, r) and (q, p, s), from their unit normals."""
    n_1, n_2 = np.cross(q - p, r - p), np.cross(p - q, s - q)
    n_1, n_2 = n_1 / np.linalg.norm(n_1), n_2 / np.linalg.norm(n_2)
    e = (q - p) / np.linalg.norm(q - p)
    return np.arctan2(np.cross(n_1, n_2) @ e, n_1 @ n_2)


def bending(rest, x, rigidity):
    """Energy [J] of one hinge (p, q, r, s): ½ (D/3) 3|e|²/(A₁ + A₂) (θ − θ̄)²."""
    p, q, r, s = rest
    areas = 0.5 * (np.linalg.norm(np.cross(q - p, r - p)) + np.linalg.norm(np.cross(q - p, s - p)))
    k = rigidity / 3.0 * 3.0 * ((q - p) @ (q - p)) / areas
    return 0.5 * k * (dihedral(*x) - dihedral(*rest)) ** 2


def spring(rest, x, stiffness):
    """Energy [J] of one spring: ½ k (l − l₀)²."""
    return 0.5 * stiffness * (np.linalg.norm(x[1] - x[0]) - np.linalg.norm(rest[1] - rest[0])) ** 2


def slope(energy, x, step=1e-5):
    """Gradient of an energy by central differences, the shape of x."""
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        nudge = np.zeros_like(x)
        nudge[index] = step
        gradient[index] = (energy(x + nudge) - energy(x - nudge)) / (2.0 * step)
    return gradient


def hessian_blocks(energy, x, step=1e-4):
    """∂²E/∂x_i² of every vertex by central differences, [vertex, 3, 3]."""
    blocks = np.zeros((len(x), 3, 3))
    for i in range(len(x)):
        for a in range(3):
            nudge = np.zeros_like(x)
            nudge[i, a] = step
            high, low = slope(energy, x + nudge, step), slope(energy, x - nudge, step)
            blocks[i, a] = (high[i] - low[i]) / (2.0 * step)
    return blocks
