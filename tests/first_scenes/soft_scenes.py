# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies as a beginner adds them, above a floor."""

from math import radians

import bpy
from building import add, converted, floor, give, joined
from expected import Expected, scene, standing

# ---- Add > Mesh, Soft Body, above a plane


@scene
def default_cube():
    add("cube", z=3.0)
    floor()
    return Expected(100, heights={"Cube": standing(2.0)})


@scene
def uv_sphere():
    add("uv_sphere", z=2.0)
    floor()
    return Expected(28)


@scene
def ico_sphere():
    add("ico_sphere", z=2.0)
    floor()
    return Expected(28)


@scene
def fine_ico_sphere():
    ball = add("ico_sphere", z=1.5, subdivisions=6)
    floor()

    def also(baked):
        # Less than a cell above the floor, though it has more vertices than touch.
        lowest = min(points[:, 2].min() for points in baked.motion[ball.name])
        assert lowest < 0.02

    return Expected(36, also=also)


@scene
def cylinder():
    add("cylinder", z=1.3)
    floor()
    return Expected(72, heights={"Cylinder": standing(2.0)})


@scene
def cone():
    add("cone", z=1.5)
    floor()
    return Expected(50)


@scene
def torus():
    add("torus", z=1.0)
    floor()
    return Expected(28)


@scene
def suzanne():
    add("monkey", z=3.0)
    floor()
    return Expected(44, keeps_volume=False)


@scene
def subdivided_suzanne():
    add("monkey", z=2.0)
    bpy.ops.object.modifier_add(type="SUBSURF")
    bpy.ops.object.modifier_apply(modifier="Subdivision")
    floor()
    return Expected(30, keeps_volume=False)


@scene
def plane_as_a_soft_body():
    add("plane", z=1.0)
    floor()
    return Expected(40, keeps_volume=False, says="is flat, so it is simulated as a plate")


@scene
def grid_as_a_soft_body():
    add("grid", z=1.0)
    floor()
    return Expected(40, keeps_volume=False, says="is flat, so it is simulated as a plate")


@scene
def filled_circle_as_a_soft_body():
    add("circle", z=1.0, fill_type="NGON")
    floor()
    return Expected(40, keeps_volume=False, says="is flat, so it is simulated as a plate")


# ---- scaled, rotated, joined, converted


@scene
def scaled_cube():
    ob = add("cube", z=1.0)
    ob.scale = (2.0, 1.0, 0.4)
    floor()
    return Expected(50, heights={"Cube": standing(0.8)})


@scene
def cube_on_its_corner():
    ob = add("cube", z=2.5)
    ob.rotation_euler = (radians(45.0), radians(35.0), 0.0)
    floor()
    # The visible mesh has no vertices but its corners, and it bounces on one of them.
    return Expected(64, keeps_volume=False)


@scene
def cube_joined_with_a_sphere():
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 1.5))
    cube = bpy.context.object
    bpy.ops.mesh.primitive_uv_sphere_add(location=(0, 0, 2.8), radius=0.8)
    give(joined(cube, bpy.context.object), "SOFT")
    floor()
    return Expected(50, keeps_volume=False)


@scene
def text():
    bpy.ops.object.text_add(location=(0, 0, 1.0))
    bpy.context.object.data.extrude = 0.15
    bpy.context.object.rotation_euler = (radians(90.0), 0.0, 0.0)
    give(converted(bpy.context.object), "SOFT")
    floor()
    return Expected(40, keeps_volume=False)


@scene
def metaball():
    bpy.ops.object.metaball_add(type="BALL", location=(0, 0, 2.5))
    give(converted(bpy.context.object), "SOFT")
    floor()
    return Expected(32)
