# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of bodies that may touch."""

import numpy as np
import pytest
from shapes import UNIT_TET, block, box, cell_box, grid, plane

from vbd.solver.bodies import Cloth, Collider, Solid
from vbd.solver.contact.surface import contact_surface, is_closed, touch_table
from vbd.solver.model.assembly import assemble
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.meshes import boundary_triangles, solid_volumes

SHEET, FACES = grid(2)


def ball(**more):
    return Solid(UNIT_TET + [0, 0, 0.3], [[0, 1, 2, 3]], name="Ball", **more)


def floor(**more):
    return Collider(*plane(), name="Floor", **more)


def cloth(**more):
    return Cloth(SHEET, FACES, name="Cape", **more)


def test_all_touch_all_but_colliders_each_other_and_bodies_themselves():
    other = Collider(*plane(), name="Wall")
    expected = [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]]
    np.testing.assert_array_equal(touch_table([ball(), cloth()], [floor(), other]), expected)


@pytest.mark.parametrize(
    ("of_ball", "of_cape", "of_floor", "meet"),
    [
        (("Cape",), None, None, {"Ball Cape", "Cape Floor"}),
        (None, ("Floor",), None, {"Ball Floor", "Cape Floor"}),
        (None, None, ("Ball",), {"Ball Cape", "Ball Floor"}),
        (("Cape",), ("Floor",), None, {"Cape Floor"}),
        ((), None, None, {"Cape Floor"}),
    ],
)
def test_two_meet_only_if_both_accept_each_other(of_ball, of_cape, of_floor, meet):
    table = touch_table(
        [ball(collides_with=of_ball), cloth(collides_with=of_cape)],
        [floor(collides_with=of_floor)],
    )
    np.testing.assert_array_equal(table, table.T)
    names = ["Ball", "Cape", "Floor"]
    above = np.argwhere(np.triu(table))
    assert {f"{names[one]} {names[other]}" for one, other in above} == meet


def test_self_contact_is_the_choice_of_the_material_alone():
    material = Material(self_contact=True)
    assert touch_table([cloth(material=material, collides_with=())], [])[0, 0]
    assert not touch_table([cloth(collides_with=("Cape",))], [])[0, 0]


def test_a_body_falls_through_a_collider_that_it_does_not_accept():
    settings = Settings(substeps=2, iterations=5)
    for accepted, rests in ((None, True), (("Floor",), True), ((), False)):
        *_, frame = simulate([ball(collides_with=accepted), floor()], settings, 12)
        assert (frame.positions[0][:, 2].min() > 0.0) == rests


def test_an_unknown_name_is_refused_with_the_names_that_there_are():
    bodies = [ball(collides_with=("Flor",)), floor()]
    with pytest.raises(
        ValueError, match=r'Ball: collides_with names "Flor".*there are Ball, Floor'
    ):
        next(simulate(bodies, Settings(), 1))


@pytest.mark.parametrize("shape", [box, cell_box])
def test_the_faces_of_a_box_enclose_its_volume(shape):
    points, elements = shape((3, 2, 1), (0.3, 0.2, 0.1))
    triangles = boundary_triangles(elements)
    assert is_closed(triangles)
    assert len(triangles) == 2 * 2 * (3 * 2 + 3 + 2)
    a, b, c = points[triangles].swapaxes(0, 1)
    assert np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0 == pytest.approx(0.006)
    assert solid_volumes(points, elements).sum() == pytest.approx(0.006)
    mirrored = points * [-1.0, 1.0, 1.0]
    assert solid_volumes(mirrored, elements).sum() == pytest.approx(-0.006)


def split_block():
    """A closed block with a vertex more in the middle of an edge, where a triangle has no area."""
    points, triangles = block((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    a, b, c = triangles[0]
    middle = len(points)
    points = np.concatenate([points, [0.5 * (points[a] + points[b])]])
    split = [[a, middle, c], [middle, b, c], [a, b, middle]]
    return points, np.concatenate([split, triangles[1:]])


def test_triangles_of_a_collider_that_have_no_area_are_left_out_and_it_stays_closed():
    points, triangles = split_block()
    assert is_closed(triangles)
    settings = Settings()
    collider = Collider(points, triangles, name="Block")
    surface = contact_surface(assemble([ball()], settings), [ball()], [collider], settings)
    own = surface.triangles[surface.body_triangles :] - surface.collider_start
    np.testing.assert_array_equal(own, np.delete(triangles, 2, axis=0))
    assert surface.closed[1]


def test_a_sheet_lies_on_a_collider_with_a_triangle_that_has_no_area():
    points, triangles = split_block()
    sheet = Cloth((SHEET - [0.5, 0.5, 0.0]) * 0.5 + [0, 0, 0.51], FACES, name="Cape")
    *_, frame = simulate([sheet, Collider(points, triangles)], Settings(), 10)
    assert (frame.positions[0][:, 2] > 0.5).all()
    assert np.ptp(frame.positions[0][:, 2]) < 1e-3
