# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of cloth in the README and the guide: the end of the tour, and all fabrics in a row.

Bakes without a window and renders docs/tour.jpg and docs/fabrics.jpg. Run `python
examples/drapes.py` where `vbd` and bpy are installed, with tour or fabrics for one of them.
"""

import math
import sys
from pathlib import Path

import bpy
import demo_look
import numpy as np
from mathutils import Vector
from scene_objects import add_object, simulate_as

import vbd
from vbd.addon.values.presets import apply_shipped_material, shipped_files, shown_name

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tests"))  # for the tour, which a test repeats

# Color, roughness and metallic of each fabric.
LOOKS = {
    "Aluminum Foil": ((0.75, 0.76, 0.78), 0.25, 1.0),
    "Canvas": ((0.60, 0.52, 0.38), 0.95, 0.0),
    "Cotton": ((0.75, 0.30, 0.22), 0.9, 0.0),
    "Denim": ((0.05, 0.10, 0.25), 0.95, 0.0),
    "Jersey": ((0.16, 0.30, 0.18), 0.9, 0.0),
    "Latex": ((0.55, 0.03, 0.12), 0.15, 0.0),
    "Leather": ((0.16, 0.06, 0.03), 0.4, 0.0),
    "Linen": ((0.70, 0.64, 0.52), 0.95, 0.0),
    "Nylon": ((0.80, 0.42, 0.02), 0.4, 0.0),
    "Paper": ((0.88, 0.87, 0.84), 0.8, 0.0),
    "Silk": ((0.70, 0.45, 0.55), 0.3, 0.0),
    "Velvet": ((0.20, 0.02, 0.16), 1.0, 0.0),
    "Wool": ((0.30, 0.28, 0.27), 1.0, 0.0),
    "Woven Cotton": ((0.70, 0.42, 0.20), 0.9, 0.0),
    "Woven Denim": ((0.10, 0.18, 0.36), 0.95, 0.0),
}
TABLE_RADIUS, TABLE_HEIGHT = 0.45, 1.1
FACES, SIZE, LAST_FRAME = 40, 2.0, 100
COLUMNS, SPACING = 5, (2.1, 3.6)


def light_and_camera(scene, target, place, lens, bright=1.0):
    """Light and camera of the demo, moved back for a larger scene."""
    demo_look.light_and_camera(scene)
    for lamp in (ob for ob in scene.objects if ob.type == "LIGHT"):
        lamp.location *= 2.0
        lamp.data.energy *= 5.0 * bright
        lamp.data.size *= 1.5
    camera = scene.camera
    camera.location, camera.data.lens = place, lens
    toward = Vector(target) - camera.location
    camera.rotation_euler = toward.to_track_quat("-Z", "Y").to_euler()


def render(scene, path, size, samples=24, bounces=4):
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.cycles.max_bounces = scene.cycles.transmission_bounces = bounces
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "JPEG"
    scene.render.image_settings.quality = 85
    scene.render.filepath = str(path)
    with demo_look.quiet():
        bpy.ops.render.render(write_still=True)
    print(f"see {path}")


def draw_tour():
    """The end of the five-minute tour, with colors, light and a camera."""
    import tour

    sheet, cube, end = tour.walk()
    tour.round_off(cube)
    scene = bpy.context.scene
    for name in ("Camera", "Light"):
        bpy.data.objects.remove(bpy.data.objects[name])
    cube.data.materials.clear()
    demo_look.color(sheet, (0.45, 0.02, 0.03), roughness=0.85)
    demo_look.color(cube, (0.90, 0.72, 0.45), roughness=0.4)
    demo_look.color(bpy.data.objects["Plane"], (0.20, 0.19, 0.18), roughness=0.7)
    light_and_camera(scene, target=(0.0, 0.0, 1.0), place=(2.6, -8.0, 4.0), lens=64.0)
    scene.frame_set(end)
    render(scene, DOCS / "tour.jpg", (800, 560))


def cylinder(around=48):
    """Points and faces of the table."""
    turn = 2.0 * math.pi * np.arange(around) / around
    ring = TABLE_RADIUS * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=-1)
    points = np.concatenate([ring, ring + (0.0, 0.0, TABLE_HEIGHT)])
    sides = [(i, (i + 1) % around, around + (i + 1) % around, around + i) for i in range(around)]
    return points, [*sides, range(around, 2 * around), range(around)[::-1]]


def draped(fabric):
    """Bake a square of a fabric on the table; returns its points at the end, and its faces."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    simulate_as(add_object("Table", *cylinder()), "COLLIDER")
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=FACES, y_subdivisions=FACES, size=SIZE, location=(0, 0, TABLE_HEIGHT + 0.1)
    )
    cloth = bpy.context.object
    simulate_as(cloth, "CLOTH")
    apply_shipped_material(bpy.context, cloth, fabric)
    scene.vbd.use_ground = True
    scene.vbd.frame_end = LAST_FRAME
    bpy.ops.vbd.bake()
    scene.frame_set(LAST_FRAME)
    mesh = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    faces = [tuple(face.vertices) for face in mesh.polygons]
    return points + np.array(cloth.location), faces


def label(text, place):
    curve = bpy.data.curves.new(text, "FONT")
    curve.body, curve.align_x, curve.size = text, "CENTER", 0.3
    ob = bpy.data.objects.new(text, curve)
    ob.location, ob.rotation_euler = place, (math.radians(35.0), 0.0, 0.0)
    bpy.context.collection.objects.link(ob)
    demo_look.color(ob, (0.9, 0.9, 0.9), roughness=1.0)


def draw_fabrics():
    """A square of each fabric on a round table, with its name."""
    menu = bpy.types.VBD_MT_cloth_presets
    names = {shown_name(file.name): file.stem for file in shipped_files(menu)}
    sheets = {name: draped(stem) for name, stem in names.items()}
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    for index, (name, (points, faces)) in enumerate(sheets.items()):
        row, column = divmod(index, COLUMNS)
        place = Vector((SPACING[0] * (column - 0.5 * (COLUMNS - 1)), -SPACING[1] * row, 0.0))
        cloth = add_object(name, points, faces, place)
        demo_look.smooth(cloth, subdivisions=2)
        base, roughness, metallic = LOOKS[name]
        demo_look.color(cloth, base, roughness, metallic)
        label(name, place + Vector((0.0, -1.25, 0.02)))
        table = add_object("Table", *cylinder(), place)
        table.scale = (0.96, 0.96, 0.98)
        demo_look.color(table, (0.35, 0.25, 0.16), roughness=0.6)
    corners = [(-50, -50, 0), (50, -50, 0), (50, 50, 0), (-50, 50, 0)]
    floor = add_object("Floor", corners, [range(4)])
    demo_look.color(floor, (0.16, 0.16, 0.17), roughness=0.8)
    scene = bpy.context.scene
    middle = Vector((0.0, -SPACING[1] - 0.3, 0.35))
    light_and_camera(scene, middle, middle + Vector((0.0, -15.0, 10.0)), lens=50.0)
    scene.camera.data.type, scene.camera.data.ortho_scale = "ORTHO", SPACING[0] * COLUMNS
    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 2.5, 0.15
    lamp = bpy.data.objects.new("Sun", sun)
    lamp.rotation_euler = (0.6, -0.7, 0.0)
    scene.collection.objects.link(lamp)
    render(scene, DOCS / "fabrics.jpg", (1200, 760))


PICTURES = {"tour": draw_tour, "fabrics": draw_fabrics}


def main():
    vbd.register()
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()
    vbd.unregister()


if __name__ == "__main__":
    main()
