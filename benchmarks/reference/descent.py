# SPDX-License-Identifier: GPL-3.0-or-later
"""Preconditioned descent with Chebyshev acceleration: all vertices move at the same time.

    x⁺ = ω (x − α P⁻¹ ∂G/∂x − x⁻) + x⁻,   ω₁ = 1,  ω₂ = 2/(2 − ρ²),  ω = 4/(4 − ρ² ω)

(Wang and Yang 2016; Fratarcangeli, Wang and Yang, course notes 2018, §3.2.) With P the diagonal of
the Hessian this is their gradient descent, with P its 3 × 3 blocks it is block Jacobi, the vertex
step of vertex block descent without its order.
"""

import numpy as np

# The step length is shortened by this factor (course notes 2018, §3.2.2).
SHORTEN = 0.7
# A vertex that moves this many sizes of the scene is diverging.
LOST = 1e3
# Below this step length the method has failed.
SHORTEST = 1e-6


def diagonal(problem, x):
    """A function that divides a gradient [vertex, 3] by the diagonal of the Hessian."""
    entries = np.einsum("vii->vi", problem.blocks(x))
    return lambda gradient: gradient / entries


def blocks(problem, x):
    """A function that solves the 3 × 3 blocks of the Hessian for a gradient [vertex, 3]."""
    inverse = np.linalg.inv(problem.blocks(x))
    return lambda gradient: np.einsum("vij,vj->vi", inverse, gradient)


def chebyshev_weight(weight, count, rho, delay):
    """ω of iteration `count`; plain for the first `delay` iterations."""
    if count < delay or rho == 0.0:
        return 1.0
    if count == delay:
        return 2.0 / (2.0 - rho**2)
    return 4.0 / (4.0 - rho**2 * weight)


def descent(problem, precondition, rho, delay, refresh, check, step_length):
    """Yields x after every iteration.

    The preconditioner is evaluated every `refresh` iterations. G is checked every `check`
    iterations: if it has grown, the method goes back to the last good x, with a shorter step.
    `check` 0 disables this, and the method ends when it diverges.
    """
    x = problem.guess.copy()
    last, good, best = x, x, problem.loss(x)
    weight, count, solve = 1.0, 0, None
    while True:
        if count % refresh == 0 or solve is None:
            solve = precondition(problem, x)
        moved = x - step_length * solve(problem.gradient(x))
        weight = chebyshev_weight(weight, count, rho, delay)
        x, last = weight * (moved - last) + last if count else moved, x
        count += 1
        lost = not np.abs(x - problem.guess).max() < LOST * problem.size
        if lost and not check:
            return
        if lost or (check and count % check == 0):
            loss = np.inf if lost else problem.loss(x)
            if loss <= best:
                good, best = x, loss
            else:
                x = last = good
                step_length *= SHORTEN
                weight, count, solve = 1.0, 0, None
                if step_length < SHORTEST:
                    return
        yield x


def gradient_descent(problem, rho=0.0, delay=10, refresh=8, check=8, step_length=1.0):
    """Gradient descent with Jacobi preconditioning; ρ > 0 accelerates it by Chebyshev's method."""
    return descent(problem, diagonal, rho, delay, refresh, check, step_length)


def block_jacobi(problem, rho=0.0, delay=10, refresh=1, check=8, step_length=1.0):
    """The vertex step of vertex block descent, on all vertices at the same time."""
    return descent(problem, blocks, rho, delay, refresh, check, step_length)
