# SPDX-License-Identifier: GPL-3.0-or-later
"""Iterations of one step on finer and finer meshes, with patches of one size.

A clamped bar, E = 10 MPa, whose free end moves upwards at 2 m/s. Prints how many iterations bring
the loss (G − G*)/(G₀ − G*) below 10, 1 and 0.1 %; G is that of the reference, in float64.
"""

from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from vbd.benchmarks.experiments import convergence_scenes as scenes
from vbd.benchmarks.experiments.solids_scenes import first_step, losses_of_vbd
from vbd.benchmarks.reference import newton
from vbd.solver.coarse import aggregates, correction

CELLS, GOALS = (4, 8, 16), (0.1, 0.01, 0.001)
# Newton's method takes too long beyond this.
NEWTON = 8
# Iterations of the solver that stand in for it, and after which a method is given up.
CONVERGED, MOST = 200, 2000
# Vertices of a patch where all have the same size: on the smallest bar, four of them.
SIZE = 256
# Bisect until the bounds are this close.
CLOSE = 1.05


@contextmanager
def patches_of_one_size():
    """Patches of one size in any number, without the usual bounds."""
    usual = correction.IN_MOTION, aggregates.FEWEST
    correction.IN_MOTION = replace(aggregates.IN_MOTION, solid=SIZE, most=10000)
    aggregates.FEWEST = 1
    try:
        yield
    finally:
        correction.IN_MOTION, aggregates.FEWEST = usual


def best_loss(body, problem, cells):
    """G* [J]."""
    if cells <= NEWTON:
        return problem.loss(newton.solve(problem, tolerance=1e-7))
    with patches_of_one_size():
        return losses_of_vbd(body, problem, [CONVERGED])[0]


def iterations_to(goal, loss_after):
    """The smallest number of iterations whose loss is below the goal, or None beyond MOST."""
    low, high = 0, 1
    while loss_after(high) > goal:
        low, high = high, 2 * high
        if low >= MOST:
            return None
    while high - low > 1 and high > CLOSE * low:
        middle = (low + high) // 2
        low, high = (middle, high) if loss_after(middle) > goal else (low, middle)
    return high


def counts(body, problem, first, best, **settings):
    """Iterations to all GOALS."""

    @cache
    def loss_after(count):
        (loss,) = losses_of_vbd(body, problem, [count], **settings)
        return (loss - best) / (first - best)

    return [iterations_to(goal, loss_after) for goal in GOALS]


def main():
    print(f"| tets | patches of {SIZE} vertices | the usual patches | ω = 1.5 | VBD |")
    print("| --- | --- | --- | --- | --- |")
    for cells in CELLS:
        body = scenes.bar(cells, 1e7, tip_speed=2.0)
        problem = first_step(body, scenes.H)
        first, best = problem.loss(problem.guess), best_loss(body, problem, cells)
        one = body, problem, first, best
        with patches_of_one_size():
            found = [counts(*one)]
        found.append(counts(*one))
        found.append(counts(*one, coarse_correction=False, relaxation=1.5))
        found.append(counts(*one, **scenes.PLAIN))
        texts = (" / ".join("–" if n is None else str(n) for n in row) for row in found)
        print(f"| {len(body.tets):,} |", " | ".join(texts), "|", flush=True)


if __name__ == "__main__":
    main()
