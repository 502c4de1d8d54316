# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo: builds a scene, bakes it without a window, saves the .blend and renders a strip.

Suzanne and a ring fall onto a step and a ramp; a cloth that hangs by two corners is
hit by a ball. Run `make demo`, or `python examples/demo.py` where `vbd` and bpy are installed.
"""

import time
from pathlib import Path

import bpy
import demo_look
import numpy as np
from mathutils import Euler

import vbd

BUILD = Path(__file__).resolve().parent.parent / "build"
LAST_FRAME = 48
SHOWN_FRAMES = (1, 14, 27, 48)


def add_object(name, points, faces, location=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0)):
    """A mesh object from points [vertex, 3] in m and lists of corners of any number."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([[*map(float, p)] for p in points], [], [[*map(int, f)] for f in faces])
    ob = bpy.data.objects.new(name, mesh)
    ob.location, ob.rotation_euler = location, rotation
    bpy.context.collection.objects.link(ob)
    return ob


def simulate_as(ob, role, **values):
    """Give an object its role in the simulation, as a click in the sidebar would."""
    for other in bpy.context.selected_objects:
        other.select_set(False)
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.ops.vbd.add(role=role)
    for name, value in values.items():
        setattr(ob.vbd, name, value)


def add_suzanne():
    bpy.ops.mesh.primitive_monkey_add(size=1.4, location=(-1.4, 0.2, 1.35))
    ob = bpy.context.object
    ob.name = "Suzanne"
    ob.rotation_euler = Euler((0.15, 0.1, 0.2))
    demo_look.smooth(ob, subdivisions=2)
    simulate_as(ob, "SOFT", youngs_modulus=3e4, poisson_ratio=0.42, damping=0.02)
    return ob


def add_ring():
    bpy.ops.mesh.primitive_torus_add(
        major_radius=0.4,
        minor_radius=0.16,
        major_segments=32,
        minor_segments=16,
        location=(0.3, 0.3, 1.5),
        rotation=(0.9, 0.5, 0.0),
    )
    ob = bpy.context.object
    ob.name = "Ring"
    demo_look.smooth(ob, subdivisions=1)
    simulate_as(ob, "SOFT", youngs_modulus=3e4, poisson_ratio=0.45, damping=0.01)
    return ob


def add_cloth(cells=28, width=1.3):
    """A sheet on the line: its top corners are a little closer than the sheet is wide."""
    x, z = np.meshgrid(np.linspace(-0.5, 0.5, cells + 1), np.linspace(0.0, -1.0, cells + 1))
    points = width * np.stack([x, 0.02 * np.sin(9.0 * x) * np.cos(7.0 * z), z], axis=-1)
    corner = np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)
    faces = np.stack([corner, corner + cells + 1, corner + cells + 2, corner + 1], axis=-1)
    ob = add_object("Cloth", points.reshape(-1, 3), faces.reshape(-1, 4), (1.8, 0.25, 2.05))
    ob.vertex_groups.new(name="Pins").add([0, cells], 1.0, "REPLACE")
    demo_look.smooth(ob, subdivisions=1, thickness=0.008)
    simulate_as(ob, "CLOTH", pin_group="Pins")
    return ob


def add_ball():
    """A ball that is animated: it flies through the cloth and stops behind it."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=0.26)
    ob = bpy.context.object
    ob.name = "Ball"
    for frame, y, z in ((1, -1.1, 0.9), (10, -1.1, 0.9), (28, 0.7, 1.2), (48, 0.25, 1.1)):
        ob.location = (1.8, y, z)
        ob.keyframe_insert("location", frame=frame)
    demo_look.smooth(ob)
    simulate_as(ob, "COLLIDER")
    return ob


def add_obstacles():
    """The floor, a step under Suzanne and a ramp under the ring; they do not move."""
    x, y, z = 1.0, 1.0, 1.0
    box = [(i * x, j * y, k * z) for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)]
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    floor = add_object("Floor", np.multiply(box, (6.0, 6.0, 0.5)), sides, (0.0, 0.0, -0.5))
    step = add_object("Step", np.multiply(box, (0.55, 0.5, 0.12)), sides, (-1.45, 0.35, 0.12))
    ramp = add_object("Ramp", np.multiply(box, (0.5, 0.7, 0.5)), sides, (0.3, 0.6, -0.15))
    ramp.rotation_euler = (0.35, 0.0, 0.0)
    for ob in (floor, step, ramp):
        simulate_as(ob, "COLLIDER")
    return floor, step, ramp


def build_scene():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    settings = scene.vbd
    settings.frame_start, settings.frame_end = 1, LAST_FRAME
    settings.friction = 0.7
    settings.substeps, settings.iterations, settings.tolerance = 4, 40, 0.01
    demo_look.color(add_suzanne(), (0.85, 0.30, 0.07), roughness=0.35)
    demo_look.color(add_ring(), (0.05, 0.42, 0.45), roughness=0.25)
    demo_look.color(add_cloth(), (0.62, 0.06, 0.10), roughness=0.8, stripes=(0.9, 0.82, 0.7))
    demo_look.color(add_ball(), (0.75, 0.75, 0.78), roughness=0.2, metallic=1.0)
    floor, step, ramp = add_obstacles()
    demo_look.color(floor, (0.36, 0.34, 0.32), roughness=0.7)
    demo_look.color(step, (0.20, 0.25, 0.36), roughness=0.5)
    demo_look.color(ramp, (0.20, 0.25, 0.36), roughness=0.5)
    demo_look.light_and_camera(scene)


def main():
    started = time.perf_counter()
    BUILD.mkdir(exist_ok=True)
    vbd.register()
    build_scene()
    bpy.ops.vbd.bake()
    baked = time.perf_counter()
    bpy.ops.wm.save_as_mainfile(filepath=str(BUILD / "demo.blend"), compress=True)
    demo_look.render_strip(bpy.context.scene, SHOWN_FRAMES, BUILD / "demo.png")
    rendered = time.perf_counter()
    pace = (baked - started) / (LAST_FRAME - 1)
    print(f"baked in {baked - started:.0f} s, {pace:.2f} s per frame with loading and compiling")
    print(f"rendered in {rendered - baked:.0f} s")
    print(f"see {BUILD / 'demo.png'} and {BUILD / 'demo.blend'}")
    vbd.unregister()


if __name__ == "__main__":
    main()
