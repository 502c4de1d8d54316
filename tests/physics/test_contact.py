# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact with the ground and with collider meshes, and friction between both."""

import numpy as np
import pytest
from shapes import block, box, grid, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

THICKNESS = 0.01
RUBBER = Material(youngs_modulus=2e5, damping=0.02, collision_thickness=THICKNESS)


def floors():
    """A floor at height 0 in three variants: settings and colliders."""
    return {
        "ground": ({"use_ground": True}, []),
        "open mesh": ({}, [Collider(*plane())]),
        "closed mesh": ({}, [Collider(*block((10.0, 10.0, 1.0), (0.0, 0.0, -0.5)))]),
    }


@pytest.mark.parametrize("floor", floors())
def test_a_body_on_the_floor_rests_within_its_thickness(floor):
    options, colliders = floors()[floor]
    points, tets = box((3, 3, 3), (0.3, 0.3, 0.3))
    body = Solid(points + [0.0, 0.0, 0.1], tets, RUBBER)
    settings = Settings(substeps=6, iterations=40, **options)
    last = None
    for frame in simulate([body, *colliders], settings, 48):
        speed = 0.0 if last is None else np.abs(frame.positions[0] - last).max() * 24
        last = frame.positions[0]
        assert last[:, 2].min() > 0.0
    assert last[:, 2].min() < THICKNESS
    assert frame.stats.contacts == 16
    assert speed < 1e-3


def test_friction_of_both_sides_counts():
    points, tets = box((1, 1, 1), (0.2, 0.2, 0.2))
    ends = []
    for friction in (0.0, 0.9):
        material = Material(youngs_modulus=1e6, collision_thickness=THICKNESS, friction=friction)
        body = Solid(points + [0.0, 0.0, THICKNESS], tets, material, velocities=[1.0, 0.0, 0.0])
        *_, frame = simulate(
            [body, Collider(*plane(), friction=0.9)], Settings(substeps=8, iterations=40), 12
        )
        ends.append(frame.positions[0][:, 0].mean() - 0.1)
    assert ends[0] == pytest.approx(0.5, rel=0.02)
    # v²/(2 μ g) = 5.7 cm; the corner loads differ while it stops.
    assert ends[1] == pytest.approx(1.0 / (2.0 * 0.9 * 9.81), rel=0.25)


def test_a_moving_collider_carries_what_lies_on_it():
    points, tets = box((1, 1, 1), (0.2, 0.2, 0.2))
    floor, triangles = plane(2.0)
    frames = [floor + [0.5 * max(0.0, k / 24 - 0.2), 0.0, 0.0] for k in range(25)]
    body = Solid(
        points + [-0.1, -0.1, THICKNESS],
        tets,
        Material(youngs_modulus=1e6, collision_thickness=THICKNESS),
    )
    *_, frame = simulate(
        [body, Collider(frames, triangles)], Settings(friction=1.0, substeps=8, iterations=40), 24
    )
    assert frame.positions[0][:, 0].mean() == pytest.approx(0.4, abs=0.02)


def test_an_open_collider_stops_things_from_either_side():
    sheet, triangles = plane(2.0)
    points, tets = box((1, 1, 1), (0.1, 0.1, 0.1))
    settings = Settings(gravity=(0, 0, 0), substeps=4)
    for direction in (1.0, -1.0):
        body = Solid(
            points + [0.0, 0.0, -0.05 - 0.3 * direction],
            tets,
            RUBBER,
            velocities=[0.0, 0.0, 3.0 * direction],
        )
        for frame in simulate([body, Collider(sheet, triangles)], settings, 12):
            assert (direction * frame.positions[0][:, 2] < 0.0).all()


def test_cloth_slides_off_the_border_of_an_open_collider():
    # Pulled over the edge, it must fall and not be held below the sheet.
    table, faces = plane(1.0)
    points, triangles = grid(6, 0.4)
    material = Material(
        youngs_modulus=1e6, density=0.3, bending_stiffness=1e-5, collision_thickness=0.01
    )
    cloth = Cloth(points + [0.3, -0.2, 0.02], triangles, material, velocities=[1.5, 0.0, 0.0])
    *_, frame = simulate(
        [cloth, Collider(table, faces)], Settings(friction=0.0, substeps=6, iterations=30), 24
    )
    assert frame.positions[0][:, 2].max() < -0.3


def test_pins_follow_their_targets_between_frames():
    points, triangles = grid(2)
    pins = np.array([0, 1, 2])
    frames = [points[pins] + [0.1 * k, 0.0, 0.0] for k in range(4)]
    settings = Settings(gravity=(0, 0, 0))
    cloth = Cloth(points, triangles, pins=Pins(pins, frames))
    for frame in simulate([cloth], settings, 3):
        np.testing.assert_allclose(frame.positions[0][pins], frames[frame.index], atol=1e-6)
    led = Pins(pins, lambda time: points[pins] + [2.4 * time, 0.0, 0.0])
    *_, again = simulate([Cloth(points, triangles, pins=led)], settings, 3)
    np.testing.assert_allclose(again.positions[0], frame.positions[0], atol=1e-6)


@pytest.mark.parametrize("kind", ["solid", "cloth"])
def test_a_thin_closed_collider_stops_what_falls_fast(kind):
    # 2 cm thick; after a fall of 1 m a substep of 1/96 s is 4.6 cm long.
    plate = Collider(*block((2.0, 2.0, 0.02), (0.0, 0.0, -0.01)))
    if kind == "solid":
        points, shape = box((2, 2, 2), (0.2, 0.2, 0.2))
        body = Solid(points + [-0.1, -0.1, 1.0], shape, RUBBER)
    else:
        points, shape = grid(8, 0.5)
        body = Cloth(points + [-0.25, -0.25, 1.0], shape, Material(density=0.3))
    for frame in simulate([body, plate], Settings(), 24):
        assert frame.positions[0][:, 2].min() > -0.005


def test_a_fast_thin_collider_takes_what_it_hits_along():
    points, triangles = grid(6, 0.3)
    cloth = Cloth(points + [-0.15, -0.15, 0.0], triangles, Material(density=0.3))
    plate, faces = block((1.0, 1.0, 0.02), (0.0, 0.0, -0.3))
    frames = [plate + [0.0, 0.0, min(0.1 * k, 0.8)] for k in range(13)]
    settings = Settings(gravity=(0, 0, 0), substeps=2)
    *_, frame = simulate([cloth, Collider(frames, faces)], settings, 12)
    assert frame.positions[0][:, 2].min() > 0.5


def test_rods_touch_where_there_is_no_triangle_at_all():
    """A rod on top of another one, whose ends are held, with itself as a neighbor."""
    along = np.linspace(-0.5, 0.5, 11)
    edges = np.stack([np.arange(10), np.arange(1, 11)], axis=1)
    rope = Material(
        youngs_modulus=1e7,
        thickness=0.01,
        density=0.05,
        self_contact=True,
        collision_thickness=THICKNESS,
    )
    lower = np.stack([along, 0.0 * along, 0.0 * along], axis=1)
    upper = np.stack([0.0 * along, along, 0.0 * along + 0.1], axis=1)
    held = Rod(lower, edges, rope, Pins([0, 10]), name="Lower")
    touched = 0
    for frame in simulate([held, Rod(upper, edges, rope, name="Upper")], Settings(), 12):
        below, above = (points[5] for points in frame.positions)
        assert above[2] - below[2] > 1.5 * THICKNESS
        touched += frame.stats.contacts
    assert touched > 0
