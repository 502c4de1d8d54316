# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs scenes, judges each after every substep, and reduces those that fail."""

import time
from dataclasses import dataclass, replace

from vbd.solver.editing import Edits
from vbd.solver.rest_shapes.finding import with_rest_shapes
from vbd.solver.simulate import Simulation, edited_frames

from .judge import Judge


@dataclass
class Outcome:
    """Result of a scene: `findings` in words, empty where all went well; a scene whose bodies do
    not start apart is not counted.
    """

    findings: list
    is_scene: bool = True
    substep: int = 0
    inverted: int = 0
    inverted_at_end: int = 0
    seconds: float = 0.0


class Run:
    """A scene with its edits; `simulation` is the present one."""

    def __init__(self, scene):
        def few_frames(bodies, settings):
            return Simulation(bodies, settings).frames(1)

        settings, self.scene, self.edits = scene.settings, scene, Edits()
        self.edits.begin(scene.bodies, settings, None)
        bodies = with_rest_shapes(scene.bodies, settings, None, few_frames, lambda text: None)
        self.edits.replace(bodies)
        self._follow(Simulation(bodies, settings))
        self.edits.own_rows = self.simulation.model.attachments.count
        self.edits.is_compiled, self.pulls = True, []

    def _follow(self, simulation):
        """Make a simulation the present one, and later those that edits make of it."""
        self.simulation, edited = simulation, simulation.edited
        simulation.edited = lambda scene: self._follow(edited(scene))
        return simulation

    def state(self):
        """Positions of all vertices, and the centers, normals and sizes of analytic colliders."""
        model = self.simulation.model
        now = model.contact_model.colliders.now
        walls = [a.numpy().copy() for a in (now.center, now.normal, now.size)]
        return model.x.numpy().copy(), walls

    def frames(self, cancelled):
        """Solve frame by frame, each followed by its edits."""
        count = self.scene.frames
        for frame in edited_frames(self.simulation, self.edits, count, cancelled, None, None):
            yield frame
            for pull, last in self.pulls:
                if last == frame.index:
                    pull.release()
            for edit in self.scene.edits:
                if edit.after == frame.index:
                    self._make(edit)

    def _make(self, edit):
        if edit.goal is None:
            return self.edits.change(edit.name, **edit.values)
        pull = self.edits.pull(edit.name, edit.vertex, edit.goal, **edit.values)
        self.pulls.append((pull, edit.after + edit.frames))


def run_scene(scene, watch=None):
    """The `Outcome` of a scene, up to the first substep with findings. Every frame is given to
    `watch` before it is judged.
    """
    started = time.perf_counter()
    settings, states = scene.settings, []
    run = Run(scene)
    judge, outcome = Judge(run.simulation.model, scene, run.state()[0]), Outcome([])
    if judge.crossed:
        return Outcome([], is_scene=False)

    def keep():
        states.append(run.state())
        return False

    for frame in run.frames(keep):
        if watch is not None:
            watch(frame)
        # A frame may have been repeated: only its last substeps count.
        after = [*states[len(states) - settings.substeps + 1 :], run.state()]
        states.clear()
        for x, walls in after:
            outcome.findings = judge.look(x, settings.step_time, walls)
            if outcome.findings:
                break
            outcome.substep += 1
        if frame.stats.tangles and not judge.leaves_out and not outcome.findings:
            outcome.findings = [f"reported: {frame.stats.tangles[0]}"]
        outcome.inverted = max(outcome.inverted, frame.stats.inverted)
        outcome.inverted_at_end = frame.stats.inverted
        if frame.stats.rejected and not outcome.findings:
            outcome.findings = [f"{frame.stats.rejected} steps were not finite"]
        if outcome.findings:
            break
    outcome.seconds = time.perf_counter() - started
    return outcome


def shrink(scene):
    """The smallest scene that still fails, found by leaving out bodies and frames one by one."""
    frames = run_scene(scene).substep // scene.settings.substeps + 1
    scene = replace(scene, frames=min(frames, scene.frames))
    number = len(scene.bodies) - 1
    while number >= 0:
        if number < len(scene.bodies):
            smaller = scene.without(number)
            try:
                if run_scene(smaller).findings:
                    scene = smaller
            except ValueError:  # nothing left to simulate
                pass
        number -= 1
    return scene
