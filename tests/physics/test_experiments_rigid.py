# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that only contact holds (VBD 2024, Fig. 22 and 23), judged after every substep.

The scenes are those of docs/gallery/contact.md.
"""

from dataclasses import replace

import numpy as np
import pytest
from fuzz.run import run_scene
from fuzz.scenes import Scene
from shapes import DATA

from vbd.benchmarks.experiments import rigid_scenes
from vbd.benchmarks.experiments.rigid_run import energy
from vbd.solver.messages import message
from vbd.solver.settings import Settings
from vbd.solver.simulate import simulate


def watched(scene):
    """Run a scene; assert that nothing crosses, and return centers [frame, body, 3] and energies
    [frame] in J.
    """
    centers, energies = [], []

    def watch(frame):
        centers.append([center for center, _ in frame.poses])
        energies.append(energy(scene.deformable, frame))

    settings = replace(scene.settings, threads=1)
    outcome = run_scene(Scene("", scene.bodies, settings, scene.frames), watch)
    assert outcome.is_scene and not outcome.findings, outcome.findings
    return np.array(centers), np.array(energies)


def test_a_chain_of_five_links_swings_down_and_holds_by_contact_alone():
    scene = rigid_scenes.links(frames=20)
    centers, energies = watched(replace(scene, settings=Settings()))
    apart = np.linalg.norm(np.diff(centers, axis=1), axis=2)
    # Two links that pull at each other are this far apart; wires touch from within.
    reach = 2.0 * (rigid_scenes.STRAIGHT + rigid_scenes.BEND - rigid_scenes.WIRE)
    assert apart.max() < reach
    assert centers[:, 0, 2].min() > -reach  # the first one holds on to its peg
    # A body falls so far in √(2·3·0.096 m / g) = 0.24 s, which are six frames.
    assert centers[7, -1, 2] < -3.0 * reach
    # Contacts take energy and give none but what they hold: 1 % of what the fall sets free.
    assert np.diff(energies).max() < 0.01 * (energies[0] - energies[-1])


def test_links_that_neighbors_hold_back_are_named():
    """With one substep links go by a part of their gaps: they fall in slow motion."""
    scene = rigid_scenes.links(frames=4)
    *late, last = simulate(scene.bodies, replace(scene.settings, substeps=1), scene.frames)
    assert last.poses[-1][0][2] > -0.15  # a free fall would take it below -0.25 m
    for frame in (*late[1:], last):
        assert set(frame.stats.held_back) & {f"Link {k}" for k in range(2, 6)}
        assert frame.stats.verdict == message(
            "statistics.held_back", count=len(frame.stats.held_back)
        )


def test_sixty_bodies_fall_into_a_teapot_through_nothing():
    if not (DATA / "teapot_container.t").exists():
        pytest.skip("the mesh teapot_container.t is not beside this checkout")
    scene = rigid_scenes.teapot(DATA, frames=40)
    centers, energies = watched(scene)
    assert np.diff(energies).max() < 0.01 * (energies[0] - energies[-1])
    # All lie in it, below its rim at 0.92 m.
    assert centers[-1, :, 2].max() < 0.92
    assert np.linalg.norm(centers[-1, :, :2], axis=1).max() < 0.72
