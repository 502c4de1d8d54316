# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of the coarse correction: CPU time of its stages on one thread, in sweeps.

Run with OPENBLAS_NUM_THREADS=1. The armadillo needs the folder of the meshes.
"""

import time
from contextlib import contextmanager

from vbd.benchmarks.experiments import convergence_scenes as scenes
from vbd.benchmarks.experiments import solids_scenes
from vbd.solver.coarse.correction import CoarseCorrection
from vbd.solver.descent.step import Stepper

FRAMES, ITERATIONS, ROUNDS = 8, 5, 3


@contextmanager
def timed(owner, name):
    """Replace a method by one that appends its CPU times [s] to the returned list."""
    original, seconds = getattr(owner, name), []

    def noting(*arguments):
        started = time.process_time()
        original(*arguments)
        seconds.append(time.process_time() - started)

    setattr(owner, name, noting)
    try:
        yield seconds
    finally:
        setattr(owner, name, original)


def play(body, **settings):
    """CPU times [s] of sweeps, of the matrix and of coarse steps, without the first run."""
    with (
        timed(Stepper, "sweep") as sweeps,
        timed(CoarseCorrection, "assemble") as matrices,
        timed(CoarseCorrection, "step") as steps,
    ):
        scenes.by_solver(body, FRAMES, ITERATIONS, threads=1, **settings)
    return sweeps[ITERATIONS:], matrices[1:], steps[ITERATIONS:]


def price(body):
    """Least times [s] of a plain sweep, a coarse step and a matrix; others may use the machine."""
    plain, step, matrix = [], [], []
    for _ in range(ROUNDS):
        plain += play(body, coarse_correction=False)[0]
        _, matrices, steps = play(body)
        matrix += matrices
        step += steps
    return min(plain), min(step), min(matrix)


def main():
    points, tets = solids_scenes.read_mesh("armadillo_15k")
    bodies = {
        "bar 8 × 8 × 80": scenes.bar(8),
        "armadillo, stretched": solids_scenes.released(points, tets, 1e5),
    }
    print("| | tets | sweep | coarse step | matrix | iteration / sweep | matrix / sweep |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, body in bodies.items():
        sweep, step, matrix = price(body)
        times = " | ".join(f"{1e3 * t:.2f} ms" for t in (sweep, step, matrix))
        print(
            f"| {name} | {len(body.tets):,} | {times} | {(sweep + step) / sweep:.2f} "
            f"| {matrix / sweep:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
