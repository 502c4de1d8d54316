# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy densities ψ(F) of membranes per rest area, F [3, 2], laid out as in `solids`."""

from dataclasses import dataclass

import numpy as np

from .energies import IDENTITY, outer
from .solids import cross_matrix, identity, over, square


def plane_stress(youngs_modulus, poisson_ratio, thickness):
    """Constants (μ, λ) [N/m] of a thin sheet that is free to thin out."""
    stretch = np.asarray(youngs_modulus, float) * thickness
    nu = np.asarray(poisson_ratio, float)
    return stretch / (2.0 * (1.0 + nu)), stretch * nu / (1.0 - nu**2)


def strain(f):
    """(G₁₁, G₂₂, G₁₂) [element, 3] of Green's strain G = ½ (FᵀF − I)."""
    c = np.einsum("eki,eli->ekl", f, f)
    return 0.5 * np.stack([c[:, 0, 0] - 1.0, c[:, 1, 1] - 1.0, c[:, 0, 1]], axis=1)


@dataclass(frozen=True)
class StVenantKirchhoff:
    """ψ = ½ (K₁ G₁₁² + K₂ G₂₂² + 2 K₁₂ G₁₁ G₂₂) + 2 G_s G₁₂², G less its rest value.

    Orthotropic along warp and weft; all constants in N/m. `rest` is [element, 3] or 0.
    """

    warp: np.ndarray
    weft: np.ndarray
    coupling: np.ndarray
    shear: np.ndarray
    rest: np.ndarray | float = 0.0

    @classmethod
    def isotropic(cls, mu, lam):
        """ψ = μ |G|² + λ/2 tr(G)²."""
        return cls(2.0 * mu + lam, 2.0 * mu + lam, lam, mu)

    def energy(self, f):
        g_1, g_2, g_12 = (strain(f) - self.rest).T
        stretch = self.warp * g_1**2 + self.weft * g_2**2 + 2.0 * self.coupling * g_1 * g_2
        return 0.5 * stretch + 2.0 * self.shear * g_12**2

    def tension(self, f):
        """(S₁₁, S₂₂, S₁₂) [N/m], each [element]."""
        g_1, g_2, g_12 = (strain(f) - self.rest).T
        return (
            self.warp * g_1 + self.coupling * g_2,
            self.coupling * g_1 + self.weft * g_2,
            2.0 * self.shear * g_12,
        )

    def stress(self, f):
        s_1, s_2, s_12 = (over(s, 1) for s in self.tension(f))
        return np.stack([s_1 * f[:, 0] + s_12 * f[:, 1], s_12 * f[:, 0] + s_2 * f[:, 1]], axis=1)

    def tangent(self, f):
        s_1, s_2, s_12 = self.tension(f)
        tension = np.stack([np.stack([s_1, s_12], 1), np.stack([s_12, s_2], 1)], axis=1)
        zero = np.zeros_like(f[:, 0])
        along = np.stack([f[:, 0], zero], axis=1)
        across = np.stack([zero, f[:, 1]], axis=1)
        skew = 0.5 * np.stack([f[:, 1], f[:, 0]], axis=1)
        mixed = along[:, :, :, None, None] * across[:, None, None, :, :]
        return (
            np.einsum("ekl,ij->ekilj", tension, IDENTITY)
            + over(self.warp, 4) * square(along)
            + over(self.weft, 4) * square(across)
            + over(self.coupling, 4) * (mixed + mixed.transpose(0, 3, 4, 1, 2))
            + over(4.0 * self.shear, 4) * square(skew)
        )

    def damping(self, f_start, ratio):
        stiff = (ratio * k for k in (self.warp, self.weft, self.coupling, self.shear))
        return StVenantKirchhoff(*stiff, strain(f_start))


@dataclass(frozen=True)
class MembraneNeoHookean:
    """ψ = μ/2 (|F|² − 2) + λ/2 (J − α)², J the ratio of areas, α = 1 + μ/λ."""

    mu: np.ndarray
    lam: np.ndarray

    @classmethod
    def from_lame(cls, mu, lam):
        return cls(mu, lam + mu)

    @property
    def alpha(self):
        return 1.0 + self.mu / self.lam

    @staticmethod
    def area(f):
        """J, the unit normal n and ∂J/∂F."""
        normal = np.cross(f[:, 0], f[:, 1])
        j = np.linalg.norm(normal, axis=1)
        n = normal / j[:, None]
        return j, n, np.stack([np.cross(f[:, 1], n), np.cross(n, f[:, 0])], axis=1)

    def energy(self, f):
        j = self.area(f)[0]
        stretch = (f * f).sum(axis=(1, 2)) - 2.0
        return 0.5 * self.mu * stretch + 0.5 * self.lam * (j - self.alpha) ** 2

    def stress(self, f):
        j, _, slope = self.area(f)
        return over(self.mu, 2) * f + over(self.lam * (j - self.alpha), 2) * slope

    def tangent(self, f):
        j, n, slope = self.area(f)
        # The normal c = f₁ × f₂ has slopes −[f₂]ₓ and [f₁]ₓ, and J = |c| curves across n.
        turn = np.stack([-cross_matrix(f[:, 1]), cross_matrix(f[:, 0])], axis=1)
        across = (IDENTITY - outer(n, n)) / over(j, 2)
        curvature = np.einsum("ekmi,emn,elnj->ekilj", turn, across, turn)
        twist = cross_matrix(n)
        curvature[:, 0, :, 1] -= twist
        curvature[:, 1, :, 0] += twist
        return (
            over(self.mu, 4) * identity(len(f), 2)
            + over(self.lam, 4) * square(slope)
            + over(self.lam * (j - self.alpha), 4) * curvature
        )

    def damping(self, f_start, ratio):
        viscous = StVenantKirchhoff.isotropic(self.mu, self.lam - self.mu)
        return viscous.damping(f_start, ratio)
