# SPDX-License-Identifier: GPL-3.0-or-later
"""What self contact costs: three stacked sheets of 49² vertices, on the CPU.

Sheets hang from one side, a little closer than their contact distance. Prints the time of an
iteration with and without contact; give the script that times Newton's SolverVBD on the same sheets
(it prints JSON; --resolution, --folded, --self-contact) and the Python to run it to compare:

    python -m vbd.benchmarks.contact_cost [runner.py] [python]
"""

import json
import statistics
import subprocess
import sys

import numpy as np

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

CELLS, LAYERS, CELL, RADIUS = 48, 3, 0.02, 0.005
# Sheets lie this part of the contact distance apart.
GAP = 0.8
ITERATIONS, FRAMES = 10, 10


def sheets(self_contact):
    """Stacked square sheets as one cloth, pinned along x = 0."""
    n = CELLS + 1
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    flat = CELL * np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    corner = (np.arange(CELLS)[:, None] * n + np.arange(CELLS)).ravel()
    a, b, c, d = corner, corner + 1, corner + n + 1, corner + n
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    points = np.concatenate([flat + [0.0, 0.0, GAP * RADIUS * k] for k in range(LAYERS)])
    triangles = np.concatenate([faces + n * n * k for k in range(LAYERS)])
    material = Material(
        youngs_modulus=1e6,
        thickness=1e-3,
        density=0.25,
        bending_stiffness=1e-5,
        collision_thickness=RADIUS / 2,
        self_contact=self_contact,
    )
    return Cloth(points, triangles, material, pins=Pins(np.flatnonzero(points[:, 0] == 0.0)))


def iteration_times(self_contact):
    """Wall time [ms] of an iteration and of what a step takes besides; median over frames.

    The slope between solvers with ITERATIONS and twice as many that are stepped in turn.
    """
    runs = []
    for iterations in (ITERATIONS, 2 * ITERATIONS):
        settings = Settings(
            frame_time=1.0 / 60.0,
            substeps=1,
            iterations=iterations,
            collision_stiffness=1e3,
            friction=0.2,
        )
        runs.append(simulate([sheets(self_contact)], settings, FRAMES + 1))
    frames = list(zip(*runs, strict=True))[1:]
    short, long = (1e3 * statistics.median(f.stats.seconds for f in run) for run in zip(*frames))
    iteration = (long - short) / ITERATIONS
    return iteration, short - ITERATIONS * iteration, frames[-1][0].stats


def newton_times(python, runner, self_contact):
    """The same of Newton's SolverVBD."""
    options = ["--resolution", CELLS, "--folded", "--layers", LAYERS, "--gap", GAP]
    options += ["--cell", CELL, "--radius", RADIUS, "--iterations", ITERATIONS, "--frames", FRAMES]
    options += ["--self-contact"] * self_contact
    command = [python, runner, *map(str, options)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(output.splitlines()[-1])
    iteration = 1e3 * result["iteration_s"]["wall"]
    return iteration, 1e3 * result["step_s"]["wall"] - ITERATIONS * iteration


def print_row(name, free, touching):
    print(
        f"| {name} | {free[0]:.2f} | {touching[0]:.2f} | {touching[0] / free[0]:.1f} "
        f"| {free[1]:.1f} | {touching[1]:.1f} |",
        flush=True,
    )


def main():
    print("| ms | iteration, no contact | with contact | ratio | rest of step | with contact |")
    print("| --- | --- | --- | --- | --- | --- |")
    free, touching = iteration_times(False), iteration_times(True)
    print_row("ours", free, touching)
    stats = touching[2]
    if len(sys.argv) > 1:
        runner, python = sys.argv[1], (sys.argv[2:] or [sys.executable])[0]
        print_row("Newton", *(newton_times(python, runner, c) for c in (False, True)))
    print(
        f"\nLast frame: {stats.contacts} vertices touch in {stats.pairs} pairs, "
        f"{stats.searches} searches, {stats.truncated} truncated."
    )


if __name__ == "__main__":
    main()
