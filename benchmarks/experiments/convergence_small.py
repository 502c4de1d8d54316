# SPDX-License-Identifier: GPL-3.0-or-later
"""Small stiff bodies at the default 20 iterations, with and without the coarse correction.

Prints the largest error against Newton's method over the motion, and the time of a frame.
"""

import time

import numpy as np

from vbd.benchmarks.experiments import convergence_scenes as scenes
from vbd.benchmarks.experiments.chains_scenes import line
from vbd.benchmarks.experiments.contact_shapes import sheet
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.settings import Material

ITERATIONS, STEPS, ROUNDS = 20, 30, 3


def beam(cells, youngs_modulus):
    """A solid of cells of 0.1 m, clamped at x = 0."""
    points, tets = block(cells, 0.1 * np.array(cells))
    material = Material(youngs_modulus=youngs_modulus, poisson_ratio=0.4, density=1000.0)
    return Solid(points, tets, material, Pins(np.flatnonzero(points[:, 0] == 0.0)))


def hung(cells, youngs_modulus):
    """1 m² of cloth, held level by two corners."""
    points, triangles = sheet((cells, cells), (1.0, 1.0))
    material = Material(
        youngs_modulus=youngs_modulus, density=0.3, bending_stiffness=1e-4, adapt_folds=False
    )
    return Cloth(points, triangles, material, Pins([0, cells]))


def rope(count, youngs_modulus):
    """A rope of 1 m, held level by one end."""
    points = np.linspace([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], count)
    material = Material(youngs_modulus=youngs_modulus, thickness=0.01, density=0.1)
    return Rod(points, line(count), material, Pins([0]))


BODIES = {
    "beam, 28 vertices, 1 MPa": lambda: beam((6, 1, 1), 1e6),
    "beam, 81 vertices, 1 MPa": lambda: beam((8, 2, 2), 1e6),
    "beam, 81 vertices, 10 MPa": lambda: beam((8, 2, 2), 1e7),
    "beam, 336 vertices, 10 MPa": lambda: beam((20, 3, 3), 1e7),
    "sheet, 9² vertices, 1 MPa": lambda: hung(8, 1e6),
    "sheet, 15² vertices, 1 MPa": lambda: hung(14, 1e6),
    "rope, 8 vertices, 10 MPa": lambda: rope(8, 1e7),
    "rope, 20 vertices, 10 MPa": lambda: rope(20, 1e7),
}


def measured(body, exact, **settings):
    """Error and time [ms] of a step of the solver."""
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        path = scenes.by_solver(body, STEPS, ITERATIONS, threads=1, **settings)
        seconds.append((time.perf_counter() - started) / STEPS)
    return scenes.error(path, exact, body.points), 1e3 * min(seconds)


def main():
    print(f"| {ITERATIONS} iterations | coarse correction | plain |")
    print("| --- | --- | --- |")
    for name, make in BODIES.items():
        body = make()
        exact = scenes.by_newton(body, STEPS)
        cells = []
        for settings in ({}, {"coarse_correction": False}):
            error, milliseconds = measured(body, exact, **settings)
            cells.append(f"{100.0 * error:.2g} %, {milliseconds:.1f} ms")
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
