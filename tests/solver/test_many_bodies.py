# SPDX-License-Identifier: GPL-3.0-or-later
"""Many bodies: the time to find which of them meet grows with their number, not with its square."""

import time

import numpy as np
import pytest

from vbd.solver.bodies import Solid
from vbd.solver.device.launches import play
from vbd.solver.settings import Settings
from vbd.solver.simulate import Simulation

FEW, MANY = 100, 1600
TET = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]])


def falling(count):
    """The stepper of so many tets on a grid, each 0.3 m from the next, after a substep."""
    side = int(np.ceil(count ** (1.0 / 3.0)))
    places = 0.3 * np.stack(np.unravel_index(np.arange(count), (side,) * 3), axis=1)
    bodies = [Solid(TET + at, [[0, 1, 2, 3]], name=f"{k}") for k, at in enumerate(places)]
    settings = Settings(substeps=1, iterations=1, coarse_correction=False, threads=1)
    stepper = Simulation(bodies, settings).stepper
    stepper.begin_frame(1, settings.frame_time)
    stepper.step()
    return stepper


def seconds(action):
    """The least CPU time of an action in ten."""
    times = []
    for _ in range(10):
        started = time.thread_time()
        action()
        times.append(time.thread_time() - started)
    return min(times)


@pytest.fixture(scope="module")
def steppers():
    return {count: falling(count) for count in (FEW, MANY)}


@pytest.mark.parametrize("what", ["flight", "inside"])
def test_the_time_to_find_what_meets_grows_with_the_bodies(steppers, what):
    """Sixteen times as many bodies may take 16 times as long, or 48 with slower memory; every body
    against every other one takes 256 times as long.
    """
    actions = {
        count: {
            "flight": lambda s=stepper: play(s.stages.contacts.flight.launches),
            "inside": lambda s=stepper: play(s.model.contact.intersections.find_inside),
        }[what]
        for count, stepper in steppers.items()
    }
    for action in actions.values():
        action()  # records the launches
    assert seconds(actions[MANY]) < 48.0 * seconds(actions[FEW])
