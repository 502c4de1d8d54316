# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that move by less than their positions are rounded by, against Newton's method in float64.

A bar of steel, held at one end, sags by a hundred-thousandth of its length. At its tip float32 is
spaced by 6e-8 m: positions alone hold the sag to 1 %, and what is made of them came to 2 to 7 %.
"""

from dataclasses import replace

import numpy as np
import pytest
from shapes import cell_box, plane, rotation

from vbd.benchmarks.experiments.quasistatic import bar
from vbd.benchmarks.experiments.quasistatic_cells import settle
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.reference import newton, scene
from vbd.solver.bodies import Cells, Collider, Pins, Solid
from vbd.solver.elements.stiffness import is_stiff
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# What is asked for, of the motion. Displacements in float32 are known to 1e-7 of it.
CLOSE = 1e-3
STEEL = {"youngs_modulus": 200e9, "density": 7850.0}
AXIS = (0.48, 0.6, 0.64)


def steel_bar(**others):
    """1 m long, 0.1 m wide, of 480 tets."""
    points, tets = block((20, 2, 2), (1.0, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return Solid(points, tets, Material(**STEEL, **others), held)


def still(body, **others):
    how = Settings(quasistatic=True, substeps=1, iterations=60, **others)
    (frame,) = simulate([body], how, 1)
    return frame


def off(frame, goal, body):
    """Distance of the worst vertex from where it should be, over the largest motion."""
    motion = np.linalg.norm(goal - body.points, axis=1).max()
    return np.linalg.norm(frame.exact_positions[0] - goal, axis=1).max() / motion


@pytest.mark.parametrize(("width", "youngs_modulus"), [(0.1, 200e9), (0.001, 6e6)])
def test_a_stiff_bar_of_cells_hangs_as_it_should(width, youngs_modulus):
    body = bar(4, width, youngs_modulus)
    assert off(still(body), settle(body, 9.81, body.points), body) < CLOSE


def test_a_stiff_bar_of_tets_hangs_as_it_should():
    body = steel_bar()
    goal = newton.solve(scene.equilibrium_problem(scene.scene_of(body, "neo_hookean")))
    frame = still(body)
    assert off(frame, goal, body) < CLOSE
    # Nor is it told to be worse known.
    assert frame.stats.error < CLOSE * np.abs(goal - body.points).max()


@pytest.mark.parametrize("make", [steel_bar, lambda: bar(2, youngs_modulus=200e9)])
@pytest.mark.parametrize("shift", [0.0, 40.0])
def test_where_and_how_a_stiff_bar_was_put_down_does_not_matter(make, shift):
    # With another one so far away, its coordinates are rounded by more than it sags.
    body, turn = make(), rotation(AXIS, 0.7)
    (level,) = still(body).exact_positions
    sag = level - body.points
    put, other = (
        replace(body, points=points, rest_points=body.points, collides_with=())
        for points in (body.points @ turn.T + shift, body.points - shift)
    )
    down = tuple(turn @ [0.0, 0.0, -9.81])
    settings = Settings(quasistatic=True, substeps=1, iterations=60, gravity=down)
    (frame,) = simulate([put, other], settings, 1)
    sunk = (frame.exact_positions[0] - put.points) @ turn
    assert abs(sunk - sag).max() < CLOSE * abs(sag).max()


def swung(body, step_time, count, **how):
    """Frames of so many steps, and how far the worst is off, as a part of the motion."""
    settings = Settings(frame_time=step_time, substeps=1, **how)
    reference = scene.trajectory(scene.scene_of(body, "neo_hookean"), step_time, count)
    worst = motion = 0.0
    frames = []
    for frame, wanted in zip(simulate([body], settings, count), reference, strict=True):
        worst = max(worst, np.linalg.norm(frame.exact_positions[0] - wanted, axis=1).max())
        motion = max(motion, np.linalg.norm(wanted - body.points, axis=1).max())
        frames.append(frame)
    return frames, worst / motion


@pytest.mark.parametrize(
    "how", [{"accuracy": 0.0}, {"accuracy": 1e-3}, {"accuracy": 0.0, "line_search": True}]
)
def test_a_steel_bar_swings_as_it_should(how):
    # Its first period is 12 ms.
    frames, worst = swung(steel_bar(), 0.5e-3, 24, iterations=100, **how)
    assert worst < CLOSE
    # The accuracy ends steps as soon as it is met, not where float32 positions would end them.
    assert (frames[-1].stats.iterations < 50) == (how["accuracy"] > 0.0)


def test_what_bends_by_its_weight_sees_positions():
    assert is_stiff(steel_bar())
    assert not is_stiff(bar(2))
    # What is not held turns, and its displacements are as large as itself.
    points, tets = block((2, 2, 2))
    assert not is_stiff(Solid(points, tets, Material(**STEEL)))


def test_a_stiff_bar_is_moved_by_its_pins():
    body = bar(2, youngs_modulus=200e9)
    held, turn = body.points[body.pins.indices], rotation(AXIS, 0.5)
    body.pins.targets = lambda time: held @ turn.T
    settings = Settings(quasistatic=True, gravity=(0.0, 0.0, 0.0), substeps=1, iterations=60)
    (frame,) = simulate([body], settings, 1)
    # Displacements as large as positions are rounded as these are, by some 1e-7 of the strain.
    assert abs(frame.exact_positions[0] - body.points @ turn.T).max() < 1e-5


def test_surfaces_stop_a_stiff_bar():
    points, cells = cell_box((10, 2, 2), (1.0, 0.2, 0.2))
    held = np.flatnonzero(points[:, 0] < 1e-9)
    points[:, 2] += 0.05
    pins = Pins(held, lambda time: points[held] - [0.0, 0.0, 0.3 * min(time, 0.1)])
    body = Cells(points, cells, Material(youngs_modulus=1e9), pins)
    assert is_stiff(body)
    settings = Settings(frame_time=0.02, substeps=2)
    *_, frame = simulate([body, Collider(*plane())], settings, 8)
    lowest = frame.positions[0][:, 2].min()
    assert 0.0 < lowest < 0.021
