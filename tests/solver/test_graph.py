# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs: a captured substep gives the bits of a plain one, with any number of threads."""

import numpy as np
import pytest
import warp as wp
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.descent import step
from vbd.solver.device import conditions
from vbd.solver.device.conditions import repeat_while, when
from vbd.solver.device.launches import Launches
from vbd.solver.device.threads import Workers
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation


@wp.kernel(enable_backward=False)
def step_all(first: int, before: wp.array[int], after: wp.array[int]):
    """Every slot becomes the sum of its neighbors: wrong if a thread has not waited."""
    i = first + wp.tid()
    count = before.shape[0]
    after[i] = before[(i + 1) % count] + before[(i + count - 1) % count] % 7


@wp.kernel(enable_backward=False)
def decide(most: int, rounds: wp.array[int], goes_on: wp.array[int], is_odd: wp.array[int]):
    rounds[0] = rounds[0] + 1
    goes_on[0] = wp.where(rounds[0] < most, 1, 0)
    is_odd[0] = rounds[0] % 2


def run(threads, captured):
    """Contents of the slots after three times some rounds of steps, the odd ones there and back."""
    launches = Launches("cpu", Workers(threads))
    a, b = (wp.array(np.arange(1000) % 11 + k, dtype=int, device="cpu") for k in range(2))
    rounds, goes_on, is_odd = (wp.ones(1, dtype=int, device="cpu") for _ in range(3))
    there = launches.record(step_all, 1000, [a], [b], cost=1e3)
    back = launches.record(step_all, 1000, [b], [a], cost=1e3)
    decision = launches.record(decide, 1, [9], [rounds, goes_on, is_odd])

    def one_round():
        there()
        when(is_odd, back, lambda: wp.copy(a, b))
        decision()

    def all_rounds():
        rounds.zero_()
        goes_on.fill_(1)
        repeat_while(goes_on, one_round)
        when(is_odd, there)

    try:
        play = launches.graph(all_rounds).replay if captured else all_rounds
        with launches.threads.at_work():
            for _ in range(3):
                play()
    finally:
        launches.threads.stop()
    return np.stack([a.numpy(), b.numpy()])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_wait_for_each_other(threads):
    np.testing.assert_array_equal(run(threads, captured=True), run(1, captured=False))


def hanging_sheet():
    points, triangles = grid(24)
    pins = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return [Cloth(points, triangles, Material(damping=0.01), pins)]


def falling_bar():
    points, tets = box((2, 2, 5))
    return [Solid(points, tets, velocities=[1.0, 0.0, 0.0] + points)]


def rope():
    points, edges = chain(20, 0.1)
    return [Rod(points, edges, Material(spring_stiffness=1e6, vertex_mass=0.01), Pins([0]))]


def swinging_sheet():
    points, triangles = grid(12)
    ends = np.flatnonzero(points[:, 0] < 1e-9)
    swing = Pins(ends, lambda time: points[ends] + [0.0, 0.2 * np.sin(9.0 * time), 0.0])
    return [Cloth(points, triangles, Material(damping=0.01), swing)]


def soft_beam():
    points, tets = box((6, 2, 2), (0.3, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return [Solid(points, tets, Material(youngs_modulus=1e5), held)]


def torn_sheet():
    points, triangles = grid(8)
    pins = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    material = Material(density=2.0, youngs_modulus=2e3)
    return [Cloth(points, triangles, material, pins, tear_strain=0.02)]


SCENES = {
    "hanging sheet": (hanging_sheet, {}),
    "falling bar": (falling_bar, {}),
    "rope": (rope, {}),
    "swinging sheet": (swinging_sheet, {}),
    "Chebyshev": (hanging_sheet, {"acceleration": 0.9, "iterations": 60}),
    "torn sheet": (torn_sheet, {}),
    "accuracy": (hanging_sheet, {"accuracy": 0.01}),
    "accuracy, several": (lambda: [*soft_beam(), *rope()], {"accuracy": 1e-3, "iterations": 60}),
    "quasistatic": (hanging_sheet, {"quasistatic": True}),
    "few iterations": (rope, {"iterations": 3}),
    "sweeps alone": (hanging_sheet, {"coarse_correction": False}),
}


@pytest.mark.parametrize("name", SCENES)
def test_a_captured_substep_gives_the_bits_of_a_plain_one(name, monkeypatch):
    found = bake(name)
    monkeypatch.setattr(step, "can_capture", lambda device: False)
    wanted = bake(name)
    assert found[1] and not wanted[1]
    for one, other in zip(found[0], wanted[0], strict=True):
        np.testing.assert_array_equal(one, other)


def bake(name):
    """Positions of some frames, and True if any of their substeps was captured."""
    make, settings = SCENES[name]
    simulation = Simulation(make(), Settings(**settings))
    found, captured = [], False
    for frame in simulation.frames(8):
        found.append(np.concatenate(frame.exact_positions))
        captured |= simulation.stepper.graph is not None
    return found, captured


def test_a_driver_that_cannot_decide_is_told_of_once(monkeypatch):
    monkeypatch.setattr(wp, "is_conditional_graph_supported", lambda: False)

    class Card:
        is_cpu, name = False, "an old card"

    with pytest.warns(UserWarning, match="The driver of an old card is older than CUDA 12.4"):
        assert not conditions.can_capture(Card)
    assert conditions.can_capture(wp.get_device("cpu"))
