# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of contacts have enough capacity, and a substep fills them without the host."""

import numpy as np
import pytest
from shapes import COTTON, block, box, bumpy_ball, caged, grid

from vbd.solver.bodies import Cloth, Collider, Pins, Solid
from vbd.solver.contact.contact import Contact
from vbd.solver.contact.detection import search
from vbd.solver.model import contact_lists
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


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
    """Let all lists begin with next to no capacity, and grow no more than they must."""
    values = {"PAIRS_PER_VERTEX": 0, "LEAST_PAIRS": 1, "GROWTH": 1.0, "HEADROOM": 1.0}
    for name, value in values.items():
        monkeypatch.setattr(contact_lists, name, value)
    for name in ("TRIANGLE_SLOTS", "EDGE_SLOTS"):
        monkeypatch.setattr(search, name, 1)


def count_repeats(monkeypatch):
    """A list that gets an entry for every repeated frame."""
    repeats, ensure_capacity = [], Contact.ensure_capacity

    def counted(contact, numbers):
        had_enough = ensure_capacity(contact, numbers)
        repeats.extend([True] * (not had_enough))
        return had_enough

    monkeypatch.setattr(Contact, "ensure_capacity", counted)
    return repeats


def run(bodies, frames=6, **settings):
    """All frames, and their statistics except times."""
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
