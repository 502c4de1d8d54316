# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that only contact holds: a chain of five links, and sixty bodies in a teapot.

    python -m vbd.benchmarks.experiments.rigid_run [links] [teapot --meshes FOLDER] [--judge]
        [--keep FILE]

Prints for every frame the CPU seconds of one thread, energy, speeds and contact pairs. FOLDER holds
the paper's meshes (`.t`). With --judge every substep is searched for crossings by the exact judge
of the random scenes instead. --keep is for examples/crowds.py.
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments.rigid_scenes import links, teapot
from vbd.benchmarks.piles import keep
from vbd.solver.simulate import simulate

# Frames that are kept beside the last one, for pictures of motion.
MOMENTS = (0, 4, 7, 10)
TESTS = Path(__file__).resolve().parents[2] / "tests"


def energy(bodies, frame, gravity=9.81):
    """Kinetic energy of a frame, and that of weights above z = 0 [J]."""
    places = np.array([center for center, _ in frame.poses])
    weight = gravity * np.array([body.properties.mass for body in bodies])
    return frame.stats.kinetic_energy + weight @ places[:, 2]


def judged(name, scene):
    """Print what the exact judge finds in all substeps of a scene."""
    sys.path.insert(0, str(TESTS))  # its modules import each other from there
    from fuzz.run import run_scene
    from fuzz.scenes import Scene

    outcome = run_scene(Scene("", scene.bodies, scene.settings, scene.frames))
    print(f"{name}: {outcome.substep} substeps, crossings: {outcome.findings or 'none'}")


def timed(name, scene, path):
    """Print the frames of a scene, and keep some of them."""
    bodies, spent, kept = scene.deformable, [], []
    before, started = None, time.thread_time()
    for frame in simulate(scene.bodies, scene.settings, scene.frames):
        spent.append(time.thread_time() - started)
        places = np.array([center for center, _ in frame.poses])
        step = 0.0 if before is None else np.linalg.norm(places - before, axis=1)
        speed = step / scene.settings.frame_time
        print(
            f"{frame.index:4d}  {spent[-1]:6.2f} s  {energy(bodies, frame):10.3f} J"
            f"  median {np.median(speed):.4f} m/s  most {np.max(speed):.4f} m/s"
            f"  {frame.stats.pairs} pairs",
            flush=True,
        )
        kept.append(frame.positions)
        before, started = places, time.thread_time()
    # The first frame loads kernels.
    print(f"{name}: {np.mean(spent[1:]):.2f} s a frame, at most {max(spent[1:]):.2f} s")
    if path:
        keep(path, kept[-1], moments=np.array([np.concatenate(kept[k]) for k in MOMENTS]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=("links", "teapot"))
    parser.add_argument("--meshes", metavar="FOLDER")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--keep", help="file for the last frame, for a picture")
    given = parser.parse_args()
    for name in given.names:
        if name == "teapot" and given.meshes is None:
            parser.error(f"{name} needs --meshes FOLDER")
        scene = links() if name == "links" else teapot(given.meshes)
        scene = replace(scene, settings=replace(scene.settings, threads=1))
        judged(name, scene) if given.judge else timed(name, scene, given.keep)


if __name__ == "__main__":
    main()
