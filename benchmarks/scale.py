# SPDX-License-Identifier: GPL-3.0-or-later
"""Scale: time and memory of scenes of ten thousand to a million vertices, or contact pairs.

    python -m vbd.benchmarks.scale [NAME ...] [--sizes N ...] [--frames N] [--threads N]
        [--keep FILE]

`body` is one block of tets held on one side, of N vertices; `bodies` are cubes of 125 vertices that
fall and touch nothing; `pile` are mats of 50 vertices in piles of ten on a floor, which touch each
other in about N pairs. All do 20 iterations in each of 4 substeps. Every size runs in a process of
its own.

Prints a row for each: seconds before the first frame, seconds of a frame by phase (means behind the
first one), nanoseconds of an iteration for each vertex, or of a pile for each pair in touch (a
frame without searches, over its iterations), and the peak of memory. The last line of a scene is
the largest of these nanoseconds over the smallest. With one thread, the default, times are its CPU
time and kernels are launched one by one; with more they are clock time, and no phases are known.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np

from vbd.benchmarks.contact_speed import Profile
from vbd.benchmarks.experiments.contact_scenes import floor
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.piles import PHASES, keep, phase_of
from vbd.solver.bodies import Pins, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

SIZES = (10**4, 10**5, 10**6)
FRAMES = 3
JELLY = {"youngs_modulus": 1e5, "poisson_ratio": 0.4, "density": 1000.0}
# All iterations are done, so that they can be counted.
SETTINGS = Settings(frame_time=1.0 / 24.0, accuracy=0.0)
# Cells and sides [m] of a cube, and the distance of cubes that touch nothing, in sides.
CUBE, SIDE, APART = (4, 4, 4), 0.1, 1.5
# Cells and sides [m] of a mat, how many lie on each other, each turned by so much [radians], and
# pairs of a mat.
MAT, SIDES, LAYERS, TURN, PAIRS = (4, 4, 1), (0.1, 0.1, 0.025), 10, 0.35, 91
THICKNESS = 0.00125


def one_body(count):
    """One block of about `count` vertices, held on one side."""
    cells = round(count ** (1.0 / 3.0)) - 1
    points, tets = block((cells, cells, cells), (1.0, 1.0, 1.0))
    pins = Pins(np.flatnonzero(points[:, 0] == 0.0))
    return [Solid(points, tets, Material(**JELLY), pins)]


def grid(shape):
    """Whole numbers [place, 3] of a grid."""
    return np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)


def bodies(count):
    """Cubes of about `count` vertices that fall, and are squeezed at first."""
    points, tets = block(CUBE, (SIDE, SIDE, SIDE))
    number = round(count / len(points))
    side = int(np.ceil(number ** (1.0 / 3.0)))
    squeezed = (points - 0.5 * SIDE) * [5.0, 0.0, -5.0]
    return [
        Solid(points + at, tets, Material(**JELLY), None, squeezed, name=f"{k}", collides_with=())
        for k, at in enumerate(APART * SIDE * grid((side, side, side))[:number])
    ]


def pile(count):
    """Mats that lie on each other in piles of ten, side by side, with about `count` pairs."""
    points, tets = block(MAT, SIDES)
    points[:, :2] -= 0.5 * SIDE
    material = Material(**JELLY, collision_thickness=THICKNESS)
    number = round(count / PAIRS / LAYERS)
    side = int(np.ceil(number**0.5))
    made = [floor(2.0 * APART * side * SIDE)]
    places = APART * SIDE * (grid((side, side, 1))[:number] - [0.5 * side, 0.5 * side, 0.0])
    for k, at in enumerate(places):
        for layer in range(LAYERS):
            c, s = np.cos(TURN * layer), np.sin(TURN * layer)
            turned = points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
            up = [0.0, 0.0, THICKNESS + layer * (SIDES[2] + 2.0 * THICKNESS)]
            name = f"{k} {layer}"
            made.append(Solid(turned + at + up, tets, material, rest_points=points, name=name))
    return made


SCENES = {"body": one_body, "bodies": bodies, "pile": pile}
NAMES = [*dict.fromkeys(PHASES.values()), "other"]


def run(name, size, frames, threads, path=None):
    """Measurements of a scene in this process, by name; times in seconds. The last frame is kept in
    a file at `path`.
    """
    phases = Profile(phase_of) if threads == 1 else None
    clock = time.thread_time if phases else time.perf_counter
    made = SCENES[name](size)
    settings = replace(SETTINGS, threads=threads)
    started = clock()
    simulation = Simulation(made, settings)
    played = simulation.frames(1 + frames)
    first = next(played)
    found = {"setup": clock() - started}
    rows, shares = [], []
    for _ in range(frames):
        if phases:
            phases.seconds.clear()
        started = clock()
        last = next(played)
        rows.append((clock() - started, last.stats.pairs, last.stats.searches))
        if phases:
            shares.append([phases.seconds[n] for n in NAMES])
    if path:
        keep(path, last.positions, size=size)
    frame, pairs, searches = np.mean(rows, axis=0)
    found |= {"vertices": first.model.vertices, "touching": pairs, "frame": frame}
    found["setup"] -= frame  # the first frame is in it
    found["searches"] = searches / settings.substeps
    if phases:
        found |= dict(zip(NAMES, np.mean(shares, axis=0), strict=True))
        found["host"] = frame - np.mean(shares, axis=0).sum()
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return found


def nanoseconds(name, found):
    """Time of an iteration for each vertex, or pair of a pile, without searches [ns]."""
    each = found["touching"] if name == "pile" else found["vertices"]
    searching = found.get("search", 0.0)
    return 1e9 * (found["frame"] - searching) / (SETTINGS.substeps * SETTINGS.iterations * each)


def measured(name, size, given):
    """The measurements of `run` in a process of its own."""
    command = [sys.executable, "-m", "vbd.benchmarks.scale", name, "--run", "--sizes", size]
    command += ["--frames", given.frames, "--threads", given.threads]
    command += ["--keep", given.keep] if given.keep else []
    output = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(output.stdout.splitlines()[-1])


def tell(name, given):
    """Print the table of a scene."""
    columns = ["vertices", "touching", "setup", "frame", *NAMES, "host", "searches", "ns", "GB"]
    print(f"{name}, {given.threads} threads\n" + "".join(f"{c:>11}" for c in columns), flush=True)
    each = []
    for size in given.sizes:
        found = measured(name, size, given)
        each.append(nanoseconds(name, found))
        values = [found.get(c, float("nan")) for c in columns[2:-2]]
        row = [f"{v:11.3f}" for v in (*values, each[-1], 1e-9 * found["memory"])]
        print(f"{found['vertices']:11.0f}{found['touching']:11.0f}" + "".join(row), flush=True)
    print(f"largest over smallest: {max(each) / min(each):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(SCENES))
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--frames", type=int, default=FRAMES, help="behind the first one")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep", help="file for the last frame of the last size")
    parser.add_argument("--run", action="store_true", help="in this process; print JSON")
    given = parser.parse_args()
    for name in given.names:
        if given.run:
            one = name, given.sizes[0], given.frames, given.threads, given.keep
            print(json.dumps(run(*one)))
        else:
            tell(name, given)


if __name__ == "__main__":
    main()
