# SPDX-License-Identifier: GPL-3.0-or-later
"""A biceps lifts a forearm with a weight, and lets it down.

The muscle is a soft body whose fibers run along a curve. It is pinned at the shoulder, stiff as a
tendon towards both ends, and attached to the forearm, a stiff soft body that hangs in a hinge at
the elbow by an attachment. Keyframes on Activation do the rest. Run `python examples/biceps.py`
where `vbd` and bpy are installed: it bakes, saves the .blend, renders a strip of frames and prints
angle and volume.
"""

import bpy
import demo_look
import numpy as np
from scene_objects import BUILD, add_object, simulate_as

import vbd

SHOULDER = np.array([0.042, 0.0, 0.27])  # the elbow is the origin [m]
START = np.radians(-40.0)
ALONG, UP = (
    np.array([np.cos(START), 0.0, np.sin(START)]),
    np.array([-np.sin(START), 0.0, np.cos(START)]),
)
BONE, LENGTH, BALL = 0.018, 0.26, 0.045  # radii and length of the forearm [m]
INSERTION = 0.05 * ALONG + BONE * UP
# Radii of the muscle [m], and the fractions of its length that are tendons.
THICK, THIN, TENDON = 0.033, 0.009, 0.2
ACTIVE = 0.6
KEYS = ((1, 0.0), (24, 0.0), (36, ACTIVE), (60, ACTIVE), (72, 0.0))
LAST, SHOWN = 96, (24, 34, 60, 96)


def lathe(radius, start, end, rings, around=16):
    """A closed surface of revolution from start to end; its `radius` is a function of 0 to 1."""
    axis = (end - start) / np.linalg.norm(end - start)
    side = np.cross(axis, [0.0, 1.0, 0.0])
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    circle = np.outer(np.cos(angle), side) + np.outer(np.sin(angle), [0.0, 1.0, 0.0])
    share = np.linspace(0.0, 1.0, rings)
    middle = start + share[:, None] * (end - start)
    points = (middle[:, None] + radius(share)[:, None, None] * circle).reshape(-1, 3)
    k, j = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    here, there = around * k + j, around * k + (j + 1) % around
    faces = np.stack([here, there, there + around, here + around], axis=-1).reshape(-1, 4)
    caps = [np.arange(around)[::-1], around * (rings - 1) + np.arange(around)]
    return points, [*faces.tolist(), *(cap.tolist() for cap in caps)], np.repeat(share, around)


def group(ob, name, weights):
    made = ob.vertex_groups.new(name=name)
    for vertex in np.flatnonzero(weights):
        made.add([int(vertex)], float(weights[vertex]), "REPLACE")
    return name


def paint(ob, what, vertex_group, value):
    """Let a property of the material go from `value` outside of a group to the object's own."""
    bpy.ops.vbd.add_painted()
    row = ob.vbd.painted[-1]
    row.what, row.vertex_group, row.value = what, vertex_group, value


def attach(ob, target, vertex_group, stiffness):
    item = ob.vbd.attachments.add()
    item.target, item.vertex_group, item.stiffness = target, vertex_group, stiffness
    item.name = target.name


def add_forearm():
    """A bone with a ball in its hand, in a hinge at the elbow."""

    def radius(share):
        x = share * (LENGTH + BALL)
        ball = np.sqrt(np.maximum(BALL**2 - (x - LENGTH) ** 2, 1e-6))
        return np.where(x > LENGTH - 0.9 * BALL, np.maximum(ball, 0.004), BONE)

    start = -0.012 * ALONG
    ob = add_object("Forearm", *lathe(radius, start, (LENGTH + BALL) * ALONG, 40)[:2])
    simulate_as(ob, "SOFT", youngs_modulus_kpa=5e4, density=1500.0, resolution=20, damping=0.01)
    points = np.array([vertex.co for vertex in ob.data.vertices])
    # Two points on the axis of the hinge, which leave one way to turn.
    ends = [np.argmin(np.linalg.norm(points - [0.0, y, 0.0], axis=1)) for y in (-BONE, BONE)]
    elbow = bpy.data.objects.new("Elbow", None)
    bpy.context.collection.objects.link(elbow)
    elbow.empty_display_size = 0.03
    attach(ob, elbow, group(ob, "Hinge", np.isin(np.arange(len(points)), ends)), 1e5)
    return ob


def add_biceps(forearm, resolution):
    """The muscle, its fibers and its keyframes."""

    def radius(share):
        return THIN + (THICK - THIN) * np.sin(np.pi * share) ** 2

    points, faces, share = lathe(radius, SHOULDER, INSERTION, 48)
    ob = add_object("Biceps", points, faces)
    soft = {"youngs_modulus_kpa": 30.0, "poisson_ratio": 0.49, "density": 1050.0, "damping": 0.02}
    muscle = {"fiber_stiffness_kpa": 500.0, "active_stress_kpa": 300.0}
    simulate_as(ob, "SOFT", resolution=resolution, **soft, **muscle)
    line = bpy.data.curves.new("Fibers", "CURVE")
    line.dimensions = "3D"
    spline = line.splines.new("POLY")
    spline.points.add(1)
    for point, place in zip(spline.points, (SHOULDER, INSERTION), strict=True):
        point.co = (*place, 1.0)
    ob.vbd.fibers_along = bpy.data.objects.new("Fibers", line)
    bpy.context.collection.objects.link(ob.vbd.fibers_along)
    belly = group(ob, "Belly", np.clip(np.minimum(share, 1.0 - share) / TENDON - 0.3, 0.0, 1.0))
    paint(ob, "youngs_modulus", belly, 2e6)
    paint(ob, "active_stress", belly, 0.0)
    ob.vbd.pin_group = group(ob, "Origin", share < 0.05)
    attach(ob, forearm, group(ob, "Insertion", share > 0.95), 1e5)
    # Its tendon goes into the bone.
    ob.vbd.collision_collection = bpy.data.collections.new("Nothing")
    for frame, value in KEYS:
        ob.vbd.activation = value
        ob.keyframe_insert("vbd.activation", frame=frame)
    return ob


def build(resolution=24):
    """An empty file with the scene, ready to bake; returns the forearm and the muscle."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.vbd.frame_start, scene.vbd.frame_end, scene.frame_end = 1, LAST, LAST
    scene.vbd.iterations = 40
    forearm = add_forearm()
    return forearm, add_biceps(forearm, resolution)


def shown(ob, frame):
    """Points of an object in a frame, [vertex, 3]."""
    bpy.context.scene.frame_set(frame)
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    return points.astype(float)


def angle(forearm, frame):
    """Degrees by which the forearm is above the horizontal, from the elbow to the ball."""
    points = shown(forearm, frame)
    x, _, z = points[len(points) * 3 // 4 :].mean(axis=0)
    return np.degrees(np.arctan2(z, x))


def volume(ob, frame):
    """Volume of a closed mesh [m³]."""
    ob.data.calc_loop_triangles()
    corners = np.array([t.vertices for t in ob.data.loop_triangles])
    a, b, c = np.moveaxis(shown(ob, frame)[corners], 1, 0)
    return (a * np.cross(b, c)).sum() / 6.0


def add_humerus():
    """A bone from the elbow to the shoulder, for the picture."""

    def radius(share):
        return 0.015 + 0.012 * np.abs(2.0 * share - 1.0) ** 4

    start, end = np.array([-0.012, 0.0, -0.014]), np.array([-0.012, 0.0, 0.31])
    return add_object("Humerus", *lathe(radius, start, end, 32)[:2])


def main():
    vbd.register()
    BUILD.mkdir(exist_ok=True)
    forearm, biceps = build()
    scene = bpy.context.scene
    bpy.ops.vbd.bake(mode="NEW")
    for frame in SHOWN:
        change = volume(biceps, frame) / volume(biceps, 1) - 1.0
        print(f"frame {frame}: {angle(forearm, frame):.0f}°, volume {change:+.1%}")
    bone, flesh = (0.85, 0.8, 0.68), (0.5, 0.05, 0.04)
    for ob, base in ((forearm, bone), (add_humerus(), bone), (biceps, flesh)):
        demo_look.smooth(ob)
        demo_look.color(ob, base, roughness=0.45)
    demo_look.light_and_camera(scene, (0.4, -1.0, 0.2), (0.1, 0.0, 0.03))
    scene.camera.data.lens = 76.0
    bpy.ops.mesh.primitive_plane_add(size=8.0, location=(0.0, 0.8, 0.0), rotation=(1.57, 0.0, 0.0))
    demo_look.color(bpy.context.object, (0.12, 0.16, 0.2), roughness=0.9)
    for light in bpy.data.lights:
        light.energy *= 0.5
    demo_look.PICTURE_SIZE = (320, 400)
    bpy.ops.wm.save_as_mainfile(filepath=str(BUILD / "biceps.blend"))
    demo_look.render_strip(scene, SHOWN, BUILD / "biceps.png")
    vbd.unregister()


if __name__ == "__main__":
    main()
