# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact distance in the panel."""

import bpy
import pytest
from blender_scenes import gathered, sheet, slab

from vbd.solver.scene.thickness import collision_thickness


def test_by_default_it_follows_the_object(scene):
    ob = sheet()
    slab(size=100.0)
    cloth, floor = gathered().bodies
    assert collision_thickness(cloth) == pytest.approx(0.0025)
    assert floor.thickness == pytest.approx(0.0025)  # not that of a floor of 100 m
    ob.scale = (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    cloth, floor = gathered().bodies
    assert collision_thickness(cloth) == floor.thickness == pytest.approx(0.000025)


def test_a_value_of_the_users_own_stays(scene):
    ob, floor = sheet(), slab()
    ob.vbd.collision_thickness, floor.vbd.collision_thickness = 0.02, 0.03
    now = gathered()
    assert collision_thickness(now.bodies[0]) == pytest.approx(0.02)
    assert now.bodies[1].thickness == pytest.approx(0.03)
    assert not now.notes


def test_a_thickness_of_more_than_half_an_edge_is_pointed_out(scene):
    sheet(cells=10).vbd.collision_thickness = 0.06
    (note,) = gathered().notes
    assert note.startswith("Sheet: its Thickness (Collision) of 0.06 m is more than half an edge")
    assert "set it to 0.05 m or less" in note
    bpy.data.objects["Sheet"].vbd.collision_thickness = 0.05
    assert not gathered().notes


def test_no_more_is_advised_than_there_is_room_for(scene):
    ob = sheet(cells=13)  # half an edge of 0.038 m
    ob.vbd.collision_thickness = 0.04
    assert "set it to 0.03 m or less" in gathered().notes[0]
    ob.vbd.collision_thickness = 0.03
    assert not gathered().notes
