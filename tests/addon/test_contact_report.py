# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines about contact in the report of a bake."""

from types import SimpleNamespace

import numpy as np
import pytest
from shapes import UNIT_TET, grid, plane

from vbd.addon.baking.contact_report import ContactReport, contact_distances
from vbd.solver.bodies import Cloth, Collider, Solid
from vbd.solver.contact.initial.intersections import Intersection
from vbd.solver.messages import message
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.settings import Material, Settings


def frame(index, contacts=0, pairs=0, deepest=0.0, truncated=0, searches=2, tangles=(), rooms=()):
    stats = SimpleNamespace(
        contacts=contacts,
        pairs=pairs,
        deepest=deepest,
        truncated=truncated,
        searches=searches,
        tangles=tangles,
        rooms=rooms,
    )
    return SimpleNamespace(scene_frame=index, stats=stats)


def told(*solved, distances=(0.01, 0.01), animated=True):
    report = ContactReport(distances, animated)
    for one in solved:
        report.take(one)
    return report


def test_nothing_is_said_when_nothing_touched():
    report = told(frame(1), frame(2))
    assert (report.numbers(), report.lines(), list(report.entanglement())) == ([], [], [])


def test_the_end_the_deepest_frame_and_all_searches_are_told():
    report = told(frame(1, 9, 4, 0.0045, 2), frame(2, 1200, 3000, 0.0005, 1), frame(3, 1200, 3000))
    assert report.numbers() == [
        "Touching: 1,200 vertices",
        "Pairs: 3,000",
        "Deepest: 4.5 mm of 10 mm",
        "Truncated: 0 vertices",
        "Searches: 6",
    ]
    assert report.lines() == [
        "Last frame 3: 1200 vertices touch in 3000 pairs, 0 mm deep, 0 truncated",
        "Deepest frame 1: 4.5 mm of the contact distance of 10 mm; 6 searches in all frames",
    ]


def test_contact_that_is_over_at_the_end_is_told():
    assert told(frame(1, 3, 2, 0.001), frame(2)).numbers()[0] == "Touching: 0 vertices"


def test_who_is_in_which_room_is_told():
    (line,) = told(frame(1, rooms=(("Ball", "Cube"),))).entanglement()
    assert line.text.startswith("Ball starts inside Cube and stays in it") and not line.warns
    assert line.objects == ("Ball", "Cube")


def test_tangles_are_named_until_they_are_gone():
    tangle = Intersection(("Shirt", "Body"), 3, (0.0, 0.0, 1.0))
    report = told(frame(1, tangles=[tangle]))
    assert report.numbers() == [str(tangle)]
    (line,) = report.entanglement()
    assert line.text.startswith("Shirt passes through Body")
    assert line.warns and line.objects == ("Shirt", "Body")
    report = told(frame(1, tangles=[tangle]), frame(2, 4, 2, 0.001))
    assert report.lines()[0] == "Untangled after frame 1"
    (line,) = report.entanglement()
    names = "Shirt and Body"
    assert line.text == message("report.untangled", names=names, count=2, frame=1)
    assert line.objects == ("Shirt", "Body") and not line.warns


def test_what_was_entangled_is_named():
    def text(*couples):
        tangles = [Intersection(couple, 3, (0.0, 0.0, 1.0)) for couple in couples]
        (line,) = told(frame(1, tangles=tangles), frame(2)).entanglement()
        return line.text

    until = "until frame 1; if it shows, move"
    assert text(("Shirt", "Shirt")).startswith(f"Shirt was entangled with itself {until} its parts")
    several = text(("Shirt", "Body"), ("Hat", "Body"))
    assert several.startswith(f"Shirt, Body, Hat were entangled {until} them")


def test_what_began_apart_is_not_told_to_start_apart():
    tangle = Intersection(("Shirt", "Body"), 3, (0.0, 0.0, 1.0))
    remedy = "keep animated pins and colliders apart"
    (line,) = told(frame(1), frame(2, tangles=[tangle])).entanglement()
    assert line.text == f"Shirt passes through Body; {remedy}" and line.warns
    both = [frame(k, tangles=[tangle]) for k in (2, 3)]
    (line,) = told(frame(1), *both, frame(4)).entanglement()
    assert line.text == (
        f"Shirt and Body were entangled from frame 2 until frame 3; if it shows, {remedy}"
    )


def test_without_animation_what_crosses_touched_at_the_start():
    tangle = Intersection(("Shirt", "Body"), 3, (0.0, 0.0, 1.0))
    (line,) = told(frame(1), frame(2, tangles=[tangle]), animated=False).entanglement()
    assert line.text == "Shirt passes through Body from the start; move apart what overlaps there"


def test_what_stays_inside_of_something_is_told():
    (line,) = told(frame(1, 9, 0, 0.9), frame(2, 9, 0, 0.19)).penetration("Ball")
    assert line.warns and line.objects == ("Ball",)
    assert line.text.startswith("Ball is still 0.19 m deep in the ground or a collider; ")
    # In front of a surface no vertex is deeper than the contact distance; entangled surfaces have a
    # line of their own.
    tangle = Intersection(("Shirt", "Body"), 3, (0.0, 0.0, 1.0))
    assert not list(told(frame(1, 9, 0, 0.9), frame(2, 9, 0, 0.01)).penetration("Ball"))
    assert not list(told(frame(1, 9, 0, 0.9, tangles=[tangle])).penetration("Ball"))
    assert not list(told().penetration(""))


@pytest.mark.parametrize(
    ("couples", "start"),
    [
        ([("Shirt", "Shirt")], "Shirt passes through itself"),
        ([("Shirt", "Body"), ("Hat", "Body")], "Shirt, Hat pass through Body"),
        ([("Rope", "Post"), ("Rope", "Post.001")], "Rope passes through Post, Post.001"),
        ([("Rope", "Rope"), ("Rope", "Post")], "Rope passes through itself, Post"),
        ([("Hat", "Rope"), ("Rope", "Post")], "Rope passes through Hat, Post"),
        (
            [("Hat", "Rope"), ("Shirt", "Post")],
            "Hat, Rope, Shirt and 1 more pass through each other",
        ),
        ([("A", "A"), ("B", "B"), ("C", "C"), ("D", "D")], "A, B, C and 1 more pass through"),
    ],
)
def test_all_that_is_entangled_is_one_line(couples, start):
    tangles = [Intersection(couple, 3, (0.0, 0.0, 1.0)) for couple in couples]
    (line,) = told(frame(1, tangles=tangles)).entanglement()
    assert line.text.startswith(start)
    assert set(line.objects) == {name for couple in couples for name in couple}


def test_distances_that_differ_are_a_range():
    report = told(frame(1, 3, 2, 0.001), distances=(0.0025, 0.01))
    assert "Deepest: 1 mm of 2.5 to 10 mm" in report.numbers()


def ball(thickness, **material):
    return Solid(
        UNIT_TET, [[0, 1, 2, 3]], Material(collision_thickness=thickness, **material), name="Ball"
    )


def sheet(thickness, **others):
    return Cloth(*grid(2), Material(collision_thickness=thickness), name="Sheet", **others)


@pytest.mark.parametrize(
    ("bodies", "settings", "expected"),
    [
        ([ball(0.01)], {}, (0, 0)),
        ([ball(0.01, self_contact=True)], {}, (0.02, 0.02)),
        ([ball(0.01)], {"use_ground": True}, (0.01, 0.01)),
        ([ball(0.01), Plane((0, 0, 0))], {}, (0.01, 0.01)),
        ([ball(0.01), Collider(*plane(), thickness=0.002)], {}, (0.012, 0.012)),
        ([ball(0.01), sheet(0.001), Plane((0, 0, 0))], {}, (0.001, 0.011)),
        ([ball(0.01), sheet(0.001, collides_with=())], {}, (0, 0)),
    ],
)
def test_contact_distances_are_those_of_all_that_may_meet(bodies, settings, expected):
    np.testing.assert_allclose(contact_distances(bodies, Settings(**settings)), expected)
