# SPDX-License-Identifier: GPL-3.0-or-later
"""Reported errors of the positions, compared with true ones.

    python -m vbd.benchmarks.experiments.error_estimate [--anew] [--plot] [scene ...]

Scenes run at their own settings, to the default accuracy. Every frame's error is compared with the
distance (root mean square of every body, in float32) to the converged end of its last substep: the
substep is repeated from the same state in cycles of a fixed period, until a doubling of their
number moves no body by more than SURE of its error. Where the reference solver has all elements of
a scene and nothing touches, Newton's method in float64 continues from there, and its answer is the
truth.

Printed for every scene: frames, iterations of the last substep, how many frames report the error of
the body that is farthest from its goal within a factor 3, too low or too high, the lowest and the
highest over the truth; in how many frames nothing is reported, or the truth is not known to KNOWN;
the largest true error over its goal where a frame reports convergence; and, with Newton's method,
the largest distance of the iterated end from its answer, over the true error. Errors below NONE of
a visible one count as NONE; sums are also printed without this. Results are kept in FOLDER; --anew
ignores them. --plot draws the figure of the gallery.
"""

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments.error_estimate_scenes import ADDED, FIRST, SCENES, VARIED
from vbd.benchmarks.reference import newton
from vbd.benchmarks.reference.problem import Problem
from vbd.benchmarks.reference.scene import scene_of
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.report.position_error import ROUNDING
from vbd.solver.settings import Settings
from vbd.solver.simulate import Simulation

FOLDER = Path(tempfile.gettempdir()) / "vbd_error_estimate"
# From this number of iterations on, at each doubling, convergence of a substep is checked.
FIRST_END, LAST_END = 128, 4096
SURE, KNOWN = 0.05, 0.2
# Errors below this fraction of a visible one are as good as none: 0.001 of the motion in the
# substep, or 4e-6 of the size.
NONE = 0.004
# Enough repetitions to give lists of contacts the capacity that they lack.
AGAIN = 6


class Run:
    """A scene, substep by substep, each a frame by itself; all states are stored between."""

    def __init__(self, scene, **settings):
        self.settings = replace(scene.settings, threads=1, **settings)
        simulation = Simulation(scene.bodies, self.settings, "cpu", scene.gravity)
        self.stepper, self.measure = simulation.stepper, simulation.measure
        self.model, self.bodies = simulation.model, simulation.deformable
        # Plain launches, so that Python sees where iterations end.
        self.stepper.is_captured = False
        self.stepper.verbs["end_step"].insert(0, self._keep_end)
        every = self.model.assembly.vertices
        self.free = [vertices[vertices < self.model.free_count] for vertices in every]
        points = [self.model.assembly.points[vertices] for vertices in every]
        self.rounding = ROUNDING * np.array([np.abs(each).max() for each in points])

    def _keep_end(self):
        self.end = self.model.x.numpy().copy()

    def rms(self, difference):
        """Root mean squares over the free vertices of every body."""
        squares = (difference.astype(float) ** 2).sum(axis=1)
        return np.sqrt([squares[each].sum() / max(len(each), 1) for each in self.free])

    def begin(self, number):
        self.stepper.begin_frame(number, number * self.settings.frame_time)

    def state(self, number):
        return Restart(number, self.stepper.checkpoints.state())

    def step(self, state):
        """Do a substep from a state, again where contacts lacked capacity; return its numbers."""
        for _ in range(AGAIN):
            self.stepper.step()
            numbers = self.measure.read()
            if self.stepper.end_frame(numbers) is None:
                return numbers
            self.stepper.checkpoints.restore(state)
        raise RuntimeError("contacts still lack room")

    def stop(self):
        self.model.launches.threads.stop()


class Reference(Run):
    """The substeps of `Run`, iterated to convergence in cycles of a fixed period."""

    def __init__(self, scene):
        super().__init__(scene, iterations=LAST_END, accuracy=1e-9)
        self.convergence, self.sweep = self.stepper.convergence, self.stepper.sweep
        self.stepper.sweep = self._sweep

    def _sweep(self):
        self.sweep()
        met, done = self.convergence.iterations.is_met, self.convergence.done
        met.zero_()
        if done < FIRST_END or done & (done - 1):
            return
        x = self.model.x.numpy().copy()
        if self.before is not None:
            self.unsure, self.done = self.rms(x - self.before), done
            enough = np.maximum(SURE * self.rms(x - self.told), self.none)
            met.fill_(int((self.unsure <= enough).all()))
        self.before = x

    def find(self, state, told, none):
        """Go to the end of a substep from its state, far beyond the positions `told` that it
        reported. Errors [m] of those positions, and how uncertain they are.
        """
        self.told, self.none, self.before = told, none, None
        self.stepper.checkpoints.restore(state)
        self.step(state)
        return self.rms(self.end - told), self.unsure


LAWS = {"tet": "solid_model", "triangle": "membrane", "edge": None}


def law_of(bodies):
    """The reference solver's name for the law of the only body of a scene; None where it has not
    all of its forces.
    """
    (body, *others) = bodies
    if others or body.element_name not in LAWS:
        return None
    key = LAWS[body.element_name]
    law = getattr(body.material, key) if key else "spring"
    has_more = body.element_name == "edge" and body.material.bending_factor > 0.0
    return None if law == "orthotropic" or has_more else law


def by_newton(run, law):
    """Positions of Newton's method from the end of the last substep of a run, in its order."""
    (body,), model = run.bodies, run.model
    (order,) = model.assembly.vertices
    scene, h = scene_of(body, law), run.settings.step_time
    start, inertial, end = (
        each.astype(float)[order] for each in (model.x_start.numpy(), inertia_of(model), run.end)
    )
    elements = list(scene.elements)
    for part, time in zip(scene.elements, scene.damping_times, strict=True):
        if np.any(time):
            elements.append(part.damping(start, time / h))
    problem = Problem(end, inertial, scene.mass, h, elements, scene.pinned, scene.acceleration)
    found = np.array(run.end, dtype=float)
    found[order] = newton.solve(problem, tolerance=1e-9)
    return found


def inertia_of(model):
    found = model.x.numpy().copy()
    found[: model.free_count] = model.inertial.numpy()[: model.free_count]
    return found


def measured(make):
    """Rows of the reported and the true errors of every frame of a scene."""
    scene = make()
    every = scene.settings.substeps
    small = {"substeps": 1, "frame_time": scene.settings.frame_time / every}

    def split():
        scene = make()
        return replace(scene, settings=replace(scene.settings, **small))

    run, far = Run(split(), accuracy=Settings().accuracy), Reference(split())
    touches = run.model.contact is not None or run.model.has_analytic_colliders
    law = None if touches else law_of(run.bodies)
    rows = []
    for number in range(1, scene.frames * every + 1):
        run.begin(number)
        far.begin(number)
        state, start = run.state(number), run.model.x.numpy().copy()
        numbers = run.step(state)
        if number % every == 0:
            rows.append(row_of(run, far, state, start, numbers, law))
    run.stop()
    far.stop()
    return rows


def row_of(run, far, state, start, numbers, law):
    convergence, stats = run.stepper.convergence, run.measure.statistics(numbers, 0.0)
    found = convergence.errors_of(numbers)
    size = np.array([np.ptp(body.points, axis=0).max() for body in run.bodies])
    none = NONE * np.maximum(0.25 * run.rms(run.end - start), 1e-3 * size)
    truth, unsure = far.find(state, run.end, np.maximum(none * KNOWN, run.rounding))
    apart = None
    if law:
        exact = by_newton(far, law)
        apart = float((far.rms(far.end - exact) / np.maximum(truth, none)).max())
        truth = far.rms(exact - run.end)
    return {
        "by_accuracy": convergence.accuracy is not None,
        "iterations": stats.iterations,
        "verdict": stats.verdict,
        "worst": found.worst,
        "error": found.error.tolist(),
        "goal": found.goal.tolist(),
        "none": none.tolist(),
        "rounding": run.rounding.tolist(),
        "truth": truth.tolist(),
        "unsure": unsure.tolist(),
        "far": far.done,
        "newton": apart,
    }


def rows_of(name, anew):
    """The rows of a scene, from FOLDER if an earlier run has stored them."""
    path = FOLDER / f"{name}.json"
    if anew or not path.exists():
        FOLDER.mkdir(exist_ok=True)
        path.write_text(json.dumps(measured(SCENES[name])))
    return json.loads(path.read_text())


def ratios(rows, none=True):
    """(estimates over the truth, frames without a report, frames without a known truth)."""
    found, untold, unknown = [], 0, 0
    for row in rows:
        b = row["worst"]
        if b is None:
            untold += 1
            continue
        least = max(row["none"][b] * none, row["rounding"][b])
        truth = max(row["truth"][b], least)
        if row["unsure"][b] > max(KNOWN * truth, least):
            unknown += 1
            continue
        found.append(max(row["error"][b], least) / truth)
    return np.array(found), untold, unknown


def over_goal(rows):
    """Largest true error over its goal among frames that report convergence."""
    said = [row for row in rows if row["verdict"] == "converged" and row["worst"] is not None]
    return max((max(np.divide(row["truth"], row["goal"])) for row in said), default=0.0)


def is_false_alarm(row):
    """Return whether a frame reports no convergence though its errors are below the goal."""
    said = row["verdict"] != "converged" and row["worst"] is not None
    return said and bool(np.all(np.array(row["truth"]) <= row["goal"]))


def within(found):
    return ((found > 1.0 / 3.0) & (found < 3.0)).mean() if len(found) else np.nan


def line_of(name, rows):
    found, untold, unknown = ratios(rows)
    low, high = (found <= 1.0 / 3.0).mean(), (found >= 3.0).mean()
    done = np.mean([row["iterations"] for row in rows])
    apart = [row["newton"] for row in rows if row["newton"] is not None]
    parts = f"{within(found):6.0%} {low:5.0%} {high:6.0%} {found.min():7.2f} {found.max():8.1f}"
    said = f"{untold:6} {unknown:7} {over_goal(rows):9.2f}"
    exact = f"{max(apart):8.1%}" if apart else ""
    return f"{name:34} {len(rows):6} {done:10.1f} {parts} {said} {exact}"


def conclude(said, group):
    """Sums over the rows of a group of scenes."""
    rows = [row for rows in group for row in rows]
    for kind, chosen in (
        ("", rows),
        (", to an accuracy", [row for row in rows if row["by_accuracy"]]),
        (", all iterations", [row for row in rows if not row["by_accuracy"]]),
    ):
        found, strict = ratios(chosen)[0], ratios(chosen, none=False)[0]
        false = sum(over_goal([row]) > 3.0 for row in chosen)
        alarms = sum(is_false_alarm(row) for row in chosen)
        print(
            f"{said}{kind}: {within(found):.1%} of {len(found)} frames within a factor 3 "
            f"({within(strict):.1%} with errors as good as none); {false} of {len(chosen)} say "
            f"converged above 3 times the goal, {alarms} say otherwise below it"
        )


def main(names, anew, plots):
    print(
        f"{'scene':34} frames iterations within lower higher  lowest  highest untold unknown "
        "over goal  Newton"
    )
    found = {}
    for name in names:
        rows = found[name] = rows_of(name, anew)
        told = [row for row in rows if row["worst"] is not None]
        print(
            line_of(name, rows) if told else f"{name:34} {len(rows):6} (nothing told)", flush=True
        )
    both = {**FIRST, **ADDED}
    groups = {"first": FIRST, "added": ADDED, "both": both, "varied": VARIED, "all": SCENES}
    for said, group in groups.items():
        conclude(said, [found[name] for name in names if name in group])
    if plots:
        plot([row for rows in found.values() for row in rows])


def plot(rows):
    """Estimates over true errors, both as fractions of their goals."""
    from vbd.benchmarks.experiments.figures import GALLERY, pyplot

    ends = np.array([1e-4, 1e3])
    figure, axes = pyplot.subplots(figsize=(5.0, 4.6), layout="constrained")
    axes.fill_between(ends, ends / 3.0, 3.0 * ends, color="0.9", label="within a factor 3")
    for by_accuracy, color, label in (
        (True, "tab:blue", "to an accuracy"),
        (False, "tab:orange", "all iterations"),
    ):
        chosen = [row for row in rows if row["by_accuracy"] is by_accuracy]
        pairs = np.array([pair_of(row) for row in chosen if row["worst"] is not None])
        style = {"color": color, "markersize": 3, "alpha": 0.5, "label": label}
        axes.loglog(*pairs.T, ".", **style)
    axes.loglog(ends, ends, color="0.5", linewidth=0.8)
    axes.plot([3.0, 3.0], [ends[0], 1.0], color="tab:red", linewidth=0.8, label="false if below 1")
    axes.set(xlabel="true error / goal", ylabel="estimate / goal", xlim=ends, ylim=ends)
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(GALLERY / "error_estimate.png", dpi=100)


def pair_of(row):
    """(true error, estimate) over the goal, of the body that is farthest from it."""
    b = row["worst"]
    least = max(row["none"][b], row["rounding"][b])
    return [max(row[key][b], least) / row["goal"][b] for key in ("truth", "error")]


if __name__ == "__main__":
    options = {"--anew", "--plot"} & set(sys.argv)
    chosen = [name for name in sys.argv[1:] if name not in options] or list(SCENES)
    main(chosen, "--anew" in options, "--plot" in options)
