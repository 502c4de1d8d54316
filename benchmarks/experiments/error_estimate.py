# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the error of the positions is estimated that ends a substep (setting "accuracy").

    python -m vbd.benchmarks.experiments.error_estimate [scene ...]

Substeps of 30 scenes are iterated far beyond their end, and every estimate on the way is compared
with the distance from where that leads (root mean square of every body, in float32). Printed for
every scene: how many estimates lie within a factor 3, are lower or are higher, the lowest and the
highest of them as parts of the truth; for some accuracies after how many iterations the substeps
end, after how many the truth would have allowed it, and the largest true error over its goal.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments import convergence_scenes
from vbd.benchmarks.reference import beams
from vbd.solver.kernels.accuracy import FIRST_LOOK
from vbd.solver.simulate import Simulation

sys.path += [str(Path(__file__).parents[2] / "tests" / part) for part in ("recorded", ".")]

import scenes

FAR, LATE, LAST, USUAL = 600, 500, 128, 20
ACCURACIES = (0.02, 0.01, 0.005)
# Errors of which the truth is not known to this part are left out: from LATE to FAR it moves on.
KNOWN = 0.2
RECORDED = (
    "hanging sheet",
    "bent sheets",
    "neo-Hookean beam",
    "neo-Hookean beam, damped",
    "corotated beam",
    "woven membrane",
    "rope",
    "quasistatic",
    "thrown",
    "moved pins",
    "ball on plane",
    "ball in bowl",
    "cube on mesh",
    "visible surface on mesh",
    "cloth on ball",
    "two balls",
    "stack",
    "in a box",
    "lifted",
)


def one_step(body, frames=8, **settings):
    return scenes.scene(
        body, frames=frames, frame_time=convergence_scenes.H, substeps=1, **settings
    )


def cells(across, **settings):
    bar = beams.bar(across, beams.material(0.3, 5.0))
    return scenes.scene(bar, beams.free_clamp(bar), frames=4, gravity=(0.0, 0.0, -10.0), **settings)


SCENES = {name: {**scenes.FREE, **scenes.CONTACT}[name] for name in RECORDED} | {
    "bar 4": lambda: one_step(convergence_scenes.bar(4)),
    "bar 4, 30 MPa": lambda: one_step(convergence_scenes.bar(4, 3e7)),
    "bar 8": lambda: one_step(convergence_scenes.bar(8), frames=4),
    "contrast bar": lambda: one_step(convergence_scenes.contrast_bar(2)),
    "sheet 24": lambda: scenes.scene(convergence_scenes.hanging_sheet(24)),
    "sheet 48": lambda: scenes.scene(convergence_scenes.hanging_sheet(48), frames=4),
    "cells 2": lambda: cells(2),
    "cells 4": lambda: cells(4),
    "cells 2, quasistatic": lambda: cells(2, quasistatic=True, substeps=1),
    "bar 4, quasistatic": lambda: one_step(
        convergence_scenes.bar(4, 6e6), frames=2, quasistatic=True
    ),
    "sheet 16, quasistatic": lambda: one_step(
        convergence_scenes.hanging_sheet(16), frames=2, quasistatic=True
    ),
}


class Watched:
    """A scene whose iterations end where `watch` says so: by it or after USUAL ones."""

    def __init__(self, scene):
        settings = replace(scene.settings, iterations=FAR, accuracy=0.01, tolerance=0.0)
        self.scene, self.settings = scene, settings
        simulation = Simulation(scene.bodies, settings, "cpu", scene.gravity)
        self.stepper, self.measure = simulation._build()
        self.model = simulation.model
        # Plain launches, so that Python sees every iteration.
        self.stepper.is_captured = False
        self.convergence = self.stepper.convergence
        self.look, self.convergence.look = self.convergence.look, self._watch
        self.path, self.found = None, {}

    def _watch(self):
        self.look()
        done, met = self.convergence.done, self.convergence.iterations.is_met
        if self.path is None:
            if done >= USUAL:
                met.fill_(1)
            return
        met.zero_()
        if done <= LAST or done == LATE:
            self.path[done] = self.model.x.numpy().copy()
        if done in self.marks:
            errors = self.convergence.accuracy.errors
            self.found[done] = errors.error.numpy().copy()

    @property
    def caution(self):
        return self.convergence.accuracy.caution

    @property
    def marks(self):
        late = [done for done, _ in self.convergence.accuracy.marks if done <= LAST]
        return [FIRST_LOOK, *late]

    def substeps(self):
        """Yields after the last substep of the first, the middle and the last frame."""
        frames, substeps = self.scene.frames, self.settings.substeps
        for frame in range(1, frames + 1):
            self.stepper.begin_frame(frame, frame * self.settings.frame_time)
            for substep in range(1, substeps + 1):
                is_seen = substep == substeps and frame in (1, max(frames // 2, 1), frames)
                self.path, self.found = ({} if is_seen else None), {}
                self.stepper.step()
                if is_seen:
                    yield
            self.stepper.end_frame(self.measure.read())
        self.model.launches.threads.stop()


def rms(difference):
    return float(np.sqrt((difference.astype(float) ** 2).sum(axis=1).mean()))


def measured(watched):
    """Estimates and true errors [body] by iteration, motions, what nobody sees at an
    accuracy of 1 and how far the truth is unsure [body], all in m.
    """
    model, accuracy = watched.model, watched.convergence.accuracy
    start, end = model.x_start.numpy(), model.x.numpy()
    bodies = [model.assembly.vertices[b] for b in accuracy.body]
    least = accuracy.errors.least.numpy() / watched.settings.accuracy
    free = [each[each < model.free_count] for each in bodies]
    rounding = accuracy.errors.rounding.numpy()
    motions = np.array([rms(end[each] - start[each]) for each in free])
    truth = {
        done: np.maximum([rms(x[each] - end[each]) for each in free], rounding)
        for done, x in watched.path.items()
    }
    unsure = np.array([rms(watched.path[LATE][each] - end[each]) for each in free])
    unsure[unsure < rounding] = 0.0
    return watched.found, truth, motions, least, unsure


def ends(found, truth, motions, least, accuracy, caution):
    """(iterations done, those that would have done, true error over its goal) of a substep."""
    goal = np.maximum(accuracy * motions, accuracy * least)
    done = next((n for n, e in found.items() if (caution * e <= goal).all()), None)
    enough = next((n for n, e in sorted(truth.items()) if (e <= goal).all()), LAST)
    if done is None:
        return LAST, enough, 0.0  # it does not say that it has converged
    return done, enough, float((truth[done] / goal).max())


def main(names):
    print(f"{'scene':26} within lower higher  lowest highest   ends / could / error over goal at")
    print(" " * 61 + "   ".join(f"{accuracy:g}" for accuracy in ACCURACIES))
    everything, large, late = [], [], []
    for name in names:
        watched, ratios, stops = Watched(SCENES[name]()), [], []
        for _ in watched.substeps():
            found, truth, motions, least, unsure = measured(watched)
            for n, errors in found.items():
                is_known = truth[n] * KNOWN >= unsure
                ratios += list((errors / truth[n])[is_known])
                large += list((errors / truth[n])[is_known & (truth[n] > 1e-4 * motions)])
            stops.append(
                [ends(found, truth, motions, least, a, watched.caution) for a in ACCURACIES]
            )
        ratios, stops = np.array(ratios), np.array(stops)
        everything.append(ratios)
        late.append(stops)
        worst = stops.max(axis=0)
        print(f"{name:26} {row(ratios)}  ", end="")
        print("   ".join(f"{e:.0f} / {c:.0f} / {w:.1f}" for e, c, w in worst), flush=True)
    stops = np.concatenate(late)
    print(f"{'all':26} {row(np.concatenate(everything))}")
    print(f"{'errors > 0.0001 of motion':26} {row(np.array(large))}")
    for number, accuracy in enumerate(ACCURACIES):
        done, enough, over = stops[:, number].T
        print(
            f"accuracy {accuracy:g}: {done.mean():.1f} iterations on average ({enough.mean():.1f} "
            f"would do); error above the goal in {(over > 1.0).sum()}, above 3 times the goal in "
            f"{(over > 3.0).sum()} of {len(over)} substeps"
        )


def row(ratios):
    """Parts of the ratios within, below and above a factor 3, and the extremes."""
    if not len(ratios):
        return "  (truth not known)                "
    low, high = (ratios < 1.0 / 3.0).mean(), (ratios > 3.0).mean()
    parts = f"{1.0 - low - high:6.0%} {low:5.0%} {high:6.0%}"
    return f"{parts} {ratios.min():7.2f} {ratios.max():7.1f}"


if __name__ == "__main__":
    main(sys.argv[1:] or list(SCENES))
