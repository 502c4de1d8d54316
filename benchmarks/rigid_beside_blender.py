# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies baked here and by Blender's own (Bullet, ten steps a frame), in one run.

    python benchmarks/rigid_beside_blender.py [stack] [bowl] [wall] [--soft] [--picture FILE]

Prints for each scene and solver the median, the mean and the largest CPU time of a frame [ms] over
three seconds, and how still the bodies stand after them: the median and the largest speed of their
middles [mm/s]. Blender's times are those of the timeline without those of the same frames played
from its cache. Compilation and loading before the first frame are not counted. With --soft also
the same bodies as soft ones of one cell.
"""

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from math import tau
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

import vbd
from vbd.addon.gathering.gather import gather, prepared
from vbd.solver.bodies import RigidBody
from vbd.solver.simulate import simulate

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import demo_look

# Frames in three seconds, at Blender's default rate.
FRAMES = 72
FRICTION, DENSITY = 0.5, 1000.0
# The ball is this many times as heavy as a brick; keyframes throw it, by so much a frame [m].
RATIO, SPEED = 20.0, 0.5
# Frame of the picture, after the start.
SHOWN = 24
COLORS = (0.75, 0.32, 0.10), (0.10, 0.38, 0.50), (0.80, 0.62, 0.25)
# Frames in which the ball is thrown, before those that count. After three Bullet drops it.
BEFORE = 8
# Where the camera stands, and the point that it looks at [m].
VIEWS = {
    "stack": ((-7.0, -19.0, 8.0), (0.0, 0.0, 5.0)),
    "bowl": ((-2.5, -6.5, 7.0), (0.0, 0.0, 1.6)),
    "wall": ((-7.0, -13.0, 6.0), (0.0, 0.0, 2.2)),
}


def fresh():
    """An empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1 - BEFORE, 1 + FRAMES
    scene.vbd.frame_start, scene.vbd.frame_end = 1, 1 + FRAMES


def added(kind, place, turn=(0.0, 0.0, 0.0), scale=None, **options):
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(location=place, rotation=turn, **options)
    ob = bpy.context.object
    if scale:
        ob.scale = scale
        bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    return ob


def stack():
    """Ten boxes on the ground."""
    boxes = [added("cube", (0.0, 0.0, 0.505 + 1.005 * k), size=1.0) for k in range(10)]
    return boxes, added("plane", (0.0, 0.0, 0.0), size=20.0)


def bowl():
    """Twenty boxes, balls and cylinders fall into a bowl."""
    random, bodies = np.random.default_rng(1), []
    for k in range(20):
        layer, place = divmod(k, 4)
        angle = tau * (place + 0.5 * (layer % 2)) / 4.0
        at = 0.9 * np.cos(angle), 0.9 * np.sin(angle), 1.2 + 1.15 * layer
        turn = random.uniform(-3.0, 3.0, 3)
        if k % 3 == 0:
            bodies.append(added("cube", at, turn, size=0.7))
        elif k % 3 == 1:
            bodies.append(added("ico_sphere", at, turn, subdivisions=3, radius=0.4))
        else:
            bodies.append(added("cylinder", at, turn, vertices=24, radius=0.3, depth=0.9))
    return bodies, added_bowl(2.6)


def added_bowl(radius, rings=12, sides=32):
    """The lower half of a sphere, whose faces look inside."""
    latitude = np.linspace(0.0, tau / 4.0, rings + 1)[1:]
    around = tau * np.arange(sides) / sides
    rim = np.array(
        [[np.sin(a) * np.cos(b), np.sin(a) * np.sin(b)] for a in latitude for b in around]
    )
    height = -np.repeat(np.cos(latitude), sides)
    points = radius * np.vstack([[0.0, 0.0, -1.0], np.column_stack([rim, height])])
    points[:, 2] += radius
    faces = [(0, 1 + k, 1 + (k + 1) % sides) for k in range(sides)]
    for ring in range(rings - 1):
        low = 1 + ring * sides
        for k in range(sides):
            after = (k + 1) % sides
            faces.append((low + k, low + sides + k, low + sides + after, low + after))
    mesh = bpy.data.meshes.new("Bowl")
    mesh.from_pydata(points.tolist(), [], faces)
    ob = bpy.data.objects.new("Bowl", mesh)
    bpy.context.collection.objects.link(ob)
    return ob


def wall():
    """A hundred bricks in ten layers; a ball that keyframes throw hits them."""
    bodies = []
    for layer in range(10):
        for k in range(10):
            at = 0.0, 1.01 * (k - 4.5) + 0.5 * (layer % 2), 0.255 + 0.505 * layer
            bodies.append(added("cube", at, scale=(0.5, 1.0, 0.5), size=1.0))
    ball = added("uv_sphere", (-4.0, 0.0, 3.0), segments=32, ring_count=16, radius=0.8)
    for frame in (1 - BEFORE, 1):
        ball.location.x = -4.0 + SPEED * (frame - 1)
        ball.keyframe_insert("location", index=0, frame=frame)
    for curve in ball.animation_data.action.fcurves:
        curve.extrapolation = "LINEAR"  # Bullet keeps the speed of its last step
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    return [*bodies, ball], added("plane", (0.0, 0.0, 0.0), size=40.0)


SCENES = {"stack": stack, "bowl": bowl, "wall": wall}


def middles(bodies):
    """Middles of objects in the shown frame, [body, 3]; origins of the meshes are in them."""
    graph = bpy.context.evaluated_depsgraph_get()
    return np.array([ob.evaluated_get(graph).matrix_world.translation for ob in bodies])


def mass_of(ob, name):
    """The mass of a body [kg]."""
    if name == "wall" and ob.animation_data:
        return RATIO * DENSITY * 0.25
    evaluated = ob.data
    evaluated.calc_loop_triangles()
    points = np.array([v.co for v in evaluated.vertices])
    corners = points[[t.vertices[:] for t in evaluated.loop_triangles]]
    return DENSITY * abs(np.linalg.det(corners).sum()) / 6.0


def by_vbd(name, role="RIGID", picture=None):
    """Return the CPU time of every frame [s] and the middles of the bodies [frame][body, 3]."""
    fresh()
    bodies, ground = SCENES[name]()
    ground.vbd.role = "COLLIDER"
    bpy.context.scene.vbd.friction = FRICTION
    for ob in bodies:
        ob.vbd.role, ob.vbd.density = role, DENSITY
        if role == "SOFT":
            ob.vbd.resolution, ob.vbd.youngs_modulus = 1, 1e8
        ob.vbd.use_mass, ob.vbd.mass = True, mass_of(ob, name)
    objects = [ground, *bodies]
    with prepared(bpy.context.scene, objects):
        gathered = gather(bpy.context, objects)
    settings, seconds, found = replace(gathered.settings, threads=1), [], []
    frames = simulate(gathered.bodies, settings, gathered.frame_count)
    started = None
    for frame in frames:
        if started is not None:  # the first one compiles
            seconds.append(time.process_time() - started)
        found.append([np.asarray(points).mean(axis=0) for points in frame.exact_positions])
        if picture and frame.index == SHOWN:
            rigid = [body for body in gathered.bodies if isinstance(body, RigidBody)]
            for body, pose in zip(rigid, frame.poses, strict=True):
                place(bpy.data.objects[body.name], body.properties.center, *pose)
            render(picture, name)
        started = time.process_time()
    return seconds, np.array(found)


def place(ob, before, center, rotation):
    """Put an object, whose center of mass was `before` [m], where a pose of its body is."""
    ob.animation_data_clear()
    turn = Matrix(rotation.tolist()).to_4x4()
    world = Matrix.Translation(center) @ turn @ Matrix.Translation(-before)
    ob.matrix_world = world @ ob.matrix_world


def render(path, name):
    """Render the shown frame; Cycles needs no window."""
    scene = bpy.context.scene
    for number, ob in enumerate(scene.objects):
        tone = (0.5, 0.5, 0.5) if ob.name in {"Plane", "Bowl"} else COLORS[number % 3]
        demo_look.color(ob, tone)
    place, at = VIEWS[name]
    demo_look.light_and_camera(scene, place=place, at=at)
    demo_look.use_cycles(scene, demo_look.PICTURE_SIZE, demo_look.SAMPLES)
    scene.render.filepath = str(path)
    with demo_look.quiet():
        bpy.ops.render.render(write_still=True)


def by_blender(name, picture=None):
    """Return the same of Blender's own rigid bodies."""
    fresh()
    bodies, ground = SCENES[name]()
    scene = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    cache = world.point_cache
    cache.frame_start, cache.frame_end = scene.frame_start, scene.frame_end
    world.substeps_per_frame = 10
    for ob in [ground, *bodies]:
        bpy.context.view_layer.objects.active = ob
        bpy.ops.rigidbody.object_add(type="PASSIVE" if ob is ground else "ACTIVE")
        ob.rigid_body.friction = FRICTION
        if ob is ground:
            ob.rigid_body.collision_shape = "MESH"
            continue
        ob.rigid_body.mass = mass_of(ob, name)
        if ob.animation_data:
            for frame, is_led in ((1 - BEFORE, True), (1, True), (2, False)):
                ob.rigid_body.kinematic = is_led
                ob.rigid_body.keyframe_insert("kinematic", frame=frame)
    seconds, found = played(bodies)
    cached, _ = played(bodies)
    if picture:
        scene.frame_set(1 + SHOWN)
        render(picture, name)
    return [max(a - b, 0.0) for a, b in zip(seconds, cached, strict=True)], found


def played(bodies):
    """CPU time of every frame that counts [s], without the first, and the middles of bodies."""
    scene, seconds, found = bpy.context.scene, [], []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        started = time.process_time()
        scene.frame_set(frame)
        seconds.append(time.process_time() - started)
        found.append(middles(bodies))
    return seconds[2 + BEFORE :], np.array(found[1 + BEFORE :])


def tell(name, who, seconds, found):
    speeds = 1e3 * 24.0 * np.linalg.norm(found[-1] - found[-2], axis=1)
    median, mean, most = (1e3 * of(seconds) for of in (statistics.median, statistics.mean, max))
    print(
        f"{name:6}{who:10}median {median:8.2f} ms   mean {mean:8.2f} ms   most {most:8.2f} ms   "
        f"speed {np.median(speeds):8.3f} mm/s, at most {speeds.max():9.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--soft", action="store_true", help="the same as soft bodies, too")
    parser.add_argument("--picture", help="file for pictures of both, side by side")
    given = parser.parse_args()
    vbd.register()
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name in given.names or SCENES:
            files = (
                [Path(folder) / f"{name}{k}.png" for k in range(2)] if given.picture else [None] * 2
            )
            tell(name, "VBD", *by_vbd(name, picture=files[0]))
            tell(name, "Blender", *by_blender(name, files[1]))
            rows.append(files)
            if given.soft:
                tell(name, "one cell", *by_vbd(name, "SOFT"))
        if given.picture:
            side_by_side(rows, given.picture)


def side_by_side(rows, path):
    """Save pictures as one, a row for each scene."""
    from PIL import Image

    width, height = demo_look.PICTURE_SIZE
    whole = Image.new("RGB", (2 * width, len(rows) * height))
    for row, files in enumerate(rows):
        for column, file in enumerate(files):
            whole.paste(Image.open(file).convert("RGB"), (column * width, row * height))
    whole.save(path, quality=85)


if __name__ == "__main__":
    main()
