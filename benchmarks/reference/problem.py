# SPDX-License-Identifier: GPL-3.0-or-later
"""One step as a minimization, which all reference solvers take, and the record of their progress.

Dynamic, implicit Euler: G(x) = 1/(2h²) |x − y|²_M + Σ E(x) with y = xᵗ + h vᵗ + h² a.
Quasistatic, h is None:  G(x) = Σ E(x) − Σ_i m_i a·x_i.
"""

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .energies import positive_part


def sum_of_blocks(count, rows, columns, blocks):
    """The sparse matrix of `count` × `count` blocks [block, 3, 3]; equal places add up."""
    places, slot = np.unique(rows * count + columns, return_inverse=True)
    entries = np.arange(len(slot))
    shape = (len(places), len(slot))
    gather = sparse.csr_matrix((np.ones(len(slot)), (slot.ravel(), entries)), shape=shape)
    data = (gather @ blocks.reshape(-1, 9)).reshape(-1, 3, 3)
    starts = np.searchsorted(places, np.arange(count + 1) * count)
    size = (3 * count, 3 * count)
    return sparse.bsr_matrix((data, places % count, starts), shape=size).tocsc()


@dataclass(frozen=True)
class Problem:
    """guess and inertial y [vertex, 3] in m, mass [vertex] in kg, step length h [s] or None.

    Pinned vertices (bool [vertex]) stay at their places in `guess`. `acceleration` a [m/s²] is used
    by the quasistatic form only; the dynamic one has it in y.
    """

    guess: np.ndarray
    inertial: np.ndarray
    mass: np.ndarray
    h: float | None
    elements: list
    pinned: np.ndarray
    acceleration: np.ndarray

    @property
    def size(self):
        """Extent of the guess [m], to measure steps against."""
        return float(np.ptp(self.guess, axis=0).max())

    @property
    def free_unknowns(self):
        """Indices of the coordinates that are free, in the flattened x."""
        return np.flatnonzero(np.repeat(~self.pinned, 3))

    def loss(self, x):
        """G [J]."""
        elastic = sum(float(part.energy(x).sum()) for part in self.elements)
        if self.h is None:
            return elastic - float(self.mass @ (x @ self.acceleration))
        gap = x - self.inertial
        return elastic + 0.5 / self.h**2 * float(self.mass @ (gap * gap).sum(axis=1))

    def gradient(self, x):
        """∂G/∂x [N], [vertex, 3], zero on pinned vertices."""
        if self.h is None:
            gradient = -self.mass[:, None] * self.acceleration
        else:
            gradient = (self.mass / self.h**2)[:, None] * (x - self.inertial)
        for part in self.elements:
            np.add.at(gradient, part.corners, part.gradient(x))
        gradient[self.pinned] = 0.0
        return gradient

    def hessian(self, x, positive=False):
        """∂²G/∂x² of the free unknowns, sparse; `positive` projects every element's block."""
        free = np.flatnonzero(~self.pinned)
        place = np.full(len(x), -1)
        place[free] = np.arange(len(free))
        inertia = np.zeros(len(x)) if self.h is None else self.mass / self.h**2
        rows, columns = [place[free]], [place[free]]
        values = [inertia[free, None, None] * np.eye(3)]
        for part in self.elements:
            count, corners = part.corners.shape
            block = part.hessian(x)
            if positive:
                flat = block.reshape(count, 3 * corners, 3 * corners)
                block = positive_part(flat).reshape(block.shape)
            pairs = (count, corners, corners)
            row = np.broadcast_to(place[part.corners][:, :, None], pairs)
            column = np.broadcast_to(place[part.corners][:, None, :], pairs)
            inside = (row >= 0) & (column >= 0)
            rows.append(row[inside])
            columns.append(column[inside])
            values.append(block.transpose(0, 1, 3, 2, 4)[inside])
        return sum_of_blocks(
            len(free), np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
        )

    def blocks(self, x, positive=True):
        """The 3 × 3 blocks ∂²G/∂x_i² [vertex, 3, 3]; `positive` projects every element's block."""
        blocks = np.zeros((len(x), 3, 3))
        if self.h is not None:
            blocks += (self.mass / self.h**2)[:, None, None] * np.eye(3)
        for part in self.elements:
            own = np.einsum("eaiaj->eaij", part.hessian(x))
            if positive:
                own = positive_part(own.reshape(-1, 3, 3)).reshape(own.shape)
            np.add.at(blocks, part.corners, own)
        return blocks


@dataclass(frozen=True)
class Iterate:
    """State of a method: seconds spent in it, G [J] and x [vertex, 3]."""

    seconds: float
    loss: float
    x: np.ndarray


def iterate(problem, method, count):
    """The first `count` iterates of a method, the guess before them; fewer when it ends earlier.

    A method is a generator function: given a problem, it yields x after every iteration. Only its
    own time is counted, not that of evaluating G here.
    """
    reached = [Iterate(0.0, problem.loss(problem.guess), problem.guess)]
    steps = method(problem)
    seconds = 0.0
    for _ in range(count):
        start = time.perf_counter()
        x = next(steps, None)
        seconds += time.perf_counter() - start
        if x is None:
            break
        reached.append(Iterate(seconds, problem.loss(x), x.copy()))
    return reached


def relative_losses(iterates, best):
    """(G − G*)/(G₀ − G*) of every iterate, `best` being G* [J]."""
    losses = np.array([reached.loss for reached in iterates])
    return (losses - best) / (losses[0] - best)
