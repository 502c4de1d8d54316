# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's method with line search, run until nothing moves any more: the reference answer.

Far from the minimum every element's Hessian is projected to be positive semi-definite: the exact
one often descends as well, but towards saddles, and slowly. Near it the exact Hessian takes over.
"""

import numpy as np
from scipy.sparse import diags, identity
from scipy.sparse import linalg as sparse_linalg

# Armijo's constant, and how often a step may be halved.
DESCENT, HALVINGS = 1e-4, 40
# Steps below this fraction of the size of the scene are near the minimum.
NEAR = 1e-3
# Added to a projected Hessian, in units of its mean diagonal: without inertia it can be singular.
SHIFT = 1e-9
# Differences of G below this fraction of its terms are rounding.
ROUNDING = 1e-13


class NotConvergedError(RuntimeError):
    """Newton's method has not found the minimum."""


def direct(hessian, right):
    """Sparse LU of a symmetric matrix; not finite where it is singular."""
    options = {"SymmetricMode": True}
    try:
        factors = sparse_linalg.splu(
            hessian, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options
        )
    except RuntimeError:  # SuperLU's message for "exactly singular"
        return np.full_like(right, np.nan)
    return factors.solve(right)


def conjugate_gradients(hessian, right, tolerance=1e-3, limit=1000):
    """Conjugate gradients with Jacobi preconditioning, to a fraction of the right side."""
    inverse = diags(1.0 / np.maximum(hessian.diagonal(), np.finfo(float).tiny))
    return sparse_linalg.cg(hessian, right, rtol=tolerance, maxiter=limit, M=inverse)[0]


def line_search(problem, x, step, slope):
    """x + t step with the largest t = 1, ½, ¼, … that descends, or None."""
    start = problem.loss(x)
    noise = ROUNDING * abs_terms(problem, x)
    t = 1.0
    for _ in range(HALVINGS):
        moved = x + t * step
        loss = problem.loss(moved)
        if np.isfinite(loss) and loss <= start + DESCENT * t * slope + noise:
            return moved
        t *= 0.5
    return None


def abs_terms(problem, x):
    """Sum of the sizes of G's terms [J]; G itself can be a small difference of large ones."""
    return abs(problem.loss(x)) + sum(float(abs(part.energy(x)).sum()) for part in problem.elements)


def newton_step(problem, x, project, linear):
    """The full Newton step d [vertex, 3] and the slope ∂G·d [J] along it."""
    unknowns = problem.free_unknowns
    gradient = problem.gradient(x).ravel()[unknowns]
    hessian = problem.hessian(x, project)
    if project:
        shift = SHIFT * hessian.diagonal().mean()
        hessian = (hessian + shift * identity(len(unknowns))).tocsc()
    step = np.zeros(x.size)
    step[unknowns] = linear(hessian, -gradient)
    return step.reshape(x.shape), float(gradient @ step[unknowns])


def newton(problem, linear=direct, exact=True, tolerance=1e-10):
    """Yields x until a step is below `tolerance` times the size of the scene.

    `linear` solves H d = b; without `exact` the Hessian is projected to the end.
    """
    x, size = problem.guess.copy(), np.inf
    while size > tolerance:
        moved = None
        for project in (False, True) if exact and size < NEAR else (True,):
            step, slope = newton_step(problem, x, project, linear)
            if np.isfinite(slope) and slope <= 0.0:
                moved = line_search(problem, x, step, slope)
            if moved is not None:
                break
        if moved is None:
            raise NotConvergedError("no step of Newton's method descends")
        x, size = moved, np.abs(step).max() / problem.size
        yield x


def newton_cg(problem, **options):
    """Newton's method with conjugate gradients, which need a positive Hessian."""
    return newton(problem, linear=conjugate_gradients, exact=False, **options)


def solve(problem, limit=200, **options):
    """The minimum x [vertex, 3] of a problem."""
    for count, x in enumerate(newton(problem, **options), start=1):
        last = x
        if count > limit:
            raise NotConvergedError(f"{limit} iterations of Newton's method were not enough")
    return last
