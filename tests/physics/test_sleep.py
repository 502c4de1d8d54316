# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes at rest sleep, without changing where things stay, and wake when anything drives them."""

from dataclasses import replace

import numpy as np
import pytest
from shapes import box, bumpy_ball, chain, grid, in_cells, rotation

from vbd.solver.attachments import Attachment, soft_pins
from vbd.solver.bodies import Collider, Pins, Rod, Solid
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.groups.sleep import DISTANCE
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.scene.force_fields import FieldNumbers, ForceField
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

RUBBER = Material(youngs_modulus=1e6, damping=0.01)
SIDE = 0.2
SETTINGS = Settings(friction=0.5, threads=1)
AWAKE = replace(SETTINGS, sleep=False)
# Frames after which everything here sleeps, unless it is driven; then it is, from BEGIN [s] on.
ASLEEP, END = 60, 72
BEGIN = ASLEEP / 24.0


def cube(height, turn=0.0, tilt=0.0, **more):
    points, tets = box((2, 2, 2), (SIDE, SIDE, SIDE))
    points = points - SIDE / 2.0
    placed = points @ rotation([0.0, 0.0, 1.0], turn).T + [0.0, 0.0, height + SIDE / 2.0]
    placed = placed @ rotation([0.0, 1.0, 0.0], tilt).T
    return Solid(placed, tets, RUBBER, rest_points=points, **more)


def after(speed):
    """A displacement at a constant speed [m/s] from BEGIN on, as a function of time."""
    return lambda time: np.array(speed) * max(time - BEGIN, 0.0)


def floor(path=None):
    points, triangles = grid(1, 4.0)
    points = points - [2.0, 2.0, 0.0]
    return Collider(points if path is None else lambda time: points + path(time), triangles)


def stack(path=None):
    heights = 0.01 + 1.02 * SIDE * np.arange(3)
    return [*(cube(height, height) for height in heights), floor(path)]


class Run:
    """Frames of a scene: the positions of its bodies, whether it is awake after each, and which of
    its bodies were asleep in the last substep that was solved.
    """

    def __init__(self, bodies, frames, settings=SETTINGS, gravity=None, restart=None, keep=None):
        simulation = Simulation(bodies, settings, gravity=gravity)
        self.positions, self.awake, self.asleep, self.state = [], [], [], None
        for frame in simulation.frames(frames, restart=restart):
            self.positions.append(frame.exact_positions)
            if settings.sleep:
                is_awake = simulation.stepper.stages.sleep.is_awake
                self.awake.append(bool(is_awake.numpy()[0]))
                asleep = simulation.model.asleep.numpy()[: len(frame.exact_positions)]
                self.asleep.append((asleep != 0).tolist())
            if frame.index == keep:
                self.state = frame.state()
        self.stats = frame.stats

    def moved(self, first, last):
        """Largest displacement of a vertex between two frames [m]."""
        return farthest(self.positions[first - 1], self.positions[last - 1])


def farthest(one, other):
    return max(np.linalg.norm(a - b, axis=1).max() for a, b in zip(one, other, strict=True))


def test_a_stack_sleeps_where_it_would_have_stayed():
    asleep, going_on = Run(stack(), 150), Run(stack(), 150, AWAKE)
    assert not any(asleep.awake[ASLEEP:])
    # It sways at a speed below DISTANCE in half a second, and less and less.
    assert farthest(asleep.positions[-1], going_on.positions[-1]) < DISTANCE * SIDE
    assert asleep.stats.kinetic_energy == 0.0


def on_slope(fraction, frames):
    """A cube on a plane as steep as a fraction of what friction holds."""
    tilt = np.arctan(fraction * SETTINGS.friction)
    plane = Plane([0.0, 0.0, 0.0], rotation([0.0, 1.0, 0.0], tilt) @ [0.0, 0.0, 1.0])
    return Run([cube(0.001, tilt=tilt), plane], frames)


def test_friction_lets_a_cube_sleep_on_a_slope_and_another_one_slide():
    assert not on_slope(0.95, ASLEEP).awake[-1]
    sliding = on_slope(1.05, ASLEEP)
    assert all(sliding.awake)
    steep = np.arctan(1.05 * SETTINGS.friction)
    expected = 0.5 * 9.81 * (np.sin(steep) - SETTINGS.friction * np.cos(steep)) * BEGIN**2
    assert sliding.moved(1, ASLEEP) == pytest.approx(expected, rel=0.2)  # it lands first


def test_a_pendulum_of_small_amplitude_swings_on():
    points, edges = chain(2, 1.0)
    amplitude = 0.003
    hanging = points @ rotation([0.0, 1.0, 0.0], 0.5 * np.pi - amplitude).T
    rod = Rod(hanging, edges, Material(spring_stiffness=1e5, vertex_mass=1.0), Pins([0]))
    run = Run([rod], 120)
    assert all(run.awake)
    angle = np.array([frame[0][1, 0] for frame in run.positions])
    # Two periods of 2 s later implicit Euler has taken some of it.
    assert np.ptp(angle[72:]) > amplitude


def test_nothing_sleeps_at_the_top_of_its_flight_under_weak_gravity():
    thrown = cube(1.0, velocities=[0.0, 0.0, 2e-4])
    run = Run([thrown], 60, replace(SETTINGS, gravity=(0.0, 0.0, -2e-4)))
    assert all(run.awake)


def test_what_flies_slowly_flies_on_and_what_floats_at_rest_sleeps():
    weightless = replace(SETTINGS, gravity=(0.0, 0.0, 0.0))
    assert all(Run([cube(1.0, velocities=[0.0, 0.0, 1e-4])], 60, weightless).awake)
    assert not Run([cube(1.0)], 60, weightless).awake[-1]


BOTTOM, TOP = np.arange(9), np.arange(18, 27)  # vertices of a cube


def hung(pins=None, material=RUBBER):
    points = cube(1.0).points
    return Solid(points, cube(1.0).tets, material, pins), points[TOP]


def by_gravity():
    return stack(), {"gravity": lambda time: [3.0 * (time > BEGIN), 0.0, -9.81]}


def by_a_collider():
    return stack(after([0.0, 0.0, 0.05])), {}


def by_pins():
    (_, top), path = hung(), after([0.0, 0.1, 0.0])
    return [hung(Pins(TOP, lambda time: top + path(time)))[0]], {}


def by_an_attachment():
    (body, top), path = hung(), after([0.0, 0.1, 0.0])
    return [body, soft_pins(body, TOP, 1e4, points=lambda time: top + path(time), damping=0.05)], {}


def by_release():
    body, top = hung()

    def grip(time):
        return np.full(len(TOP), float(time <= BEGIN))

    return [body, Attachment(body, TOP, 1e4, points=top, grip=grip, damping=0.05)], {}


def by_wind():
    def numbers(time):
        return FieldNumbers(axis=(1.0, 0.0, 0.0), strength=8.0 * (time > BEGIN))

    return [*stack(), ForceField("wind", numbers)], {}


def by_keyed_stiffness():
    def softer(time):
        return 1e6 if time <= BEGIN else 1e4

    return [replace(hung(Pins(TOP))[0], keyed={"youngs_modulus": softer})], {}


DRIVERS = (
    *(by_gravity, by_a_collider, by_pins, by_an_attachment, by_release, by_wind),
    by_keyed_stiffness,
)


@pytest.mark.parametrize("driven", DRIVERS, ids=lambda driven: driven.__name__)
def test_a_scene_wakes_when_it_is_driven(driven):
    bodies, how = driven()
    run = Run(bodies, END, **how)
    assert not run.awake[ASLEEP - 1]
    assert all(run.awake[ASLEEP:])
    awake = Run(bodies, END, AWAKE, **how)
    moved = run.moved(ASLEEP, END)
    assert moved > 0.01
    # What moved before it fell asleep is missing.
    assert farthest(run.positions[-1], awake.positions[-1]) < 0.02 * moved


def test_a_restart_asleep_has_the_bits_of_a_run_without_a_break():
    bodies, how = by_a_collider()
    whole, again = (Run(bodies, END, keep=ASLEEP - 5, **how) for _ in range(2))
    assert not whole.awake[ASLEEP - 6]
    resumed = Run(bodies, END, restart=Restart(ASLEEP - 5, whole.state), **how)
    assert farthest(whole.positions[-1], again.positions[-1]) == 0.0
    assert farthest(whole.positions[-1], resumed.positions[-1]) == 0.0
    assert whole.awake[ASLEEP - 5 :] == resumed.awake


def ball(place, **more):
    points, triangles = bumpy_ball(0.1, 8)
    return in_cells(points + place, triangles, resolution=4, material=RUBBER, **more)


def test_a_ball_hits_a_body_that_sleeps_as_if_it_were_awake():
    # Weightless, so that the cube moves neither before the impact nor while it falls asleep.
    bodies = [cube(0.0), ball([0.03, 0.02, 2.4], velocities=[0.0, 0.0, -0.8])]
    weightless = replace(SETTINGS, gravity=(0.0, 0.0, 0.0))
    run = Run(bodies, 84, weightless, keep=ASLEEP)
    assert run.asleep[ASLEEP - 1] == [True, False]
    assert not any(run.asleep[-1])
    assert run.positions[-1][0][:, 2].max() < SIDE - 0.02  # it was pushed down
    awake = Run(bodies, 84, replace(weightless, sleep=False))
    assert farthest(run.positions[-1], awake.positions[-1]) < 1e-3 * run.moved(ASLEEP, 84)
    resumed = Run(bodies, 84, weightless, restart=Restart(ASLEEP, run.state))
    assert farthest(run.positions[-1], resumed.positions[-1]) == 0.0


def test_a_ball_dropped_on_a_stack_wakes_all_of_it_and_nothing_else():
    apart = cube(0.001)
    apart = Solid(apart.points + [1.0, 0.0, 0.0], apart.tets, RUBBER)
    bodies = [*stack(), apart, ball([0.03, 0.02, 0.5 * 9.81 * BEGIN**2])]
    run, awake = Run(bodies, END), Run(bodies, END, AWAKE)
    sleep = np.array(run.asleep)
    assert sleep[ASLEEP - 6].tolist() == [True, True, True, True, False]
    assert sleep[ASLEEP + 1].tolist() == [False, False, False, True, False]
    assert run.moved(ASLEEP - 6, ASLEEP + 1) > 0.2
    both = zip(run.positions[: ASLEEP + 1], awake.positions[: ASLEEP + 1], strict=True)
    errors = [[np.abs(p - q).max() for p, q in zip(*frame, strict=True)] for frame in both]
    *of_stack, of_ball = np.max(errors, axis=0)
    # The ball comes at 25 m/s, a meter in a frame, and presses the stack by 3 mm.
    assert max(of_stack) < 6e-4
    assert of_ball < 3e-3


def test_what_lies_on_a_collider_that_moves_evenly_does_not_sleep_and_the_rest_does():
    def belt(time):
        return np.array([0.1 * time, 0.0, 0.0])

    lying = cube(0.001)
    aside = Solid(lying.points + [0.0, 5.0, 0.0], lying.tets, RUBBER)
    still = Collider(floor().start + [0.0, 5.0, 0.0], floor().triangles)
    run = Run([lying, aside, floor(belt), still], ASLEEP)
    assert run.asleep[-1] == [False, True]
    step = run.positions[-1][0] - run.positions[-2][0]
    np.testing.assert_allclose(step.mean(axis=0), belt(1.0 / 24.0), atol=2e-5)


def test_what_hangs_on_a_moving_body_wakes_with_it():
    points = cube(1.0).points
    lower = Solid(points - [0.0, 0.0, 1.5 * SIDE], cube(1.0).tets, RUBBER, name="Lower")
    upper = hung(Pins(TOP, lambda time: points[TOP] + after([0.0, 0.05, 0.0])(time)))[0]
    tie = Attachment(lower, TOP, 3e2, other=upper, corners=BOTTOM, offset=None, damping=0.1)
    run = Run([upper, lower, cube(0.001), floor(), tie], ASLEEP + 4)
    assert not run.awake[ASLEEP - 1]
    assert run.asleep[-1] == [False, False, True]
