# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins are the weights after the modifiers."""

import bpy
import numpy as np
import pytest
from blender_scenes import gathered, mesh_object, pin, sheet, slide
from shapes import block

from vbd.addon.gathering.gather import gather, participants, prepared
from vbd.addon.objects import read_mesh


def pins():
    scene = bpy.context.scene
    objects = participants(scene)
    with prepared(scene, objects):
        return gather(bpy.context, objects).bodies[0].pins


def edit(ob, **values):
    modifier = ob.modifiers.new("Edit", "VERTEX_WEIGHT_EDIT")
    modifier.vertex_group = ob.vbd.pin_group
    for name, value in values.items():
        setattr(modifier, name, value)
    return modifier


def test_vertices_added_by_a_modifier_are_pinned(scene):
    ob = sheet()
    pin(ob, [0, 1])
    edit(ob, use_add=True, add_threshold=0.0, default_weight=1.0)
    np.testing.assert_array_equal(pins().indices, np.arange(25))


def test_vertices_removed_by_a_modifier_are_free(scene):
    ob = sheet()
    pin(ob, [0], 1.0)
    pin(ob, [1], 0.6)
    edit(ob, use_remove=True, remove_threshold=0.8)
    np.testing.assert_array_equal(pins().indices, [0])


def test_weights_by_nearness_are_read_where_the_simulation_starts(scene):
    ob = sheet()
    ob.vbd.soft_pins = False
    pin(ob, range(25))
    probe = mesh_object("Probe", [(0, 0, 0)])
    slide(probe, 0, 1, 20, 50.0)
    modifier = ob.modifiers.new("Near", "VERTEX_WEIGHT_PROXIMITY")
    modifier.vertex_group, modifier.target = ob.vbd.pin_group, probe
    modifier.proximity_mode, modifier.proximity_geometry = "GEOMETRY", {"VERTEX"}
    modifier.min_dist, modifier.max_dist = 0.8, 0.0  # weight 0 from 0.8 m on, 1 at the probe
    scene.frame_set(20)
    distance = np.linalg.norm(read_mesh.positions(ob.data), axis=1)
    np.testing.assert_array_equal(pins().indices, np.flatnonzero(distance <= 0.4))


def test_the_lattice_of_a_soft_body_is_pinned_by_them(scene):
    points, faces = block([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    ob = mesh_object("Box", points, faces=faces, role="SOFT")
    ob.vbd.resolution = 3
    pin(ob, [0])
    few = len(pins().indices)
    edit(ob, use_add=True, add_threshold=0.0, default_weight=1.0)
    assert len(pins().indices) > few


@pytest.mark.parametrize("kind", ["SMOOTH", "ARMATURE", "LATTICE", "SUBSURF"])
def test_other_modifiers_leave_the_weights(scene, kind):
    ob = sheet()
    pin(ob, [2])
    ob.modifiers.new("Other", kind)
    np.testing.assert_array_equal(pins().indices, [2])


def test_hard_pins_without_a_weight_of_a_half_are_told_to_pin_nothing(scene):
    ob = sheet()
    pin(ob, [0, 1], 0.4)
    ob.vbd.soft_pins = False
    assert gathered().notes == [
        'Sheet: no weight in the vertex group "Pins" reaches 0.5, so it pins nothing; raise '
        "the weights, or switch on Soft Pins"
    ]
    pin(ob, [2], 0.5)
    assert list(pins().indices) == [2] and not gathered().notes
    pin(ob, [2], 0.4)
    ob.vbd.soft_pins = True  # all are springs
    assert not gathered().notes
