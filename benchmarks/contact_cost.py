# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of self contact: three stacked sheets of 49² vertices.

The sheets hang from one side, a little closer than their contact distance. Light ones fall, and
contact separates them at once; heavy ones, without gravity, stay in touch. Prints the CPU time of
an iteration with and without contact, and the remaining time of a step: medians over frames, by
steps of 20 and 40 iterations (with 10 iterations sheets move more, which takes longer than with
20); on a GPU it is wall-clock time. To compare, give the script that times Newton's SolverVBD on
the same sheets (options as in `newton_times`, one JSON object as output) and the Python to run it:

    python -m vbd.benchmarks.contact_cost [runner.py] [python] [--device cuda]
"""

import argparse
import json
import subprocess
import sys
import time

import numpy as np

from vbd.solver.bodies import Cloth, Pins
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

CELLS, LAYERS, CELL, RADIUS = 48, 3, 0.02, 0.005
# Sheets lie this fraction of the contact distance apart.
GAP = 0.8
ITERATIONS, FRAMES = 20, 8
# Mass of a vertex [kg], gravity [m/s²].
SCENES = {"falling": (1e-4, 9.81), "touching": (1e4, 0.0)}


def sheets(contact, mass=1e-4):
    """Stacked square sheets, pinned along x = 0: a body each, or one that cannot touch itself."""
    n = CELLS + 1
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    flat = CELL * np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    corner = (np.arange(CELLS)[:, None] * n + np.arange(CELLS)).ravel()
    a, b, c, d = corner, corner + 1, corner + n + 1, corner + n
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    material = Material(
        youngs_modulus=1e6,
        thickness=1e-3,
        density=mass / CELL**2,
        bending_stiffness=1e-5,
        collision_thickness=RADIUS / 2,
        self_contact=contact,
    )

    def cloth(points, triangles):
        return Cloth(points, triangles, material, pins=Pins(np.flatnonzero(points[:, 0] == 0.0)))

    layers = [flat + [0.0, 0.0, GAP * RADIUS * k] for k in range(LAYERS)]
    if contact:
        return [cloth(points, faces) for points in layers]
    stacked = np.concatenate([faces + n * n * k for k in range(LAYERS)])
    return [cloth(np.concatenate(layers), stacked)]


def times(step, twice):
    """Time [ms] of an iteration and of the rest of a step, from those of steps [s] with ITERATIONS
    and with twice as many.
    """
    iteration = 1e3 * (twice - step) / ITERATIONS
    return iteration, 1e3 * step - ITERATIONS * iteration


def our_times(scene, contact, device):
    """`times` of this solver, and the touching pairs after the last step."""
    mass, gravity = SCENES[scene]
    runs = []
    for iterations in (ITERATIONS, 2 * ITERATIONS):
        settings = Settings(
            frame_time=1.0 / 60.0,
            gravity=(0.0, 0.0, -gravity),
            substeps=1,
            iterations=iterations,
            collision_stiffness=1e3,
            friction=0.2,
            coarse_correction=False,  # plain sweeps, as those of the other solver
        )
        runs.append(simulate(sheets(contact, mass), settings, FRAMES + 1, device))
    clock = time.process_time if device == "cpu" else time.perf_counter
    seconds = []
    for _ in range(FRAMES + 1):
        row = []
        for run in runs:
            started = clock()
            frame = next(run)
            row.append(clock() - started)
        seconds.append(row)
    # The first frame compiles.
    return *times(*np.median(seconds[1:], axis=0)), frame.stats.pairs


def newton_times(python, runner, scene, contact, device):
    """`times` of Newton's SolverVBD."""
    mass, gravity = SCENES[scene]
    options = ["--resolution", CELLS, "--folded", "--layers", LAYERS, "--gap", GAP]
    options += ["--cell", CELL, "--radius", RADIUS, "--iterations", ITERATIONS, "--frames", FRAMES]
    options += ["--mass", mass, "--gravity", int(gravity > 0.0), "--device", device]
    options += ["--self-contact"] * contact
    command = [python, runner, *map(str, options)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(output.splitlines()[-1])
    clock = "cpu" if device == "cpu" else "wall"
    step = result["step_s"][clock]
    return times(step, step + ITERATIONS * result["iteration_s"][clock])


def print_row(name, scene, free, contact):
    print(
        f"| {name} | {scene} | {free[0]:.2f} | {contact[0]:.2f} | {contact[0] / free[0]:.1f} "
        f"| {free[1]:.1f} | {contact[1]:.1f} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner", nargs="?", help="script that times Newton's SolverVBD")
    parser.add_argument("python", nargs="?", default=sys.executable, help="what runs it")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    given = parser.parse_args()
    device = given.device
    print("| ms | sheets | iteration | with contact | ratio | rest of step | with contact |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for scene in SCENES:
        free, contact = (our_times(scene, on, device) for on in (False, True))
        print_row("VBD", f"{scene}, {contact[2]} pairs", free, contact)
        if given.runner:
            newton = given.python, given.runner, scene
            print_row("Newton", scene, *(newton_times(*newton, on, device) for on in (False, True)))


if __name__ == "__main__":
    main()
