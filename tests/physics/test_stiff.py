# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that move by less than their positions are rounded by, against Newton's method in float64.

A bar of steel, held at one end, sags by a hundred-thousandth of its length. At its tip float32 is
spaced by 6e-8 m: positions alone hold the sag to 1 %, and what is made of them came to 2 to 7 %.
"""

from dataclasses import replace

import numpy as np
import pytest
from shapes import cell_box, grid, rotation

from vbd.benchmarks.experiments.quasistatic import bar
from vbd.benchmarks.experiments.quasistatic_cells import settle
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.reference import newton, scene
from vbd.solver.bodies import Cells, Cloth, Pins, Solid
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


def test_what_bends_by_its_weight_or_turns_sees_positions():
    body = steel_bar()
    assert is_stiff(body)
    assert not is_stiff(bar(2))
    # What is not held turns, or is led to turn: its displacements are as large as itself.
    assert not is_stiff(replace(body, pins=None))
    led = Pins(body.pins.indices, lambda time: body.points[body.pins.indices])
    assert not is_stiff(replace(body, pins=led))


def test_what_falls_on_a_stiff_bar_lies_on_it():
    points, cells = cell_box((10, 2, 2), (1.0, 0.2, 0.2))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    below = Cells(points, cells, Material(youngs_modulus=1e9), held)
    assert is_stiff(below)
    points, tets = block((3, 3, 3), (0.2, 0.2, 0.2))
    box = Solid(points + [0.7, 0.02, 0.22], tets, Material(youngs_modulus=1e5))
    # It bends by a hundredth of a millimetre; the box falls for a tenth of a second.
    *_, frame = simulate([below, box], Settings(), 12)
    bar_now, box_now = frame.positions
    assert abs(bar_now - below.points).max() < 1e-3
    assert bar_now[:, 2].max() < box_now[:, 2].min() < 0.2 + 0.021
    # Contacts know positions in float32, and these are what is told.
    np.testing.assert_array_equal(frame.exact_positions[0].astype(np.float32), bar_now)


def test_the_air_brakes_what_swings_beside_a_stiff_bar():
    points, triangles = grid(4)
    thin = Material(density=0.1, drag=2.0, youngs_modulus=1e6)
    sheet = Cloth(points + [0.0, 3.0, 0.0], triangles, thin, Pins([0, 4]))
    in_vacuum, alone, beside = (
        [frame.positions[-1] for frame in simulate(bodies, settings, 12)][-1]
        for bodies, settings in (
            ([sheet], Settings(air_density=0.0)),
            ([sheet], Settings()),
            ([steel_bar(), sheet], Settings()),
        )
    )
    assert np.abs(in_vacuum - alone).max() > 0.1
    # It is accurate to two percent of its steps.
    np.testing.assert_allclose(beside, alone, atol=0.01)
