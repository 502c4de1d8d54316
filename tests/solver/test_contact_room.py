# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of contacts have room, and the host has no part in a substep that fills them."""

import numpy as np
import pytest
from shapes import block, box, bumpy_ball, caged, grid

from vbd.solver.bodies import Cloth, Collider, Pins, Solid
from vbd.solver.contact import candidates
from vbd.solver.contact.contact import Contact
from vbd.solver.descent import step
from vbd.solver.device import launches
from vbd.solver.model import contact_lists
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate

COTTON = Material(
    youngs_modulus=2e5,
    density=0.2,
    thickness=5e-4,
    bending_stiffness=1e-6,
    damping=1e-3,
    collision_thickness=0.01,
    self_contact=True,
)


def slab(height=-0.1, speed=0.0):
    """A collider that may rise [m/s]."""
    points, triangles = block((1.4, 1.4, 0.2), (-0.2, -0.2, height - 0.2))
    moved = (lambda time: points + [0.0, 0.0, speed * time]) if speed else points
    return Collider(moved, triangles, name="Slab")


def cube(corner, size=0.2):
    points, tets = box((2, 2, 2), (size,) * 3)
    material = Material(youngs_modulus=1e5, damping=0.01, collision_thickness=0.005)
    return Solid(points + corner, tets, material)


def folded():
    """A sheet that hangs over an edge of itself and falls onto a rising slab."""
    points, triangles = grid(8)
    bent = points.copy()
    over = points[:, 0] > 0.5
    bent[over, 0] = 1.0 - points[over, 0]
    bent[over, 2] = 0.03
    return [Cloth(bent, triangles, COTTON), slab(speed=0.3)]


def loaded():
    """A cube under another one, which lie on a slab."""
    return [cube([0.0, 0.0, -0.09]), cube([0.02, 0.01, 0.12]), slab()]


def visible():
    points, triangles = bumpy_ball(0.3, 6)
    return [caged(points + [0.3, 0.3, 0.22], triangles, resolution=4), slab()]


def torn():
    """A sheet pulled apart where it lies on a slab."""
    points, triangles = grid(8)
    ends = np.flatnonzero((points[:, 0] < 1e-9) | (points[:, 0] > 1.0 - 1e-9))
    pull = np.where(points[ends, :1] > 0.5, [[1.0, 0.0, 0.0]], [[-1.0, 0.0, 0.0]])
    pins = Pins(ends, lambda time: points[ends] + 0.8 * time * pull)
    return [Cloth(points, triangles, COTTON, pins, tear_strain=0.1), slab(height=-0.015)]


SCENES = {"folded": folded, "loaded": loaded, "visible": visible, "torn": torn}


def no_room(monkeypatch):
    """Let all lists begin with next to no room, and grow no more than they must."""
    values = {"PAIRS_PER_VERTEX": 0, "LEAST_PAIRS": 1, "GROWTH": 1.0, "HEADROOM": 1.0}
    for name, value in values.items():
        monkeypatch.setattr(contact_lists, name, value)
    for name in ("TRIANGLE_SLOTS", "EDGE_SLOTS"):
        monkeypatch.setattr(candidates, name, 1)


def count_repeats(monkeypatch):
    """A list that gets an entry for every frame that is done again."""
    repeats, make_room = [], Contact.make_room

    def counted(contact, numbers):
        had_enough = make_room(contact, numbers)
        repeats.extend([True] * (not had_enough))
        return had_enough

    monkeypatch.setattr(Contact, "make_room", counted)
    return repeats


def run(bodies, frames=6, **settings):
    """All frames, and their statistics but for the time that they took."""
    frames = list(simulate(bodies, Settings(**settings), frames))
    numbers = [(f.stats.searches, f.stats.pairs, f.stats.residual, f.stats.energy) for f in frames]
    return [np.concatenate(f.exact_positions) for f in frames], numbers


@pytest.mark.parametrize("scene", SCENES)
def test_bits_do_not_depend_on_the_room_that_lists_begin_with(monkeypatch, scene):
    repeats = count_repeats(monkeypatch)
    wanted, numbers = run(SCENES[scene]())
    assert not repeats and max(pairs for _, pairs, *_ in numbers) > 0
    no_room(monkeypatch)
    got, others = run(SCENES[scene]())
    assert len(repeats) > 1
    np.testing.assert_array_equal(got, wanted)
    assert others == numbers


def test_room_is_made_between_substeps_for_pairs_that_become_many(monkeypatch):
    # In its last frame the ball has 14 pairs in the third substep, and 44 in the fourth.
    for name, value in {"PAIRS_PER_VERTEX": 0, "LEAST_PAIRS": 20, "GROWTH": 4.0}.items():
        monkeypatch.setattr(contact_lists, name, value)
    repeats = count_repeats(monkeypatch)
    frames = list(simulate(visible(), Settings(), 6, device="cpu"))
    assert frames[-1].stats.pairs > 0 and not repeats
    monkeypatch.setattr(Contact, "make_room_ahead", lambda contact: None)
    again = list(simulate(visible(), Settings(), 6, device="cpu"))
    assert len(repeats) == 1
    for one, other in zip(frames, again, strict=True):
        np.testing.assert_array_equal(one.exact_positions, other.exact_positions)


def test_what_is_left_of_a_frame_without_room_is_left_out():
    simulation = Simulation(loaded(), Settings())
    stepper, frames = simulation.stepper, simulation.frames(10)
    next(frames)
    model = stepper.model
    model.frame_goes_on.zero_()
    for _ in range(3):  # launched plainly, captured, replayed
        before = model.x.numpy().copy()
        stepper.step()
        np.testing.assert_array_equal(model.x.numpy(), before)
    model.frame_goes_on.fill_(1)
    stepper.step()
    assert (model.x.numpy() != before).any()


def test_an_accelerated_frame_is_done_again_as_it_was(monkeypatch):
    settings = {"acceleration": 0.9, "iterations": 20, "substeps": 6}
    wanted, numbers = run(loaded(), **settings)
    no_room(monkeypatch)
    got, others = run(loaded(), **settings)
    np.testing.assert_array_equal(got, wanted)
    assert others == numbers


def bake(scene, threads):
    """Positions and numbers of searches in some frames, and how many of these used a graph."""
    simulation = Simulation(SCENES[scene](), Settings(threads=threads))
    found, captured = [], 0
    for frame in simulation.frames(10):
        found.append(np.append(np.concatenate(frame.exact_positions), frame.stats.searches))
        captured += simulation.stepper.graph is not None
    return found, captured


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("scene", SCENES)
def test_a_captured_substep_searches_like_a_plain_one(monkeypatch, scene, threads):
    monkeypatch.setattr(launches, "WORTH_SPLITTING", 3e3)
    found, captured = bake(scene, threads)
    monkeypatch.setattr(step, "can_capture", lambda device: False)
    wanted, none = bake(scene, threads)
    assert captured > 5 and not none
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
