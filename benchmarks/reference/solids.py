# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy densities ψ(F) of solids, with stress ∂ψ/∂F and tangent ∂²ψ/∂F².

F comes as its columns f [element, column, 3]; the tangent is [element, column, 3, column, 3]. μ and
λ are constants of the energy, not Lamé's constants: `lame` and the `from_lame` of each density
convert between them. Every density obeys linear elasticity at small strain.
"""

from dataclasses import dataclass

import numpy as np

from .energies import IDENTITY, outer


def lame(youngs_modulus, poisson_ratio):
    """Lamé's constants (μ, λ) [Pa] of linear elasticity."""
    e, nu = np.asarray(youngs_modulus, float), np.asarray(poisson_ratio, float)
    return e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))


def over(values, axes):
    """A number, or one per element, shaped to multiply an array with that many further axes."""
    values = np.asarray(values, dtype=float)
    return values.reshape(values.shape + (1,) * axes) if values.ndim else values


def cofactor(f):
    """∂J/∂F, column by column."""
    return np.stack([np.cross(f[:, (k + 1) % 3], f[:, (k + 2) % 3]) for k in range(3)], axis=1)


def determinant(f):
    return np.einsum("ei,ei->e", f[:, 0], np.cross(f[:, 1], f[:, 2]))


def cross_matrix(v):
    """[v]ₓ [element, 3, 3], so that [v]ₓ w = v × w."""
    return np.cross(v[:, None, :], IDENTITY[None]).transpose(0, 2, 1)


def determinant_hessian(f):
    """∂²J/∂F²."""
    hessian = np.zeros((len(f), 3, 3, 3, 3))
    for k in range(3):
        after, before = (k + 1) % 3, (k + 2) % 3
        hessian[:, k, :, after] = -cross_matrix(f[:, before])
        hessian[:, k, :, before] = cross_matrix(f[:, after])
    return hessian


def square(a):
    """a ⊗ a of a stress-like array [element, column, 3]."""
    return a[:, :, :, None, None] * a[:, None, None, :, :]


def identity(count, columns=3):
    """The tangent of ½|F|²."""
    one = np.eye(3 * columns).reshape(columns, 3, columns, 3)
    return np.broadcast_to(one, (count, columns, 3, columns, 3))


def volume_tangent(f, lam, rest):
    """Tangent of λ/2 (J − rest)²."""
    c, j = cofactor(f), determinant(f)
    return over(lam, 4) * square(c) + over(lam * (j - rest), 4) * determinant_hessian(f)


@dataclass(frozen=True)
class NeoHookean:
    """ψ = μ/2 (|F|² − 3) + λ/2 (J − α)², α = 1 + μ/λ: stable neo-Hookean without logarithm."""

    mu: np.ndarray
    lam: np.ndarray

    @classmethod
    def from_lame(cls, mu, lam):
        return cls(mu, lam + mu)

    @property
    def alpha(self):
        return 1.0 + self.mu / self.lam

    def energy(self, f):
        return (
            0.5 * self.mu * ((f * f).sum(axis=(1, 2)) - 3.0)
            + 0.5 * self.lam * (determinant(f) - self.alpha) ** 2
        )

    def stress(self, f):
        pressure = self.lam * (determinant(f) - self.alpha)
        return over(self.mu, 2) * f + over(pressure, 2) * cofactor(f)

    def tangent(self, f):
        return over(self.mu, 4) * identity(len(f)) + volume_tangent(f, self.lam, self.alpha)

    def damping(self, f_start, ratio):
        return Viscous(ratio * self.mu, ratio * (self.lam - self.mu), f_start)


@dataclass(frozen=True)
class LogNeoHookean:
    """ψ = μ/2 (I − 3) + λ/2 (J − α)² − μ/2 log(I + 1), I = |F|², α = 1 + 3μ/(4λ).

    Smith, De Goes, Kim 2018, eq. 14.
    """

    mu: np.ndarray
    lam: np.ndarray

    @classmethod
    def from_lame(cls, mu, lam):
        return cls(4.0 / 3.0 * mu, lam + 5.0 / 6.0 * mu)

    @property
    def alpha(self):
        return 1.0 + 0.75 * self.mu / self.lam

    def energy(self, f):
        i = (f * f).sum(axis=(1, 2))
        shear = 0.5 * self.mu * (i - 3.0 - np.log(i + 1.0))
        return shear + 0.5 * self.lam * (determinant(f) - self.alpha) ** 2

    def stress(self, f):
        i = (f * f).sum(axis=(1, 2))
        pressure = self.lam * (determinant(f) - self.alpha)
        return over(self.mu * (1.0 - 1.0 / (i + 1.0)), 2) * f + over(pressure, 2) * cofactor(f)

    def tangent(self, f):
        i = (f * f).sum(axis=(1, 2))
        return (
            over(self.mu * (1.0 - 1.0 / (i + 1.0)), 4) * identity(len(f))
            + over(2.0 * self.mu / (i + 1.0) ** 2, 4) * square(f)
            + volume_tangent(f, self.lam, self.alpha)
        )

    def damping(self, f_start, ratio):
        return Viscous(0.75 * ratio * self.mu, ratio * (self.lam - 0.625 * self.mu), f_start)


@dataclass(frozen=True)
class FixedCorotated:
    """ψ = μ |F − R|² + λ/2 (J − 1)², R the rotation nearest to F (PBNG 2023, eq. 9).

    R has determinant 1 even where J < 0: the smallest singular value is then taken negative.
    """

    mu: np.ndarray
    lam: np.ndarray

    @classmethod
    def from_lame(cls, mu, lam):
        return cls(mu, lam)

    @staticmethod
    def decomposition(f):
        """U [element, 3, 3], signed singular values [element, 3] and Vᵀ of F = U S Vᵀ."""
        u, s, vt = np.linalg.svd(f.transpose(0, 2, 1))
        flip = np.where(np.linalg.det(u @ vt) < 0.0, -1.0, 1.0)
        u[:, :, 2] *= flip[:, None]
        s[:, 2] *= flip
        return u, s, vt

    def rotation(self, f):
        """R, column by column like f."""
        u, _, vt = self.decomposition(f)
        return (u @ vt).transpose(0, 2, 1)

    def energy(self, f):
        stretch = ((f - self.rotation(f)) ** 2).sum(axis=(1, 2))
        return self.mu * stretch + 0.5 * self.lam * (determinant(f) - 1.0) ** 2

    def stress(self, f):
        pressure = self.lam * (determinant(f) - 1.0)
        return over(2.0 * self.mu, 2) * (f - self.rotation(f)) + over(pressure, 2) * cofactor(f)

    def tangent(self, f):
        """2μ (I − ∂R/∂F) and the volume term; ∂R/∂F = Σ_{i<j} T Tᵀ/(s_i + s_j) with twists T."""
        u, s, vt = self.decomposition(f)
        turning = np.zeros((len(f), 3, 3, 3, 3))
        for i, j in ((0, 1), (0, 2), (1, 2)):
            twist = outer(u[:, :, i], vt[:, j]) - outer(u[:, :, j], vt[:, i])
            # R jumps where both values cancel; any large slope is as good as another.
            turning += square(twist.transpose(0, 2, 1)) / over(
                np.maximum(s[:, i] + s[:, j], 1e-9), 4
            )
        return over(2.0 * self.mu, 4) * (identity(len(f)) - turning) + volume_tangent(
            f, self.lam, 1.0
        )

    def damping(self, f_start, ratio):
        return Viscous(ratio * self.mu, ratio * self.lam, f_start)


@dataclass(frozen=True)
class Viscous:
    """ψ = μ/2 tr(F A Fᵀ) + λ/2 (J − α)², A = adj(FᵗᵀFᵗ), λ = λ_L + μ, α = Jᵗ (1 + μ/λ): blind to
    rotation, at rest when nothing moves.

    Near the identity and for the rate Ḟ its stress is h (2μ ε̇ + λ_L tr(ε̇) I).
    """

    mu: np.ndarray
    lame_lam: np.ndarray
    start: np.ndarray

    @property
    def lam(self):
        return self.lame_lam + self.mu

    @property
    def metric(self):
        n = cofactor(self.start)
        return np.einsum("eki,eli->ekl", n, n)

    @property
    def alpha(self):
        return determinant(self.start) * (1.0 + self.mu / self.lam)

    def energy(self, f):
        stretch = np.einsum("eki,ekl,eli->e", f, self.metric, f)
        return 0.5 * self.mu * stretch + 0.5 * self.lam * (determinant(f) - self.alpha) ** 2

    def stress(self, f):
        pressure = self.lam * (determinant(f) - self.alpha)
        shear = np.einsum("ekl,eli->eki", self.metric, f)
        return over(self.mu, 2) * shear + over(pressure, 2) * cofactor(f)

    def tangent(self, f):
        shear = np.einsum("ekl,ij->ekilj", self.metric, IDENTITY)
        return over(self.mu, 4) * shear + volume_tangent(f, self.lam, self.alpha)
