# SPDX-License-Identifier: GPL-3.0-or-later
"""A crate, a cushion, a rope, a cloth and grains in one solve.

    python examples/still_life.py [still_life.jpg]

A crate of nuts drops onto a cushion under a cloth. A rope catches it by one side, so that it tips
over and spills. Bakes without a window, which takes some minutes, and renders docs/still_life.jpg
where bpy is installed.
"""

import sys
import time
from pathlib import Path

import bpy
import demo_look
import numpy as np
from drapes import render
from scene_objects import add_object, simulate_as

import vbd
from vbd.addon.values.presets import apply_shipped_material
from vbd.benchmarks.experiments.contact_shapes import open_box

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "still_life.jpg"
LAST, SHOWN, NUT = 30, 16, 0.018
# The inside of the crate and its walls [m], its place, and its turn about z [radians].
INSIDE, WALL = np.array([0.40, 0.40, 0.26]), 0.022
PLACE, TURN = (-0.06, 0.0, 0.76), 0.45


def add_cushion(cells=30, half=(0.66, 0.56), height=0.17):
    """Two sheets that meet at a seam, thick in the middle, its corners drawn out."""
    v, u = np.meshgrid(*2 * [np.linspace(-1.0, 1.0, cells + 1)], indexing="ij")
    thick = height * np.sqrt(np.clip((1.0 - u**4) * (1.0 - v**4), 0.0, None))
    x, y = half[0] * u * (0.93 + 0.07 * v**2), half[1] * v * (0.93 + 0.07 * u**2)
    border = (np.abs(u) == 1.0) | (np.abs(v) == 1.0)
    top = np.arange(u.size).reshape(u.shape)
    low = np.where(border, top, 0)
    low[~border] = u.size + np.arange((~border).sum())
    points = np.concatenate(
        [
            np.stack([x, y, thick], axis=-1).reshape(-1, 3),
            np.stack([x, y, -thick], axis=-1)[~border],
        ]
    )
    faces = [
        (n[i, j], n[i, j + 1], n[i + 1, j + 1], n[i + 1, j])[::side]
        for n, side in ((top, 1), (low, -1))
        for i in range(cells)
        for j in range(cells)
    ]
    cushion = add_object("Cushion", points, faces, location=(0.05, 0.0, height + 0.01))
    demo_look.smooth(cushion, subdivisions=1)
    demo_look.color(cushion, (0.50, 0.07, 0.04), roughness=0.8, sheen=0.5)
    simulate_as(cushion, "SOFT", youngs_modulus=1.5e4, density=60.0, damping=0.02)
    cushion.vbd.resolution = 16
    return cushion


def add_cloth(faces=40, size=1.15):
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=faces, y_subdivisions=faces, size=size, location=(0.12, -0.06, 0.375)
    )
    cloth = bpy.context.object
    cloth.name, cloth.rotation_euler.z = "Cloth", 0.6
    demo_look.smooth(cloth, subdivisions=1, thickness=0.003)
    demo_look.color(cloth, (0.80, 0.76, 0.66), 0.9, stripes=(0.05, 0.16, 0.30), sheen=0.3)
    simulate_as(cloth, "CLOTH")
    apply_shipped_material(bpy.context, cloth, "Linen")
    return cloth


def plank(name, size, center):
    """A board of a size [m] around a center, with rounded edges."""
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    board = bpy.context.object
    board.name = name
    for vertex in board.data.vertices:
        vertex.co = np.array(vertex.co) * size + center
    bevel = board.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.003, 2
    return board


def add_crate():
    """An open box, which is simulated; boards inside its walls are what is seen of it."""
    crate = add_object("Crate", *open_box(INSIDE, WALL), PLACE, (0.0, 0.0, TURN))
    simulate_as(crate, "RIGID")
    crate.hide_render = True
    wood = demo_look.wood("Wood", (0.36, 0.17, 0.06))
    outer, rows = INSIDE[0] + 2.0 * WALL, 3
    tall = (INSIDE[2] + WALL) / rows
    boards = [plank("Floor Board", (outer, outer, WALL), (0.0, 0.0, -0.5 * WALL))]
    for row in range(rows):
        z = -WALL + (row + 0.5) * tall
        for side in (-1.0, 1.0):
            at = side * 0.5 * (INSIDE[0] + WALL)
            boards.append(plank("Board", (WALL, outer, tall - 0.006), (at, 0.0, z)))
            boards.append(plank("Board", (INSIDE[0], WALL, tall - 0.006), (0.0, at, z)))
    for board in boards:
        board.data.materials.append(wood)
        board.parent = crate
    return crate


def add_nuts(radius=NUT):
    size = INSIDE * [0.96, 0.96, 0.98]
    bpy.ops.mesh.primitive_cube_add(
        size=1.0, location=np.add(PLACE, (0.0, 0.0, 0.5 * size[2] + 0.004))
    )
    filled = bpy.context.object
    filled.name, filled.scale, filled.rotation_euler.z = "Nuts", size, TURN
    bpy.ops.vbd.add(role="GRAINS")
    nuts = bpy.context.object
    nuts.vbd.grain_radius, nuts.vbd.density, nuts.vbd.friction = radius, 800.0, 0.3
    bpy.ops.vbd.fill_again()
    demo_look.mixed_colors(
        nuts, [(0.55, 0.33, 0.12), (0.70, 0.55, 0.32), (0.28, 0.05, 0.03), (0.80, 0.72, 0.55)]
    )
    return nuts


def add_rope():
    """From above, with some slack, to the crate below its rim, and a loose end."""
    away = 0.5 * INSIDE[0] + 2.0 * WALL
    rim = np.array(PLACE) + [-away * np.cos(TURN), -away * np.sin(TURN), INSIDE[2] - 0.03]
    top, end = rim + [-0.12, 0.05, 1.1], rim + [-0.30, -0.22, 0.10]
    way = np.concatenate([np.linspace(top, rim, 60), np.linspace(rim, end, 25)[1:]])
    way[:60, 0] -= 0.10 * np.sin(np.linspace(0.0, np.pi, 60))
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.011, 4
    spline = curve.splines.new("POLY")
    spline.points.add(len(way) - 1)
    for point, at in zip(spline.points, way, strict=True):
        point.co = (*at, 1.0)
    rope = bpy.data.objects.new("Rope", curve)
    bpy.context.collection.objects.link(rope)
    demo_look.color(rope, (0.62, 0.45, 0.24), roughness=0.9)
    simulate_as(rope, "ROD", pin_start=True)
    apply_shipped_material(bpy.context, rope, "Rope")
    tie = rope.vbd.attachments.add()
    tie.name, tie.target, tie.stiffness = "Knot", bpy.data.objects["Crate"], 1e5
    return rope


def add_floor():
    bpy.ops.mesh.primitive_plane_add(size=60.0)
    floor = bpy.context.object
    floor.name = "Floor"
    demo_look.color(floor, (0.30, 0.29, 0.28), roughness=0.6)
    simulate_as(floor, "COLLIDER")


def build(radius=NUT):
    """The scene, ready to bake."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_end = scene.vbd.frame_end = LAST
    scene.vbd.substeps, scene.vbd.iterations = 8, 15
    add_floor()
    add_cushion()
    add_cloth()
    add_crate()
    add_nuts(radius)
    add_rope()
    return scene


def main(path=PICTURE):
    scene = build()
    began = time.monotonic()
    bpy.ops.vbd.bake()
    print(f"baked {LAST - 1} frames in {time.monotonic() - began:.0f} s", flush=True)
    draw(scene, path)


def draw(scene, path, size=(1000, 667), samples=16):
    """Render the moment when the nuts fall onto the cloth, in the light of a low sun."""
    demo_look.light_and_camera(scene, (0.98, -2.2, 1.05), (0.05, 0.0, 0.46))
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.35
    key = bpy.data.objects["Key"]
    key.data.energy, key.data.size, key.data.color = 520.0, 1.0, (1.0, 0.86, 0.68)
    scene.frame_set(SHOWN)
    render(scene, path, size, samples)


if __name__ == "__main__":
    vbd.register()
    main(*sys.argv[1:])
