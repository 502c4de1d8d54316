# SPDX-License-Identifier: GPL-3.0-or-later
"""Number of cycles from a quasistatic frame to equilibrium: bars and sheets held at one end.

    python -m vbd.benchmarks.experiments.quasistatic [scene ...]

Printed for every scene: cycles until the worst vertex stays within a hundredth of the largest
motion of the equilibrium (by Newton's method in float64, from the end of the frame), the CPU time
of those, and the error at the end. A cycle lasts from one coarse step to the next.
"""

import sys
import time
from dataclasses import replace
from functools import partial

import numpy as np

from vbd.benchmarks.experiments.quasistatic_cells import settle
from vbd.benchmarks.reference import newton, scene
from vbd.solver.bodies import CELL_CORNERS, Cells, Cloth, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

CYCLES = 60
GOAL = 0.01
GRAVITY = 9.81


def bar(across, width=0.1, youngs_modulus=6e6):
    """A bar of rubber, ten times as long as wide [m], of cells."""
    lowest = np.argwhere(np.ones((10 * across, across, across), bool))
    corners = (lowest[:, None] + CELL_CORNERS).reshape(-1, 3)
    points, cells = np.unique(corners, axis=0, return_inverse=True)
    held = Pins(np.flatnonzero(points[:, 0] == 0))
    material = Material(youngs_modulus=youngs_modulus)
    return Cells(points * width / across, cells.reshape(-1, 8), material, held)


def sheet(cells, gamma, length=0.4, thickness=0.005, poisson=0.3):
    """A square sheet, held along its first row of cells, of Γ = ρ g L³/D."""
    n = cells + 1
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    points = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3) * length / cells
    j, i = (a.ravel() for a in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij"))
    a, b, c, d = j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i
    odd = ((i + j) % 2 == 1)[:, None]
    first = np.where(odd, np.stack([a, b, d], 1), np.stack([a, b, c], 1))
    second = np.where(odd, np.stack([b, c, d], 1), np.stack([a, c, d], 1))
    density = 1000.0 * thickness
    rigidity = density * GRAVITY * length**3 / gamma
    material = Material(
        youngs_modulus=12.0 * (1.0 - poisson**2) * rigidity / thickness**3,
        poisson_ratio=poisson,
        thickness=thickness,
        bending_stiffness=rigidity,
        density=density,
    )
    held = Pins(np.flatnonzero(points[:, 0] < 1.5 * length / cells))
    return Cloth(points, np.concatenate([first, second]), material, held)


SCENES = {
    **{f"bar {n}": partial(bar, n) for n in (2, 4, 8)},
    **{
        f"sheet {n} {gamma}": partial(sheet, n, gamma)
        for n in (12, 24, 48, 64)
        for gamma in (1, 10, 50)
    },
}


def equilibrium(body, guess):
    """Positions [vertex, 3] by Newton's method in float64, from a guess."""
    if isinstance(body, Cells):
        return settle(body, GRAVITY, guess)
    problem = scene.equilibrium_problem(scene.scene_of(body, "stvk", (0.0, 0.0, -GRAVITY)))
    return newton.solve(replace(problem, guess=guess))


def watched(body, cycles=CYCLES):
    """Positions [vertex, 3] after every cycle of a frame, and the seconds [CPU] of it so far."""
    settings = Settings(quasistatic=True, substeps=1, iterations=cycles, threads=1)
    simulation = Simulation([body], settings)
    stepper = simulation.stepper
    path, seconds, sweep = [], [0.0], stepper.sweep

    def keep():
        sweep()
        seconds.append(seconds[-1] + time.process_time() - begun[0])
        path.append(simulation.model.positions()[0])
        begun[0] = time.process_time()

    stepper.sweep = keep
    stepper.begin_frame(1, settings.frame_time)
    begun = [time.process_time()]
    stepper.step()
    simulation.model.launches.threads.stop()
    return path, seconds[1:]


def errors(body, path, goal):
    """Distance of the worst vertex over the largest motion of the equilibrium, [cycle]."""
    motion = np.linalg.norm(goal - body.rest_points, axis=1).max()
    return [np.linalg.norm(x - goal, axis=1).max() / motion for x in path]


def main():
    for name in sys.argv[1:] or SCENES:
        body = SCENES[name]()
        watched(body, 1)  # compiles
        path, seconds = watched(body)
        left = errors(body, path, equilibrium(body, path[-1]))
        above = [n + 1 for n, error in enumerate(left) if not error <= GOAL]
        needed = above[-1] + 1 if above else 1
        reached = needed <= len(path)
        print(
            f"{name:12s} {len(body.points):6d} vertices:",
            f"{needed} cycles, {seconds[needed - 1]:.2f} s;" if reached else "not reached;",
            f"after {CYCLES} cycles {left[-1]:.2%} off, {seconds[-1]:.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
