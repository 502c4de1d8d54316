# SPDX-License-Identifier: GPL-3.0-or-later
"""A soft ball on needles: a bake tells how many of its tets are inverted, and what helps."""

import pytest
from blender_scenes import baked, frames, mesh_object
from shapes import needles, tet_ball

from vbd.addon.objects.tetmesh import store_tets


@pytest.fixture
def ball(scene):
    points, tets = tet_ball(6, 0.5)
    ob = mesh_object("Jelly", points)
    store_tets(ob.data, tets)
    ob.vbd.role = "SOFT"
    ob.vbd.youngs_modulus_kpa = 10.0
    ob.location.z = 0.6
    at, triangles = needles(0.25, 7)
    mesh_object("Needles", at, faces=triangles, role="COLLIDER")
    frames(scene, 1, 37)
    return ob


def line_of(outcome):
    return [line for line in outcome.lines() if "inside out" in line.text]


def test_a_bake_tells_of_inverted_tets_and_a_stiffness_that_has_none(ball):
    outcome = baked()
    (line,) = line_of(outcome)
    count = outcome.convergence.last.stats.inverted
    assert count > 10 and line.warns and line.objects == ("Jelly",)
    assert line.text == (
        f"Jelly: {count} tets are turned inside out by more load than they bear; raise the "
        "Stiffness"
    )
    assert not line.setting
    ball.vbd.youngs_modulus_kpa = 300.0
    assert not line_of(baked())
