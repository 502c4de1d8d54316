# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs scenes, judges each after every substep, and reduces those that fail."""

import time
from dataclasses import dataclass, replace

from vbd.solver.simulate import Simulation

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


def run_scene(scene, watch=None):
    """The `Outcome` of a scene, up to the first substep with findings. Every frame is given to
    `watch` before it is judged.
    """
    started = time.perf_counter()
    settings, states = scene.settings, []
    simulation = Simulation(scene.bodies, settings)
    model = simulation.model
    judge, outcome = Judge(model, scene, model.x.numpy()), Outcome([])
    if judge.crossed:
        return Outcome([], is_scene=False)

    def keep():
        states.append(model.x.numpy().copy())
        return False

    for frame in simulation.frames(scene.frames, keep):
        if watch is not None:
            watch(frame)
        # A frame may have been repeated: only its last substeps count.
        after = [*states[len(states) - settings.substeps + 1 :], model.x.numpy()]
        states.clear()
        for x in after:
            outcome.findings = judge.look(x, settings.step_time)
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
