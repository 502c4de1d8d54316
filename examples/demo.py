# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo: builds a scene, bakes it without a window, saves the .blend and renders it.

A cloth falls over a plinth, Suzanne and a ring fall onto it, balls roll off, a rope swings down
over a bar, and a rigid crate lands on its corner and tumbles. Run `make demo`, or
`python examples/demo.py` where `vbd` and bpy are installed; `--motion` renders all frames to an
animated picture as well.
"""

import argparse
import time

import bpy
import demo_look
import numpy as np
from mathutils import Vector
from scene_objects import BUILD, simulate_as

import vbd
from vbd.addon.values.presets import apply_shipped_material

LAST_FRAME = 60
SHOWN_FRAME = 29
COLORS = {
    "Cloth": (0.02, 0.13, 0.20),
    "Suzanne": (0.90, 0.28, 0.05),
    "Ring": (0.75, 0.05, 0.16),
    "Rope": (0.62, 0.45, 0.24),
}
BALLS = ((0.95, 0.62, 0.10), (0.15, 0.55, 0.42), (0.86, 0.80, 0.72))


def named(name):
    """The active object, with a name."""
    ob = bpy.context.object
    ob.name = name
    return ob


def add_plinth():
    bpy.ops.mesh.primitive_cylinder_add(vertices=96, radius=0.62, depth=0.9, location=(0, 0, 0.45))
    plinth = named("Plinth")
    bevel = plinth.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.03, 4
    demo_look.color(plinth, (0.55, 0.52, 0.48), roughness=0.6)
    simulate_as(plinth, "COLLIDER")


def add_bar():
    """A bar beside the plinth, for the rope to fall over."""
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=48, radius=0.05, depth=1.2, location=(-1.25, 0.1, 1.25), rotation=(np.pi / 2, 0, 0)
    )
    bar = named("Bar")
    bar.data.shade_smooth()
    demo_look.color(bar, (0.75, 0.75, 0.78), roughness=0.25, metallic=1.0)
    simulate_as(bar, "COLLIDER")


def add_floor():
    bpy.ops.mesh.primitive_plane_add(size=16.0)
    floor = named("Floor")
    demo_look.color(floor, (0.46, 0.40, 0.34), roughness=0.75)
    simulate_as(floor, "COLLIDER")


def add_cloth(faces=44, width=2.3):
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=faces, y_subdivisions=faces, size=width, location=(0.0, 0.0, 0.96)
    )
    cloth = named("Cloth")
    cloth.rotation_euler.z = 0.35
    demo_look.smooth(cloth, subdivisions=1, thickness=0.006)
    demo_look.color(cloth, COLORS["Cloth"], roughness=0.45, sheen=0.6)
    simulate_as(cloth, "CLOTH")
    apply_shipped_material(bpy.context, cloth, "Cotton")


def add_suzanne():
    bpy.ops.mesh.primitive_monkey_add(size=0.72, location=(-0.1, 0.02, 1.48))
    suzanne = named("Suzanne")
    suzanne.rotation_euler = (-0.35, 0.0, 0.3)
    demo_look.smooth(suzanne, subdivisions=2)
    demo_look.color(suzanne, COLORS["Suzanne"], roughness=0.3, subsurface=0.1)
    simulate_as(suzanne, "SOFT", youngs_modulus=4e4, density=400.0)


def add_ring():
    bpy.ops.mesh.primitive_torus_add(
        major_radius=0.24,
        minor_radius=0.09,
        major_segments=48,
        minor_segments=20,
        location=(0.86, -0.34, 1.55),
        rotation=(1.0, 0.35, 0.3),
    )
    ring = named("Ring")
    demo_look.smooth(ring, subdivisions=1)
    demo_look.color(ring, COLORS["Ring"], roughness=0.15, subsurface=0.15)
    simulate_as(ring, "SOFT", youngs_modulus=2.5e4)


def add_balls():
    places = (0.38, -0.36, 1.3), (0.45, 0.3, 2.2), (-0.42, -0.38, 2.0)
    for number, (place, base) in enumerate(zip(places, BALLS, strict=True), 1):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.13, location=place)
        ball = named(f"Ball {number}")
        ball.data.shade_smooth()
        demo_look.color(ball, base, roughness=0.25)
        simulate_as(ball, "SOFT", youngs_modulus=3e4, density=300.0)


def add_rope(points=60):
    """A rope that is held at one end above the bar and lets the other one fall over it."""
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.018, 4
    spline = curve.splines.new("POLY")
    spline.points.add(points - 1)
    top, end = Vector((-0.75, 0.0, 2.05)), Vector((-2.35, 0.0, 1.75))
    for point, fraction in zip(spline.points, np.linspace(0.0, 1.0, points), strict=True):
        point.co = (*top.lerp(end, fraction), 1.0)
    rope = bpy.data.objects.new("Rope", curve)
    bpy.context.collection.objects.link(rope)
    demo_look.color(rope, COLORS["Rope"], roughness=0.85)
    simulate_as(rope, "ROD", pin_start=True)
    apply_shipped_material(bpy.context, rope, "Rope")


def add_crate(side=0.34):
    """A wooden crate, rigid, which falls on a corner."""
    bpy.ops.mesh.primitive_cube_add(size=side, location=(-1.58, -0.35, 1.3))
    crate = named("Crate")
    crate.rotation_euler = (0.75, 0.45, 0.35)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.inset(use_individual=True, thickness=0.13 * side, depth=-0.05 * side)
    bpy.ops.object.mode_set(mode="OBJECT")
    demo_look.color(crate, (0.45, 0.25, 0.10), roughness=0.7)
    simulate_as(crate, "RIGID")
    apply_shipped_material(bpy.context, crate, "Wood")


def build_scene():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    scene.vbd.frame_start, scene.vbd.frame_end = 1, LAST_FRAME
    scene.vbd.substeps, scene.vbd.iterations = 6, 40
    for add in (
        add_floor,
        add_plinth,
        add_bar,
        add_cloth,
        add_suzanne,
        add_ring,
        add_balls,
        add_rope,
        add_crate,
    ):
        add()
    demo_look.light_and_camera(scene, place=(0.55, -4.7, 1.95), at=(-0.12, 0.0, 0.86))
    return scene


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--motion", action="store_true", help="render all frames as well")
    given = parser.parse_args(arguments)
    started = time.perf_counter()
    BUILD.mkdir(exist_ok=True)
    vbd.register()
    scene = build_scene()
    bpy.ops.vbd.bake()
    baked = time.perf_counter()
    bpy.ops.wm.save_as_mainfile(filepath=str(BUILD / "demo.blend"), compress=True)
    demo_look.render_still(scene, SHOWN_FRAME, BUILD / "demo.png")
    if given.motion:
        demo_look.render_motion(scene, range(1, LAST_FRAME + 1), BUILD / "demo.webp")
    per_frame = (baked - started) / (LAST_FRAME - 1)
    print(f"baked in {baked - started:.0f} s, {per_frame:.2f} s per frame with compiling")
    print(f"rendered in {time.perf_counter() - baked:.0f} s")
    print(f"see {BUILD / 'demo.png'} and {BUILD / 'demo.blend'}")
    vbd.unregister()


if __name__ == "__main__":
    main()
