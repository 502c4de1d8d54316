# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the error of the positions is estimated, by which an accuracy ends a substep.

    python -m vbd.benchmarks.experiments.error_estimate [--plot] [scene ...]

Substeps of the scenes begin from where the accuracy has led, are iterated far beyond their end, and
every estimate on the way is compared with the distance from where that leads (root mean square of
every body, in float32). Printed for every scene: how many estimates of all looks lie within a
factor 3, are lower or are higher, the lowest and the highest of them as parts of the truth; after
how many iterations its substeps end on average, after how many the truth would have allowed it, and
the largest true error over its goal; and last, what is told after the usual iterations without an
accuracy, where that can be known, as a part of the truth. In what is told, errors below NONE of
what one might mind count as that. --plot draws docs/gallery/error_estimate.png.
"""

import sys
from dataclasses import dataclass, replace

import numpy as np

from vbd.benchmarks.experiments.error_estimate_scenes import ADDED, FIRST, SCENES
from vbd.solver.kernels.accuracy import FIRST_LOOK
from vbd.solver.report.position_error import PositionError, visible
from vbd.solver.settings import Settings
from vbd.solver.simulate import Simulation

ACCURACY, USUAL = Settings().accuracy, Settings().iterations
FAR, LATE, LAST = 240, 200, 64
# Errors of which the truth is not known to this part are left out: from LATE to FAR it moves on.
KNOWN = 0.2
# Errors below this part of what one might mind are as good as none: 0.001 of the motion in the
# substep, or 4e-6 of the size.
NONE = 0.004


@dataclass
class Substep:
    """What was estimated after looks at a substep, and what was true, all in m or 1."""

    estimates: dict  # by iteration, [body]
    bounds: dict  # of what ends it
    goals: dict
    none: dict  # errors that are as good as none
    truth: dict
    unsure: np.ndarray  # [body] how far the truth may be from where it is taken to be

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
        met = (n for n in looks if (self.bounds[n] <= self.goals[n]).all())
        return next(met, None)

    def told(self):
        """Estimate over truth, where that is known, at the end, after the usual iterations at the
        latest, of the body that is farthest from its goal: what a frame tells.
        """
        usual = max(n for n in self.estimates if n <= USUAL)
        n = min(self.done or usual, usual)
        b = int(np.argmax(self.estimates[n] / self.goals[n]))
        is_known, none = self.truth[n][b] * KNOWN >= self.unsure[b], self.none[n][b]
        return [max(self.estimates[n][b], none) / max(self.truth[n][b], none)] if is_known else []

    def end(self):
        """(iterations done, those that would have done, true error over its goal)."""
        done, goal = self.done, self.goals[max(self.goals)]
        enough = next((n for n, e in sorted(self.truth.items()) if (e <= goal).all()), LAST)
        if done is None:
            return LAST, enough, 0.0  # it does not say that it has converged
        return done, enough, float((self.truth[done] / self.goals[done]).max())


class Watched:
    """A scene whose substeps end as they do, but some, which are seen on to FAR iterations."""

    def __init__(self, scene, accuracy=ACCURACY):
        settings = replace(scene.settings, iterations=FAR, accuracy=accuracy, tolerance=0.0)
        self.scene, self.settings = scene, settings
        simulation = Simulation(scene.bodies, settings, "cpu", scene.gravity)
        self.stepper, self.measure = simulation._build()
        self.model = simulation.model
        # Plain launches, so that Python sees every iteration.
        self.stepper.is_captured = False
        self.convergence = self.stepper.convergence
        self.look, self.convergence.look = self.convergence.look, self._watch
        self.path = None

    def _watch(self):
        self.look()
        done, met = self.convergence.done, self.convergence.iterations.is_met
        if self.path is None:
            if done >= USUAL:
                met.fill_(1)
            return
        if done <= LAST or done == LATE:
            self.path[done] = self.model.x.numpy().copy()
        self._at(done, bool(met.numpy()[0]))
        met.zero_()

    def _at(self, done, is_met):
        """Take what is told after some iterations of a substep that is seen."""
        raise NotImplementedError

    def substeps(self):
        """What is `_measured` of the last substep of the first, the middle and the last frame."""
        frames, substeps = self.scene.frames, self.settings.substeps
        for frame in range(1, frames + 1):
            self.stepper.begin_frame(frame, frame * self.settings.frame_time)
            for substep in range(1, substeps + 1):
                is_seen = substep == substeps and frame in (1, max(frames // 2, 1), frames)
                self.path = {} if is_seen else None
                self._begin()
                self.stepper.step()
                if self.path:  # none of a frame that is done again
                    yield self._measured()
            self.stepper.end_frame(self.measure.read())
        self.model.launches.threads.stop()

    def _truth(self, bodies, rounding):
        """Errors [m] by iteration of bodies, given by their vertices; and how unsure each is."""
        free, end = [each[each < self.model.free_count] for each in bodies], self.model.x.numpy()

        def apart(x):
            return np.maximum([rms(x[each] - end[each]) for each in free], rounding)

        unsure = apart(self.path.pop(LATE))
        unsure[unsure <= rounding] = 0.0
        return {done: apart(x) for done, x in self.path.items()}, unsure


class ToAnAccuracy(Watched):
    """What the estimates of an accuracy tell, `Substep` by `Substep`."""

    def _begin(self):
        self.accuracy = self.convergence.accuracy
        self.marks = [FIRST_LOOK, *(n for n, _ in self.accuracy.marks if n <= LAST)]
        self.told, self.latest = {"error": {}, "bound": {}, "goal": {}, "motion": {}}, None

    def _at(self, done, is_met):
        errors = self.accuracy.errors
        if done in self.marks:
            for name, by_iteration in self.told.items():
                by_iteration[done] = getattr(errors, name).numpy().copy()
        if self.latest is None and (is_met or done == USUAL):
            self.latest = errors.latest.numpy().copy()

    def _measured(self):
        errors, assembly = self.accuracy.errors, self.model.assembly
        # It remembers what it would have seen, had it ended as it does.
        errors.latest.assign(self.latest)
        bodies = [assembly.vertices[b] for b in self.accuracy.body]
        truth, unsure = self._truth(bodies, errors.rounding.numpy())
        *told, motion = self.told.values()
        none = {n: NONE * visible(each, self.accuracy.sizes) for n, each in motion.items()}
        return Substep(*told, none, truth, unsure)


class Plain(Watched):
    """What is told without an accuracy, after the usual iterations: estimate over truth of the body
    of which it is most visible, None where the truth is not known.
    """

    def __init__(self, scene):
        super().__init__(scene, accuracy=0.0)
        self.error = PositionError(self.model)

    def _begin(self):
        pass

    def _at(self, done, _is_met):
        if done == USUAL // 4:
            self.error.keep_quarter()
        if done == USUAL // 2:
            self.error.keep_half()
        if done == USUAL:
            self.error.find()
            self.found = self.error.estimate(self.error.squares.numpy(), USUAL, USUAL)

    def _measured(self):
        vertices, b = self.model.assembly.vertices, self.found.worst
        if b is None:
            return None
        (truth, (unsure,)) = self._truth([vertices[b]], self.error.rounding[b])
        true, none = truth[USUAL][0], NONE * self.found.seen[b]
        if true * KNOWN < unsure:
            return None
        return max(self.found.error[b], none) / max(true, none)


def rms(difference):
    return float(np.sqrt((difference.astype(float) ** 2).sum(axis=1).mean()))


def main(names, plots):
    print(f"{'scene':26} within lower higher  lowest highest   ends could over goal   plain")
    everything, plain = {}, {}
    for name in names:
        everything[name] = list(ToAnAccuracy(SCENES[name]()).substeps())
        plain[name] = [told for told in Plain(SCENES[name]()).substeps() if told is not None]
        line = " ".join(f"{told:.2g}" for told in plain[name])
        print(f"{name:26} {row(everything[name])}   {line}", flush=True)
    for said, group in (("first", FIRST), ("added", ADDED), ("all", SCENES)):
        found = [substep for name in names if name in group for substep in everything[name]]
        if found:
            print(f"{said:26} {row(found)}")
            conclude(found, [told for name in names if name in group for told in plain[name]])
    if plots:
        found = [substep.pairs() for substeps in everything.values() for substep in substeps]
        plot(np.concatenate(found))


def conclude(substeps, plain):
    """How much of what frames tell is right, and how many end too early."""
    told = np.concatenate([substep.told() for substep in substeps])
    over = np.array([substep.end()[2] for substep in substeps])
    print(
        f"  Of what {len(told)} frames tell {within(told):.0%} is within a factor 3; "
        f"without an accuracy of {len(plain)} {within(np.array(plain)):.0%}."
    )
    print(
        f"  Of {len(over)} substeps {(over > 1.0).sum()} ended above the goal, "
        f"{(over > 3.0).sum()} above 3 times the goal."
    )


def within(ratios):
    return ((ratios > 1.0 / 3.0) & (ratios < 3.0)).mean()


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
