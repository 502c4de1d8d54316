# SPDX-License-Identifier: GPL-3.0-or-later
"""Corners of rigid bodies that are attached are no contact; all others still are."""

import numpy as np
import pytest
from fuzz.judge import _attached
from rigid_shapes import cuboid, settings_of
from shapes import plane

from vbd.solver.bodies import Collider, Pins, Rod
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material
from vbd.solver.simulate import Simulation
from vbd.solver.topology.near_points import near_places

HALF, SPEED = 0.1, 3.0
WEIGHTLESS = settings_of(gravity=(0.0, 0.0, 0.0))
DIAGONAL = np.ones(3) / np.sqrt(3.0)


def onto_x():
    """The rotation that takes the diagonal of a cube to the x axis."""
    across = np.cross(DIAGONAL, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    return np.array([DIAGONAL, np.cross(across, DIAGONAL), across])


def corner(body, direction):
    return int(np.argmax(body.mesh_points @ np.asarray(direction)))


def two_tied_to_a_third(velocity=(SPEED, 0.0, 0.0)):
    """A cube on its tip, flying at a face of another; a corner of each is tied to a small one."""
    flying = cuboid(HALF, (-0.3, 0.0, 0.0), onto_x(), name="Flying", velocity=velocity)
    third = cuboid(0.02, (0.0, 0.0, 1.0), name="Third")
    wall = cuboid(HALF, (0.3, 0.0, 0.0), name="Wall")
    # The corner that both triangles of the face share, so that an exclusion takes the whole face.
    of_face = np.abs(wall.mesh_points[wall.triangles][:, :, 0] - 0.2).max(axis=1) < 1e-9
    one, other = wall.triangles[of_face]
    shared = int(np.intersect1d(one, other)[0])
    near, far = corner(third, DIAGONAL), corner(third, -DIAGONAL)
    weak = {"other": third, "offset": None}
    ties = [
        Attachment(flying, [corner(flying, [1.0, 0.0, 0.0])], 1e-3, corners=[near], **weak),
        Attachment(wall, [shared], 1e-3, corners=[far], **weak),
    ]
    return [flying, third, wall, *ties], shared


def test_bodies_tied_to_a_third_one_do_not_pass_each_other():
    """The tip, at which one is tied, goes at the face where the other is. Ties of 1 mN/m leave
    their motion as it is.
    """
    bodies, _ = two_tied_to_a_third()
    simulation, deepest = Simulation(bodies, WEIGHTLESS), -np.inf
    for _ in simulation.frames(4):
        (flying, at, turn), _, (_, place, turned) = simulation.model.rigid.poses().values()
        points = (flying.mesh_points - flying.properties.center) @ turn.T + at
        deepest = max(deepest, (HALF - np.abs((points - place) @ turned).max(axis=1)).max())
    assert deepest <= 0.0
    assert simulation.model.rigid.struct.velocity.numpy()[0, 0] < 0.6 * SPEED


def test_only_bodies_that_are_tied_to_each_other_are_left_out():
    """Of the judge of random scenes too, which judges the pair that is not tied."""
    bodies, shared = two_tied_to_a_third()
    surface = Simulation(bodies, WEIGHTLESS).model.surface
    np.testing.assert_array_equal(_attached(surface), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    joint, body = surface.joint[surface.point_start :], surface.body[surface.point_start :]
    flying = bodies[0]
    ends = [joint[body == 0][corner(flying, [1.0, 0.0, 0.0])], joint[body == 2][shared]]
    assert ends[0] != ends[1]


@pytest.mark.parametrize("places", ["corners", "inside of faces"])
def test_ropes_of_one_body_still_meet_each_other(places):
    """Each end of a rope is attached to its own place alone."""
    seat, bodies = cuboid((0.4, 0.15, 0.025), name="Seat"), []
    for x in (-0.4, 0.4):
        at = corner(seat, [x, 0.1, 1.0])
        corners, weights = [[at]], None
        if places != "corners":
            others = [corner(seat, [x, -0.1, 1.0]), corner(seat, [-x, 0.05, 1.0])]
            corners, weights = [[at, *others]], [[0.4, 0.3, 0.3]]
        end = np.average(seat.mesh_points[corners[0]], axis=0, weights=weights and weights[0])
        material = Material(thickness=0.008, density=0.04)
        rope = Rod([end, end + [0.0, 0.0, 1.0]], [[0, 1]], material, Pins([1]), name=f"Rope {x}")
        tie = {"other": seat, "corners": corners, "weights": weights}
        bodies += [rope, Attachment(rope, [0], 1e5, **tie)]
    simulation = Simulation([seat, *bodies], settings_of())
    surface, rods = simulation.model.surface, simulation.model.assembly.vertices[1:]
    ends = surface.joint[[rods[0][0], rods[1][0]]]
    assert ends[0] != ends[1]
    points = surface.joint[surface.point_start :]
    assert np.isin(ends, points).all() == (places == "corners")
    assert len(np.unique(points)) == len(points)


def test_a_corner_is_attached_where_the_body_is_drawn_in_too():
    """As bodies are that begin on something: their points are not quite where those are held."""
    box = cuboid(HALF, (0.0, 0.0, HALF), name="Box")
    at = corner(box, [1.0, 1.0, 1.0])
    end = box.mesh_points[at]
    rope = Rod([end, end + [0.0, 0.0, 1.0]], [[0, 1]], Material(thickness=0.008, density=0.04))
    floor = Collider(*plane(2.0, 0.0), name="Floor")
    tie = Attachment(rope, [0], 1e5, other=box, corners=[at])
    simulation = Simulation([box, rope, floor, tie], settings_of())
    surface, assembly = simulation.model.surface, simulation.model.assembly
    points = surface.points.of(assembly.points) + assembly.origin
    assert np.abs(points - box.mesh_points).max() > 1e-5 * box.size
    assert surface.joint[assembly.vertices[1][0]] == surface.joint[surface.point_start + at]


def test_near_places_are_those_of_all_pairs():
    random = np.random.default_rng(3)
    points, places = (random.uniform(-1.0, 1.0, (count, 3)) for count in (200, 100))
    places[::5] *= 50.0
    apart = np.linalg.norm(points[:, None] - places, axis=2)
    found = near_places(points, places, 0.3)
    assert len(found) > 100
    np.testing.assert_array_equal(found, np.argwhere(apart <= 0.3))
    assert near_places(points[:0], places, 0.3).shape == (0, 2)
    assert near_places(points, places[:0], 0.3).shape == (0, 2)
