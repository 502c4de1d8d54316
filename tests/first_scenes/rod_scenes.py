# SPDX-License-Identifier: GPL-3.0-or-later
"""Rods as a beginner adds them, and all kinds at once."""

import bpy
from building import add, converted, floor, give, pin, subdivided
from expected import Expected, scene


def line(cuts):
    """A plane with one edge left, subdivided: a usual model of a rope."""
    bpy.ops.mesh.primitive_plane_add(location=(0, 0, 2.0))
    ob = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="VERT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for vertex in ob.data.vertices:
        vertex.select = vertex.co.y > 0.0
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.delete(type="VERT")
    bpy.ops.object.mode_set(mode="OBJECT")
    return give(subdivided(ob, cuts), "ROD")


@scene
def rope():
    pin(line(20), lambda x, y, z: x < -0.99)
    return Expected(30, floor=None)


@scene
def rope_on_the_floor():
    line(20).location.z = 0.5
    floor()
    return Expected(36, rests=True)


@scene
def circle_as_a_rod():
    add("circle", "ROD", z=0.6)
    floor()
    return Expected(36, rests=True)


@scene
def curve_as_a_rod():
    bpy.ops.curve.primitive_bezier_curve_add(location=(0, 0, 1.0))
    give(converted(bpy.context.object), "ROD")
    floor()
    return Expected(36, rests=True)


@scene
def all_kinds_at_once():
    add("cube", z=0.6, size=1.0)
    add("grid", "CLOTH", z=1.5, x_subdivisions=12, y_subdivisions=12)
    line(12).location.z = 1.9
    floor()
    return Expected(40)
