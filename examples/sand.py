# SPDX-License-Identifier: GPL-3.0-or-later
"""Nine thousand grains are poured over a soft ball in a bowl.

    python examples/sand.py [grains.jpg]

Bakes 32 frames, which takes some minutes, and renders docs/grains.jpg where bpy is installed.
"""

import sys
import time
from pathlib import Path

import bpy
import demo_look

import vbd

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "grains.jpg"
BOWL, BALL, RADIUS = 0.55, 0.29, 0.012
FRAMES, SHOWN = 33, (5, 11, 33)


def build(radius=RADIUS):
    """The scene, ready to bake; returns the object of grains."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_end = FRAMES
    bowl = _bowl()
    bpy.ops.vbd.add(role="COLLIDER")
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=BALL)
    ball = bpy.context.object
    ball.name, ball.location.z = "Ball", BALL + 0.01
    bpy.ops.vbd.add(role="SOFT")
    ball.vbd.youngs_modulus, ball.vbd.density, ball.vbd.damping = 1e5, 500.0, 0.01
    bpy.ops.mesh.primitive_cylinder_add(radius=0.24, depth=0.6, location=(0.0, 0.0, 0.95))
    bpy.context.object.name = "Sand"
    bpy.ops.vbd.add(role="GRAINS")
    sand = bpy.context.object
    sand.vbd.grain_radius = radius
    bpy.ops.vbd.fill_again()
    for ob, color in ((bowl, (0.16, 0.24, 0.30)), (ball, (0.70, 0.08, 0.06))):
        demo_look.smooth(ob)
        demo_look.color(ob, color, roughness=0.35)
    demo_look.color(sand, (0.72, 0.50, 0.24), roughness=0.8)
    sand.modifiers["VBD Grains"].node_group.nodes["Material"].inputs[
        "Material"
    ].default_value = sand.active_material
    scene.vbd.substeps, scene.vbd.iterations, scene.vbd.frame_end = 8, 12, FRAMES
    return sand


def _bowl():
    """The lower half of a sphere, standing on the origin."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=32, radius=BOWL)
    bowl = bpy.context.object
    bowl.name, bowl.location.z = "Bowl", BOWL
    upper = [v.index for v in bowl.data.vertices if v.co.z > 0.01 * BOWL]
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for index in upper:
        bowl.data.vertices[index].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.delete(type="VERT")
    bpy.ops.object.mode_set(mode="OBJECT")
    return bowl


def main(path=PICTURE):
    sand = build()
    print(f"{len(sand.data.vertices)} grains", flush=True)
    began = time.monotonic()
    bpy.ops.vbd.bake()
    print(f"baked {FRAMES - 1} frames in {time.monotonic() - began:.0f} s", flush=True)
    bpy.data.objects["Bowl"].modifiers.new("Thickness", "SOLIDIFY").thickness = 0.02
    bpy.ops.mesh.primitive_plane_add(size=20.0, location=(0.0, 0.0, -0.03))
    demo_look.color(bpy.context.object, (0.30, 0.29, 0.28), roughness=0.7)
    scene = bpy.context.scene
    demo_look.light_and_camera(scene, (0.0, -2.5, 1.7), (0.0, 0.0, 0.52))
    demo_look.render_strip(scene, SHOWN, path)


if __name__ == "__main__":
    vbd.register()
    main(*sys.argv[1:])
