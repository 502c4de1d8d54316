# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as a beginner builds them: menu entries, a role, default settings.

Each function builds one and gives `Expected`: how long to bake it, and what anybody would see.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import radians

import bpy
import numpy as np
import pytest
from building import add, converted, floor, give, joined, keyed, pin, subdivided

# Of the material that a soft body starts with.
STIFFNESS, DENSITY, GRAVITY = 1e5, 1000.0, 9.81

SCENES = {}


@dataclass
class Expected:
    """What a scene shows. Lengths in m.

    `floor`: nothing goes below it. `heights`: of objects at the end, as statics gives them, each
    to a tenth. `rests`: all is still at the end. `keeps_volume`: soft bodies do, to a tenth.
    `warns`: more iterations may be advised. `says`: what else the report warns of.
    `also(baked)` makes sure of the rest.
    """

    frames: int
    floor: float | None = 0.0
    heights: dict | None = None
    rests: bool = False
    keeps_volume: bool = True
    warns: bool = False
    says: str = ""
    also: Callable | None = None


def scene(build):
    SCENES[build.__name__] = build
    return build


def standing(height):
    """Height of a column of the default material under its own weight: E ε = ρ g (H − z)."""
    return height * (1.0 - 0.5 * DENSITY * GRAVITY * height / STIFFNESS)


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
        # Not a cell above the floor, though it has more vertices than touch.
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
    return Expected(40, keeps_volume=False)


@scene
def grid_as_a_soft_body():
    add("grid", z=1.0)
    floor()
    return Expected(40, keeps_volume=False)


@scene
def filled_circle_as_a_soft_body():
    add("circle", z=1.0, fill_type="NGON")
    floor()
    return Expected(40, keeps_volume=False)


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
    # The visible mesh is its corners alone, and it bounces on one of them.
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
        z = np.sort(baked.end("Cube")[:, 2])
        assert z[0] > 0.0
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
    bowl.vbd.collider_shape = "BOWL"
    for k, at in enumerate(((-0.6, 0.0), (0.6, 0.1), (0.0, 0.6))):
        add("ico_sphere", z=1.2 + 0.2 * k, at=at, radius=0.4)

    def also(baked):
        for name, frames in baked.motion.items():
            if name.startswith("Ico"):
                far = np.linalg.norm(frames[-1] - [0, 0, 2.0], axis=1)
                assert far.max() < 2.0

    return Expected(28, also=also)


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
    # As soft as a new soft body is it sags by 0.65 m, as a beam of that stiffness would, and slides
    # off its boxes.
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


# ---- cloth


@scene
def tablecloth():
    add("cylinder", "COLLIDER", z=0.5, radius=0.5, depth=1.0)
    add("grid", "CLOTH", z=1.1, x_subdivisions=20, y_subdivisions=20)
    floor()

    def also(baked):
        assert baked.end("Grid")[:, 2].max() > 0.98

    return Expected(50, also=also)


@scene
def cloth_over_a_ball():
    add("uv_sphere", "COLLIDER", z=1.0, radius=0.5)
    add("grid", "CLOTH", z=1.7, x_subdivisions=20, y_subdivisions=20)
    floor()
    return Expected(50)


@scene
def small_cloth_over_a_ball():
    add("uv_sphere", "COLLIDER", z=0.05, radius=0.015)
    add("grid", "CLOTH", z=0.075, size=0.1, x_subdivisions=30, y_subdivisions=30)
    floor(size=1.0)
    # As stiff for its size as few things are: more iterations are advised, and that is true.
    return Expected(24, warns=True)


@scene
def plane_as_a_cloth():
    add("plane", "CLOTH", z=1.0)
    floor()
    return Expected(40, rests=True, says="a cloth of 1 face hardly folds")


@scene
def subdivided_plane_as_a_cloth():
    bpy.ops.mesh.primitive_plane_add(location=(0, 0, 0.5))
    give(subdivided(bpy.context.object, 10), "CLOTH")
    floor()
    return Expected(40, rests=True)


@scene
def curtain():
    ob = add("grid", "CLOTH", z=2.0, x_subdivisions=16, y_subdivisions=16)
    ob.rotation_euler = (radians(90.0), 0.0, 0.0)
    pin(ob, lambda x, y, z: y > 0.99)

    def also(baked):
        assert baked.height("Grid") < 2.0 * 1.05

    return Expected(40, floor=None, rests=True, also=also)


@scene
def flag():
    ob = add("grid", "CLOTH", z=2.0, x_subdivisions=16, y_subdivisions=12)
    ob.rotation_euler = (radians(90.0), 0.0, 0.0)
    pin(ob, lambda x, y, z: x < -0.99)
    return Expected(40, floor=None, also=lambda baked: hangs_by(baked, "Grid"))


@scene
def hammock():
    pin(
        add("grid", "CLOTH", z=1.5, x_subdivisions=14, y_subdivisions=14),
        lambda x, y, z: abs(x) > 0.99 and abs(y) > 0.99,
    )
    add("ico_sphere", z=1.8, radius=0.15)
    floor()

    def also(baked):
        assert baked.end("Icosphere")[:, 2].min() > 0.2

    return Expected(36, also=also)


@scene
def sphere_as_a_cloth():
    add("uv_sphere", "CLOTH", z=1.2)
    floor()
    return Expected(36)


@scene
def cube_as_a_cloth():
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 1.2))
    give(subdivided(bpy.context.object, 5), "CLOTH")
    floor()
    return Expected(36)


@scene
def cloth_on_a_soft_ball():
    add("ico_sphere", z=0.9, radius=0.8, subdivisions=3)
    add("grid", "CLOTH", z=1.9, x_subdivisions=14, y_subdivisions=14)
    floor()
    return Expected(40)


# ---- rods


def hangs_by(baked, name):
    """Pinned at its start and hanging from there: below it, and not much longer than it was."""
    start, end = baked.start(name), baked.end(name)
    assert end[:, 2].min() < start[:, 2].min()
    assert (
        np.linalg.norm(end - end[:, None], axis=2).max()
        < 1.1 * np.linalg.norm(start - start[:, None], axis=2).max()
    )


def line(cuts):
    """A plane with one edge left, subdivided: how one models a rope."""
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
