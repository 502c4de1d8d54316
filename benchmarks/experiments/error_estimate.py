# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the error of the positions is estimated that ends a substep (setting "accuracy").

    python -m vbd.benchmarks.experiments.error_estimate [--plot] [scene ...]

Substeps of the scenes begin from where the accuracy has led, are iterated far beyond their end, and
every estimate on the way is compared with the distance from where that leads (root mean square of
every body, in float32). Printed for every scene: how many estimates of all looks lie within a
factor 3, are lower or are higher, the lowest and the highest of them as parts of the truth; after
how many iterations its substeps end on average, after how many the truth would have allowed it, and
the largest true error over its goal. --plot draws docs/gallery/error_estimate.png.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments import convergence_scenes, convergence_small
from vbd.solver.kernels.accuracy import FIRST_LOOK
from vbd.solver.settings import Settings
from vbd.solver.simulate import Simulation

sys.path += [str(Path(__file__).parents[2] / "tests" / part) for part in ("recorded", ".")]

import scenes

ACCURACY = 0.01
FAR, LATE, LAST = 240, 200, 64
# Errors of which the truth is not known to this part are left out: from LATE to FAR it moves on.
KNOWN = 0.2
RECORDED = (
    "hanging sheet",
    "bent sheets",
    "neo-Hookean beam",
    "neo-Hookean beam, damped",
    "logarithm beam",
    "corotated beam",
    "neo-Hookean membrane",
    "woven membrane",
    "rope",
    "rope, damped",
    "wire",
    "thrown",
    "moved pins",
    "varying gravity",
    "ball on plane",
    "ball on sphere",
    "ball in bowl",
    "ball on ground",
    "cube on mesh",
    "visible surface on mesh",
    "visible surface on plane",
    "cloth on ball",
    "two balls",
    "stack",
    "in a box",
    "lifted",
)


def one_step(body, frames=8):
    return scenes.scene(body, frames=frames, frame_time=convergence_scenes.H, substeps=1)


SCENES = {name: {**scenes.FREE, **scenes.CONTACT}[name] for name in RECORDED} | {
    "bar 4": lambda: one_step(convergence_scenes.bar(4)),
    "bar 4, 30 MPa": lambda: one_step(convergence_scenes.bar(4, 3e7)),
    "bar 8": lambda: one_step(convergence_scenes.bar(8), frames=4),
    "contrast bar": lambda: one_step(convergence_scenes.contrast_bar(2)),
    "small beam": lambda: one_step(convergence_small.beam((8, 2, 2), 1e7)),
    "small sheet": lambda: one_step(convergence_small.hung(8, 1e6)),
    "sheet 24": lambda: scenes.scene(convergence_scenes.hanging_sheet(24)),
    "sheet 48": lambda: scenes.scene(convergence_scenes.hanging_sheet(48), frames=4),
}


@dataclass
class Substep:
    """What was estimated after looks at a substep, and what was true, all in m or 1."""

    estimates: dict  # by iteration, [body]
    goals: dict
    truth: dict
    unsure: np.ndarray  # [body] how far the truth may be from where it is taken to be
    caution: float

    def ratios(self):
        """Estimates over truth, where that is known."""
        found = [
            (self.estimates[done] / self.truth[done])[self.truth[done] * KNOWN >= self.unsure]
            for done in self.estimates
        ]
        return np.concatenate(found)

    def pairs(self):
        """Rows of truth, estimate and goal, where the truth is known."""
        rows = [
            np.stack([self.truth[n], self.estimates[n], self.goals[n]])[
                :, self.truth[n] * KNOWN >= self.unsure
            ]
            for n in self.estimates
        ]
        return np.concatenate(rows, axis=1).T

    @property
    def done(self):
        """Iterations after which it ends; None where it does not say that it has converged."""
        looks = sorted(self.estimates)
        met = (n for n in looks if (self.caution * self.estimates[n] <= self.goals[n]).all())
        return next(met, None)

    def told(self):
        """Estimate over truth, where that is known, at the end, after the usual iterations at the
        latest, of the body that is farthest from its goal: what a frame tells.
        """
        usual = max(n for n in self.estimates if n <= Settings().iterations)
        n = min(self.done or usual, usual)
        b = int(np.argmax(self.estimates[n] / self.goals[n]))
        is_known = self.truth[n][b] * KNOWN >= self.unsure[b]
        return [self.estimates[n][b] / self.truth[n][b]] if is_known else []

    def end(self):
        """(iterations done, those that would have done, true error over its goal)."""
        done, goal = self.done, self.goals[max(self.goals)]
        enough = next((n for n, e in sorted(self.truth.items()) if (e <= goal).all()), LAST)
        if done is None:
            return LAST, enough, 0.0  # it does not say that it has converged
        return done, enough, float((self.truth[done] / self.goals[done]).max())


class Watched:
    """A scene whose substeps end as they do, but some, which are seen on to FAR iterations."""

    def __init__(self, scene):
        settings = replace(scene.settings, iterations=FAR, accuracy=ACCURACY, tolerance=0.0)
        self.scene, self.settings = scene, settings
        simulation = Simulation(scene.bodies, settings, "cpu", scene.gravity)
        self.stepper, self.measure = simulation._build()
        self.model = simulation.model
        # Plain launches, so that Python sees every iteration.
        self.stepper.is_captured = False
        self.convergence = self.stepper.convergence
        self.accuracy = self.convergence.accuracy
        self.look, self.convergence.look = self.convergence.look, self._watch
        self.path, self.estimates, self.goals = None, {}, {}
        self.marks = [FIRST_LOOK, *(n for n, _ in self.accuracy.marks if n <= LAST)]

    def _watch(self):
        self.look()
        done, met = self.convergence.done, self.convergence.iterations.is_met
        if self.path is None:
            if done >= Settings().iterations:
                met.fill_(1)
            return
        met.zero_()
        if done <= LAST or done == LATE:
            self.path[done] = self.model.x.numpy().copy()
        if done in self.marks:
            self.estimates[done] = self.accuracy.errors.error.numpy().copy()
            self.goals[done] = self.accuracy.errors.goal.numpy().copy()

    def substeps(self):
        """`Substep`s: the last of the first, the middle and the last frame."""
        frames, substeps = self.scene.frames, self.settings.substeps
        for frame in range(1, frames + 1):
            self.stepper.begin_frame(frame, frame * self.settings.frame_time)
            for substep in range(1, substeps + 1):
                is_seen = substep == substeps and frame in (1, max(frames // 2, 1), frames)
                self.path = {} if is_seen else None
                self.estimates, self.goals = {}, {}
                self.stepper.step()
                if is_seen:
                    yield self._measured()
            self.stepper.end_frame(self.measure.read())
        self.model.launches.threads.stop()

    def _measured(self):
        model, accuracy = self.model, self.accuracy
        bodies = [model.assembly.vertices[b] for b in accuracy.body]
        free = [each[each < model.free_count] for each in bodies]
        rounding, end = accuracy.errors.rounding.numpy(), model.x.numpy()

        def apart(x):
            return np.maximum([rms(x[each] - end[each]) for each in free], rounding)

        late = self.path.pop(LATE)
        unsure = apart(late)
        unsure[unsure <= rounding] = 0.0
        truth = {done: apart(x) for done, x in self.path.items()}
        return Substep(self.estimates, self.goals, truth, unsure, accuracy.caution)


def rms(difference):
    return float(np.sqrt((difference.astype(float) ** 2).sum(axis=1).mean()))


def main(names, plots):
    print(f"{'scene':26} within lower higher  lowest highest   ends could over goal")
    everything = []
    for name in names:
        found = list(Watched(SCENES[name]()).substeps())
        everything += found
        print(f"{name:26} {row(found)}", flush=True)
    print(f"{'all':26} {row(everything)}")
    told = np.concatenate([substep.told() for substep in everything])
    within = ((told > 1.0 / 3.0) & (told < 3.0)).mean()
    print(f"Of what {len(told)} frames tell {within:.0%} is within a factor 3.")
    over = np.array([substep.end()[2] for substep in everything])
    print(
        f"Of {len(over)} substeps {(over > 1.0).sum()} ended above the goal, "
        f"{(over > 3.0).sum()} above 3 times the goal."
    )
    if plots:
        plot(np.concatenate([substep.pairs() for substep in everything]))


def row(substeps):
    """Parts of the ratios within, below and above a factor 3, the extremes, and ends."""
    ratios = np.concatenate([substep.ratios() for substep in substeps])
    done, could, over = np.array([substep.end() for substep in substeps]).T
    ends = f"{done.mean():5.1f} {could.mean():5.1f} {over.max():6.2f}"
    if not len(ratios):
        return f"  (truth not known)                  {ends}"
    low, high = (ratios < 1.0 / 3.0).mean(), (ratios > 3.0).mean()
    parts = f"{1.0 - low - high:6.0%} {low:5.0%} {high:6.0%}"
    return f"{parts} {ratios.min():7.2f} {ratios.max():7.1f}   {ends}"


def plot(pairs):
    """Estimates over true errors, both as parts of their goals."""
    from vbd.benchmarks.experiments.figures import GALLERY, pyplot

    truth, estimate, goal = pairs.T
    ends = np.array([1e-3, 1e3])
    figure, axes = pyplot.subplots(figsize=(5.0, 4.6), layout="constrained")
    axes.fill_between(ends, ends / 3.0, 3.0 * ends, color="0.9", label="within a factor 3")
    axes.loglog(truth / goal, estimate / goal, ".", color="tab:blue", markersize=3, alpha=0.5)
    axes.loglog(ends, ends, color="0.5", linewidth=0.8)
    axes.axvline(3.0, color="tab:red", linewidth=0.8, label="3 times the goal")
    axes.set(xlabel="true error / goal", ylabel="estimate / goal", xlim=ends, ylim=ends)
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(GALLERY / "error_estimate.png", dpi=100)


if __name__ == "__main__":
    plots = "--plot" in sys.argv
    main([name for name in sys.argv[1:] if name != "--plot"] or list(SCENES), plots)
