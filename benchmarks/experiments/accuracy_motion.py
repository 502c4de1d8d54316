# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole motions to an accuracy, compared with those of a fixed number of iterations.

    python -m vbd.benchmarks.experiments.accuracy_motion [--accuracy A …] [scene …]

Scenes without contact, and those of the gallery with sticking, sliding, stacks or drapes, run
alternately frame by frame: with all iterations of their settings, with each accuracy, and with five
times as many. Printed for each: the largest distance (root mean square over a body) from the last
of these as a fraction of the largest motion of any body so far, its mean over the bodies; the CPU
time over that of all iterations; iterations per substep at the ends of frames.
"""

import argparse
import math
import time
from dataclasses import dataclass, field, replace

import numpy as np

from vbd.benchmarks.experiments import contact_scenes, convergence_scenes, error_estimate_scenes
from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate

MORE = 5
# Frames that are not timed, in which the substep is recorded.
FIRST = 2


def incline(part, frames=12):
    """A cube with `part` times the friction that just holds it."""
    return contact_scenes.incline(part * math.tan(math.radians(20.0)), 20.0, frames)


def free(body, frames):
    return error_estimate_scenes.of([body], frames)


SCENES = {
    "sheet of 24²": lambda: free(convergence_scenes.hanging_sheet(24), 10),
    "sheet of 64²": lambda: free(convergence_scenes.hanging_sheet(64), 5),
    "bar of 4 × 4 × 40 cells": lambda: free(convergence_scenes.bar(4), 8),
    "bar of 8 × 8 × 80 cells": lambda: free(convergence_scenes.bar(8), 4),
    "rope": lambda: error_estimate_scenes.of(error_estimate_scenes.pendulum(), 24),
    "stick": lambda: incline(1.01),
    "slide": lambda: incline(0.55),
    "ball on a plane": lambda: replaced("ball on plane", 24),
    "cloth on a ball": lambda: replaced("cloth on ball", 24),
    "stack, 2000 times the mass": lambda: contact_scenes.stack(frames=12),
    "stack of ten": lambda: contact_scenes.stack_of_ten(12),
    "drape": lambda: contact_scenes.cloth_on_sphere(frames=24),
    "cloth on cloth": lambda: contact_scenes.cloth_on_cloth(frames=30),
    "card house": lambda: error_estimate_scenes.ADDED["card house"](),
    "cubes of cells": lambda: error_estimate_scenes.ADDED["cubes of cells"](),
    "balls": lambda: contact_scenes.colliding_balls(),
}


def replaced(name, frames):
    return replace(error_estimate_scenes.FIRST[name](), frames=frames)


@dataclass
class Run:
    """A scene with its settings, frame by frame."""

    frames: object
    seconds: list = field(default_factory=list)
    done: list = field(default_factory=list)
    apart: np.ndarray | None = None  # largest so far, by body [m]

    def advance(self):
        began = time.process_time()
        frame = next(self.frames)
        self.seconds.append(time.process_time() - began)
        self.done.append(frame.stats.iterations)
        return frame.exact_positions

    def compare(self, found, wanted):
        away = np.array([rms(a - b) for a, b in zip(found, wanted, strict=True)])
        self.apart = away if self.apart is None else np.maximum(away, self.apart)


def rms(difference):
    return float(np.sqrt((difference.astype(float) ** 2).sum(axis=1).mean()))


def play(scene, accuracies):
    """`Run`s of all iterations and to each accuracy, and the largest motion of a body [m]."""
    usual = replace(scene.settings, threads=1, accuracy=0.0)
    settings = [usual, *(replace(usual, accuracy=accuracy) for accuracy in accuracies)]
    settings.append(replace(usual, iterations=MORE * usual.iterations))
    gravity = getattr(scene, "gravity", None)
    runs = [Run(simulate(scene.bodies, each, scene.frames, gravity=gravity)) for each in settings]
    start, moved = None, 0.0
    for _ in range(scene.frames):
        *found, wanted = [run.advance() for run in runs]
        start = wanted if start is None else start
        moved = max(moved, *(rms(a - b) for a, b in zip(wanted, start, strict=True)))
        for run, positions in zip(runs, found, strict=False):
            run.compare(positions, wanted)
    return runs[:-1], moved


def main(names, accuracies):
    for name in names:
        runs, moved = play(SCENES[name](), accuracies)
        cells = []
        for run in runs:
            part = sum(run.seconds[FIRST:]) / sum(runs[0].seconds[FIRST:])
            away = run.apart.max() / max(moved, 1e-12)
            cells.append(f"{away:8.3%} {part:5.2f} {np.mean(run.done):5.1f}")
        print(f"{name:28} {1e3 * moved:7.1f} mm  {' | '.join(cells)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="scene")
    parser.add_argument("--accuracy", type=float, nargs="+", default=[Settings().accuracy])
    options = parser.parse_args()
    main(options.names or SCENES, options.accuracy)
