# SPDX-License-Identifier: GPL-3.0-or-later
"""No frame of the experiments with contact has triangles that intersect, by an exact test.

The scenes are small versions of those in docs/gallery/contact.md.
"""

from dataclasses import replace

import numpy as np
import pytest
from intersections import is_knotted
from shapes import box

from vbd.benchmarks.experiments import contact_scenes as scenes
from vbd.benchmarks.experiments import contact_shapes
from vbd.benchmarks.experiments.contact_run import crossings
from vbd.solver.bodies import Solid
from vbd.solver.simulate import simulate


def two_boxes():
    """A tumbling box hits a larger one with an edge."""
    points, tets = box((3, 3, 3), (0.3, 0.3, 0.3))
    material = scenes.rubber(0.1)
    tilted = contact_shapes.turned_about_x(points - 0.15, 0.7)
    bodies = [
        Solid(points - 0.15, tets, material, name="Left"),
        Solid(tilted + [0.1, 0.0, 0.45], tets, material, velocities=[0.0, 0.0, -3.0], name="Right"),
    ]
    return scenes.Scene(bodies, scenes.how(gravity=(0.0, 0.0, 0.0)), 20)


def small_pile():
    """A ball, a jack, a block, a cloth and a cord fall into a box."""
    ball, jack = contact_shapes.ball(1.0, 1, 2), contact_shapes.jack(1.0, 1, 1)
    return scenes.pile([ball, jack, scenes.block((3, 3, 3))], frames=45)


# The center line of a cord under bodies of a thousand times its mass passes through nothing, but
# they press its thickness flat: as far as truncation allows, to a thousandth of the distance.
CENTER_LINE = 0.001
# Scenes, and contact pairs that they have at least at their busiest.
SCENES = {
    "cloth on cloth": (lambda: scenes.cloth_on_cloth(14, frames=30), 300),
    "ten layers": (lambda: scenes.layers(10, 9, gap=0.05, frames=22), 1000),
    "twisted cloth": (lambda: scenes.towel((30, 10), duration=1.0, rest=0.1), 400),
    "sleeve": (lambda: scenes.sleeve(14, duration=0.7, rest=0.1), 200),
    "twisted beams": (lambda: scenes.twisted_beams((20, 2, 2), duration=1.5), 100),
    "two balls": (lambda: scenes.colliding_balls(frames=20), 150),
    "two boxes": (two_boxes, 20),
    "pile": (small_pile, 200),
}


def checked_frames(scene, rod=scenes.SHOWN_ROD):
    """Simulate a scene that starts without intersections, and assert that no frame has any."""
    assert crossings(scene, [body.points for body in scene.deformable], 0, rod).total == 0
    for frame in simulate(scene.bodies, scene.settings, scene.frames):
        found = crossings(scene, frame.exact_positions, frame.index, rod)
        assert found.total == 0, f"frame {frame.index}: {found}"
        yield frame


@pytest.mark.parametrize("name", SCENES)
def test_no_frame_has_intersections(name):
    build, least = SCENES[name]
    rod = CENTER_LINE if name == "pile" else scenes.SHOWN_ROD
    assert max(frame.stats.pairs for frame in checked_frames(build(), rod)) >= least


@pytest.mark.parametrize("iterations", [1, 2])
@pytest.mark.parametrize("name", ["twisted cloth", "pile"])
def test_no_frame_has_intersections_with_few_iterations_and_coarse_steps(name, iterations):
    scene = SCENES[name][0]()
    scene = replace(scene, settings=replace(scene.settings, iterations=iterations))
    rod = CENTER_LINE if name == "pile" else scenes.SHOWN_ROD
    taken = [frame.stats.coarse_share for frame in checked_frames(scene, rod)]
    assert np.mean(np.array(taken) > 0.0) > 0.5


def test_a_knot_pulled_tight_has_no_intersections_and_stays_a_knot():
    scene = scenes.knot(slack=9.0, duration=1.5)
    start = scene.deformable[0].points
    *_, last = checked_frames(scene)
    (points,) = last.exact_positions
    assert is_knotted(start) and is_knotted(points)
    assert last.stats.pairs >= 4
    # It is tight: the loop is gone, and the remaining height is that of a cord.
    assert np.ptp(points[:, 2]) < 0.3 * np.ptp(start[:, 2])


def test_a_cloth_on_a_sphere_has_no_intersections_and_comes_to_rest():
    scene = scenes.cloth_on_sphere(13, frames=290)
    frames = [frame.stats for frame in checked_frames(scene)]
    # On landing 96 to 108 touch, depending on the number of iterations, 20 to 100.
    assert max(stats.pairs for stats in frames) >= 90
    # Slower than the friction velocity; the sheet has 1 m². Its corners swing that long, with 20
    # iterations as with 200: folds within faces and friction take little.
    mass = scene.deformable[0].material.density
    creep = 0.5 * mass * scene.settings.friction_velocity**2
    assert max(stats.kinetic_energy for stats in frames[-20:]) < creep
