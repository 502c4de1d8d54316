# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies that start anywhere, several of them, tiny and huge ones."""

from math import radians

import bmesh
import bpy
import numpy as np
import pytest
from building import add, floor, keyed, pin
from expected import Expected, scene, standing

# ---- where it starts


@scene
def cube_that_stands_on_the_plane():
    add("cube", z=1.0)
    floor()
    return Expected(60, heights={"Cube": standing(2.0)})


@scene
def cube_halfway_through_the_plane():
    add("cube")
    floor()

    def also(baked):
        # It comes up through the plane, and then stands on it and sways.
        heights = baked.end("Cube")[:, 2]
        assert heights.min() > 0.0
        z = np.sort(heights[:8])  # the corners
        assert z[4:].mean() - z[:4].mean() == pytest.approx(standing(2.0), rel=0.1)

    # It is thrown up, lands, and sways for some seconds.
    return Expected(200, floor=None, also=also)


@scene
def cube_on_the_ground():
    add("cube", z=2.0)
    bpy.context.scene.vbd.use_ground = True
    return Expected(100, heights={"Cube": standing(2.0)})


@scene
def cube_in_a_box():
    add("cube", z=1.0).scale = (0.5, 0.5, 0.5)
    box = add("cube", "COLLIDER", z=2.0, size=4.0)
    box.vbd.collider_shape = "BOX"
    return Expected(50, heights={"Cube": standing(1.0)})


@scene
def balls_in_a_bowl():
    bowl = add("uv_sphere", "COLLIDER", z=2.0, radius=2.0)
    mesh = bmesh.new()
    mesh.from_mesh(bowl.data)
    upper = [vertex for vertex in mesh.verts if vertex.co.z > 0.01]
    bmesh.ops.delete(mesh, geom=upper, context="VERTS")
    mesh.to_mesh(bowl.data)
    mesh.free()
    for k, at in enumerate(((-0.6, 0.0), (0.6, 0.1), (0.0, 0.6))):
        add("ico_sphere", z=1.2 + 0.2 * k, at=at, radius=0.4)

    def also(baked):
        for name, frames in baked.motion.items():
            if name.startswith("Ico"):
                far = np.linalg.norm(frames[-1] - [0, 0, 2.0], axis=1)
                assert far.max() < 2.0

    return Expected(28, also=also)


def stands(baked):
    """All above z = 0 at the end, and never thrown."""
    motion = baked.motion["Cube"]
    assert motion[-1][:, 2].min() > 0.0
    assert max(points[:, 2].max() for points in motion) < 2.1


@scene
def cube_in_the_ground():
    """The startup file's cube, and Ground pressed: it begins halfway in."""
    add("cube")
    bpy.context.scene.vbd.use_ground = True
    return Expected(frames=40, floor=None, also=stands)


@scene
def cube_in_a_plane():
    """The startup file's cube, and a plane added where the cursor is."""
    add("cube")
    floor()
    return Expected(frames=40, floor=None, says="entangled until frame", also=stands)


# ---- several


@scene
def stack_of_cubes():
    for k in range(3):
        add("cube", z=0.28 + 0.55 * k, size=0.5)
    floor()

    def also(baked):
        ends = sorted(baked.end(name)[:, 2].mean() for name in ("Cube", "Cube.001", "Cube.002"))
        assert np.diff(ends).min() > 0.4

    return Expected(12, heights={"Cube": 0.5, "Cube.001": 0.5, "Cube.002": 0.5}, also=also)


@scene
def ball_on_a_cube():
    add("cube", z=1.1)
    add("uv_sphere", z=2.8, radius=0.5)
    floor()
    return Expected(40)


@scene
def plank_on_two_boxes():
    plank = add("cube", z=1.3, size=1.0)
    plank.scale = (3.0, 0.6, 0.3)
    # With the stiffness of a new soft body it sags by 0.65 m, like a beam of that stiffness, and
    # slides off its boxes.
    plank.vbd.youngs_modulus = 2e6
    for x in (-1.2, 1.2):
        add("cube", "COLLIDER", z=0.5, at=(x, 0.0), size=1.0)
    floor()

    def also(baked):
        assert baked.end("Cube")[:, 2].max() > 0.9

    return Expected(50, rests=True, also=also)


@scene
def character_pushed_over():
    add("monkey", z=1.05)
    wall = add("cube", "COLLIDER", z=0.8, at=(0.0, -3.0), size=1.0)
    keyed(wall, 1, (1, -3.0), (20, -0.4))
    floor()

    def also(baked):
        assert (baked.end("Suzanne") - baked.start("Suzanne"))[:, 1].mean() > 0.3

    return Expected(36, keeps_volume=False, also=also)


@scene
def cube_on_a_ramp():
    add("cube", z=1.5, size=0.5)
    ramp = floor()
    ramp.rotation_euler = (0.0, radians(35.0), 0.0)

    def also(baked):
        assert (baked.end("Cube") - baked.start("Cube"))[:, 0].mean() > 0.3

    return Expected(30, floor=None, also=also)


@scene
def cube_hung_by_its_top():
    pin(add("cube", z=3.0), lambda x, y, z: z > 0.0)
    floor()

    def also(baked):
        assert np.ptp(baked.end("Cube")[:, 2]) > 2.0

    return Expected(40, keeps_volume=False, also=also)


# ---- tiny and huge


@scene
def tiny_cube():
    add("cube", z=0.015, size=0.01)
    floor(size=1.0)

    def also(baked):
        # It rests on the floor, not above it.
        assert baked.end("Cube")[:, 2].min() < 0.0002

    return Expected(30, heights={"Cube": 0.01}, rests=True, also=also)


@scene
def small_suzanne():
    add("monkey", z=0.15, size=0.1)
    floor()
    return Expected(30, keeps_volume=False)


@scene
def huge_cube():
    cube = add("cube", z=30.0, size=40.0)
    cube.vbd.youngs_modulus = 1e7
    floor(size=400.0)
    return Expected(60)
