# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that begins inside a closed collider stays there, as in a room."""

import numpy as np
import pytest
from shapes import block, box, grid

from vbd.solver.bodies import Cloth, Collider, Solid
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

ROOM = Collider(*block((2.0, 2.0, 2.0), (0.0, 0.0, 0.0)), name="Room")
SETTINGS = Settings(threads=1)
FRAMES = 30  # it has hit the floor, and any tearing is over


def cube(low, size=0.6, name="Cube"):
    points, tets = box((2, 2, 2), (size, size, size))
    material = Material(youngs_modulus=3e5, damping=0.01)
    return Solid(points + low, tets, material, name=name)


def run(bodies, frames=FRAMES):
    """The positions of the first body after each frame; nothing is ever entangled."""
    places = []
    for frame in simulate(bodies, SETTINGS, frames):
        assert frame.stats.tangles == ()
        places.append(np.array(frame.positions[0]))
    return places


# In the middle, beside a wall, nearly as large as the room, and on its floor without a gap.
@pytest.mark.parametrize(
    ("low", "size"),
    [((-0.3, -0.3, -0.3), 0.6), ((0.38, 0.0, 0.0), 0.6), ((-0.98,) * 3, 1.96), ((0, 0, -1), 0.5)],
)
def test_a_solid_stays_in_a_room(low, size):
    places = run([cube(low, size), ROOM])
    assert all((np.abs(x) < 1.0 + 1e-6).all() for x in places)
    # It rests, and is as large as before: 3e5 Pa allow some thousandths of its size.
    last = places[-1]
    np.testing.assert_allclose(np.ptp(last, axis=0), size, rtol=0.05)
    assert last[:, 2].min() < -0.98


def test_a_cloth_comes_down_on_the_floor_of_a_room():
    points, triangles = grid(6)
    sheet = Cloth(points - [0.5, 0.5, 0.8], triangles, Material(thickness=1e-3), name="Sheet")
    last = run([sheet, ROOM])[-1]
    assert (np.abs(last) < 1.0).all() and last[:, 2].max() < -0.98


# A sheet, and a patch, which is deeper under the skin than a tenth of its own size.
@pytest.mark.parametrize(("size", "depth"), [(1.0, 0.005), (0.02, 0.004)])
def test_a_cloth_under_the_skin_comes_out(size, depth):
    points, triangles = grid(6, size)
    low = [-0.5 * size, -0.5 * size, 1.0 - depth]
    sheet = Cloth(points + low, triangles, Material(thickness=1e-3), name="Sheet")
    *_, frame = simulate([sheet, ROOM], SETTINGS, 12)
    assert frame.positions[0][:, 2].min() > 0.998


def test_a_solid_just_under_a_table_top_comes_out():
    points, tets = box((4, 4, 1), (0.5, 0.5, 0.02))
    pad = Solid(points + [0.0, 0.0, 0.979], tets, Material(youngs_modulus=3e5), name="Pad")
    *_, frame = simulate([pad, ROOM], SETTINGS, 12)
    assert frame.positions[0][:, 2].min() > 0.99


def test_what_is_in_each_other_in_a_room_comes_apart_there():
    pair = [cube((-0.3, 0.0, 0.0), 0.3), cube((-0.001, 0.0, 0.0), 0.3, name="Other")]
    *_, frame = simulate([*pair, ROOM], SETTINGS, 20)
    assert frame.stats.tangles == ()
    for x in frame.positions:
        assert (np.abs(x) < 1.0).all()
        np.testing.assert_allclose(np.ptp(x, axis=0), 0.3, rtol=0.1)


@pytest.mark.parametrize("slab_first", [False, True])
def test_what_is_in_something_else_in_a_room_leaves_only_that(slab_first):
    slab = Collider(*block((1.6, 1.6, 0.1), (0.0, 0.0, -0.9)), name="Slab")  # up to -0.85
    held = [slab, ROOM] if slab_first else [ROOM, slab]
    *_, frame = simulate([cube((0.0, 0.0, -0.851), 0.3), *held], SETTINGS, 20)
    assert frame.stats.tangles == ()
    np.testing.assert_allclose(np.ptp(frame.positions[0], axis=0), 0.3, rtol=0.1)
    assert -0.852 < frame.positions[0][:, 2].min() < -0.8


def test_what_pokes_through_the_floor_a_little_stays_in_the_room():
    *_, frame = simulate([cube((0.0, 0.0, -1.0 - 1e-4), 0.5), ROOM], SETTINGS, 20)
    assert frame.stats.tangles == ()
    np.testing.assert_allclose(np.ptp(frame.positions[0], axis=0), 0.5, rtol=0.1)


def test_what_is_outside_lands_on_the_roof():
    outside = cube((-0.3, -0.3, 1.05), name="Above")
    last = run([outside, cube((-0.3, -0.3, -0.3)), ROOM])[-1]
    assert 1.0 < last[:, 2].min() < 1.02


def test_a_room_stays_one_in_a_resumed_bake():
    bodies = [cube((-0.3, -0.3, -0.3)), ROOM]
    states = [Restart(f.index, f.state()) for f in simulate(bodies, SETTINGS, 12)]
    first = states[0].arrays
    assert first["contact_couples/rooms"].any() and (first["contact.side"] < 0).any()
    (again,) = simulate(bodies, SETTINGS, 12, restart=states[-2])
    np.testing.assert_array_equal(again.state()["model.x"], states[-1].arrays["model.x"])


def test_statistics_name_who_is_in_which_room():
    outside = cube((-0.3, -0.3, 1.05), name="Above")
    (frame,) = simulate([outside, cube((-0.3, -0.3, -0.3)), ROOM], SETTINGS, 1)
    assert frame.stats.rooms == (("Cube", "Room"),)
