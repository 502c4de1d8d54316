# SPDX-License-Identifier: GPL-3.0-or-later
"""Three shots with an artist's setup: a cape in the wind, a weight on a rope, a curtain.

Builds each scene as clicks in the panels would, bakes it without a window, saves the .blend and
renders a strip of frames. Run `python examples/artists.py` where `vbd` and bpy are installed, with
the names of scenes (cape, rope, curtain) for some of them.
"""

import math
import sys
import time

import bpy
import demo_look
import numpy as np
from mathutils import Quaternion, Vector
from scene_objects import BUILD, add_object, simulate_as

import vbd
from vbd.addon.values.presets import apply_shipped_material

# Bones of the walker: parent, head, tail [m] and the thickness of the limb.
BONES = {
    "hips": (None, (0.0, 0.0, 1.00), (0.0, 0.0, 1.12), 0.15),
    "chest": ("hips", (0.0, 0.0, 1.12), (0.0, 0.0, 1.42), 0.16),
    "head": ("chest", (0.0, 0.0, 1.62), (0.0, 0.0, 1.74), 0.11),
    "arm.L": ("chest", (0.24, 0.0, 1.44), (0.27, 0.0, 1.16), 0.055),
    "hand.L": ("arm.L", (0.27, 0.0, 1.16), (0.27, -0.03, 0.88), 0.045),
    "leg.L": ("hips", (0.10, 0.0, 0.95), (0.10, 0.0, 0.52), 0.085),
    "foot.L": ("leg.L", (0.10, 0.0, 0.52), (0.10, 0.0, 0.065), 0.065),
}
STEP = 24  # frames of two steps
SPEED = 1.3 / 24.0  # of the walk [m per frame]
# Amplitude of the swing of bones [rad], its phase in the walk, and the angle that it is about.
SWINGS = {
    "leg.L": (0.42, 0.0, 0.0),
    "foot.L": (0.30, 2.1, -0.32),
    "arm.L": (-0.40, 0.0, 0.0),
    "hand.L": (-0.15, 0.0, 0.30),
    "chest": (0.03, 1.0, -0.05),
}


def mirrored(name):
    return name[:-1] + "R" if name.endswith(".L") else name


def both_sides(bones):
    """The bones of both sides, from those of the left."""
    found = {}
    for name, (parent, head, tail, thickness) in bones.items():
        found[name] = (parent, Vector(head), Vector(tail), thickness)
        if name.endswith(".L"):
            flip = Vector((-1.0, 1.0, 1.0))
            found[mirrored(name)] = (
                parent and mirrored(parent),
                Vector(head) * flip,
                Vector(tail) * flip,
                thickness,
            )
    return found


def capsule(head, tail, radius, around=16, along=6):
    """Points and faces of a capsule, closed."""
    axis = (tail - head).normalized()
    side = axis.orthogonal().normalized()
    other = axis.cross(side)
    angles = [math.pi * (0.5 * i / along - 0.5) for i in range(1, 2 * along)]
    points = [head - radius * axis]
    for angle in angles:
        middle = tail if angle > 0.0 else head
        for i in range(around):
            turn = 2.0 * math.pi * i / around
            out = math.cos(angle) * (math.cos(turn) * side + math.sin(turn) * other)
            points.append(middle + radius * (out + math.sin(angle) * axis))
    points.append(tail + radius * axis)
    last, faces = len(points) - 1, []
    for i in range(around):
        j = (i + 1) % around
        faces.append((0, 1 + j, 1 + i))
        for ring in range(len(angles) - 1):
            a, b = 1 + ring * around, 1 + (ring + 1) * around
            faces.append((a + i, a + j, b + j, b + i))
        a = 1 + (len(angles) - 1) * around
        faces.append((a + i, a + j, last))
    return points, faces


def add_walker(last_frame):
    """A mannequin of capsules on an armature, which walks towards -Y."""
    bones = both_sides(BONES)
    armature = bpy.data.armatures.new("Skeleton")
    rig = bpy.data.objects.new("Skeleton", armature)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail, _) in bones.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        if parent:
            bone.parent = armature.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    body = add_limbs(bones)
    follow(body, rig)
    walk(rig, last_frame)
    rig.display_type = "WIRE"
    return rig, body


def add_limbs(bones):
    points, faces, groups = [], [], {}
    shoulders = ("chest", Vector((-0.17, 0.0, 1.45)), Vector((0.17, 0.0, 1.45)), 0.075)
    neck = ("head", Vector((0.0, 0.0, 1.46)), Vector((0.0, 0.0, 1.62)), 0.05)
    limbs = [(name, head, tail, size) for name, (_, head, tail, size) in bones.items()]
    for name, head, tail, size in (*limbs, shoulders, neck):
        first = len(points)
        more, corners = capsule(head, tail, size)
        points += more
        faces += [tuple(first + corner for corner in face) for face in corners]
        groups.setdefault(name, []).extend(range(first, len(points)))
    body = add_object("Walker", points, faces)
    for name, vertices in groups.items():
        body.vertex_groups.new(name=name).add(vertices, 1.0, "REPLACE")
    return body


def follow(ob, rig):
    ob.parent = rig
    ob.modifiers.new("Skeleton", "ARMATURE").object = rig


def walk(rig, last_frame):
    """Keyframes of the bones and of the path."""
    for frame in range(-1, last_frame + 1, 2):
        # It accelerates in the first second, so that the cape does not start in a gale.
        pace = min(max(frame - 1.0, 0.0) / STEP, 1.0)
        phase = 2.0 * np.pi * frame / STEP
        way = SPEED * (0.5 * pace * max(frame - 1, 0) if pace < 1.0 else frame - 1 - 0.5 * STEP)
        rig.location = (0.0, -way, pace * (0.02 * np.cos(2.0 * phase) - 0.035))
        rig.keyframe_insert("location", frame=frame)
        for name, (swing, delay, middle) in SWINGS.items():
            for bone, half in {(name, 0.0), (mirrored(name), np.pi)}:
                angle = pace * (swing * np.sin(phase - delay + half) + middle)
                pose_bone(rig, bone, angle, frame)


def pose_bone(rig, name, angle, frame):
    """Turn a bone about the X axis of its rig, and key it."""
    bone = rig.pose.bones[name]
    rest = bone.bone.matrix_local.to_quaternion()
    bone.rotation_quaternion = rest.inverted() @ Quaternion((1.0, 0.0, 0.0), angle) @ rest
    bone.keyframe_insert("rotation_quaternion", frame=frame)


def grid_faces(columns, rows):
    """Quads of a grid of points, row by row."""
    corner = np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)
    faces = np.stack([corner, corner + columns, corner + columns + 1, corner + 1], axis=-1)
    return faces.reshape(-1, 4)


def add_cape(rig, columns=23, rows=27, length=1.05):
    """A cape that lies around the shoulders and hangs down the back, wider below."""
    across, down = np.meshgrid(np.linspace(-1.0, 1.0, columns), np.linspace(0.0, 1.0, rows))
    angle = across * np.interp(down, (0.0, 0.15, 1.0), (2.0, 1.75, 1.35))
    wide = np.interp(down, (0.0, 0.08, 0.16, 1.0), (0.12, 0.23, 0.29, 0.42))
    deep = np.interp(down, (0.0, 0.08, 0.16, 1.0), (0.10, 0.11, 0.20, 0.34))
    high = np.interp(down, (0.0, 0.08, 0.16, 1.0), (1.56, 1.545, 1.48, 1.53 - length))
    points = np.stack([wide * np.sin(angle), deep * np.cos(angle), high], axis=-1)
    cape = add_object("Cape", points.reshape(-1, 3), grid_faces(columns, rows))
    cape.vertex_groups.new(name="chest").add(range(columns * rows), 1.0, "REPLACE")
    cape.vertex_groups.new(name="Pins").add(range(columns), 1.0, "REPLACE")
    follow(cape, rig)
    return cape


def add_field(kind, location, rotation=(0.0, 0.0, 0.0), **values):
    bpy.ops.object.effector_add(type=kind, location=location, rotation=rotation)
    for name, value in {"seed": 1, **values}.items():  # Blender's own seed is another every time
        setattr(bpy.context.object.field, name, value)


def cape_scene(scene):
    last = scene.frame_end
    rig, body = add_walker(last)
    cape = add_cape(rig)
    demo_look.smooth(body)
    demo_look.smooth(cape, subdivisions=1, thickness=0.006)
    demo_look.color(body, (0.55, 0.5, 0.45), roughness=0.5)
    demo_look.color(cape, (0.55, 0.03, 0.05), roughness=0.8)
    # Wind blows at him from the front, a little from the side, along Z of the field.
    add_field("WIND", (0.4, -4.0, 1.2), (-1.45, 0.0, 0.25), strength=250.0, noise=250.0)
    add_field("TURBULENCE", (0.0, 0.0, 1.0), strength=20.0, size=0.6)
    simulate_as(body, "COLLIDER")
    simulate_as(cape, "CLOTH", pin_group="Pins", density=0.25)  # a heavy cotton
    add_floor()
    aim(scene, (2.9, 1.7, 1.6), (0.0, 0.25, 0.95))
    scene.camera.parent = rig  # and moves with him
    scene.frame_set(1)


def add_rope(top, end, points=24):
    """A poly curve from `top` to `end`, with a bevel to look at."""
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", 0.02, 3
    spline = curve.splines.new("POLY")
    spline.points.add(points - 1)
    for point, part in zip(spline.points, np.linspace(0.0, 1.0, points), strict=True):
        point.co = (*Vector(top).lerp(Vector(end), part), 1.0)
    rope = bpy.data.objects.new("Rope", curve)
    bpy.context.collection.objects.link(rope)
    return rope


def rope_scene(scene):
    top, end = Vector((0.0, 0.0, 2.5)), Vector((-1.45, 0.0, 1.55))
    rope = add_rope(top, end)
    along = (end - top).normalized()
    bpy.ops.mesh.primitive_uv_sphere_add(
        segments=24, ring_count=16, radius=0.22, location=end + 0.24 * along
    )
    weight = bpy.context.object
    weight.name = "Weight"
    demo_look.smooth(weight)
    demo_look.color(weight, (0.05, 0.05, 0.06), roughness=0.3, metallic=1.0)
    demo_look.color(rope, (0.55, 0.4, 0.2), roughness=0.9)
    simulate_as(add_floor(), "COLLIDER")
    for level in range(3):
        bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0.35, 0.0, 0.205 + 0.41 * level))
        block = bpy.context.object
        block.name = f"Block {level + 1}"
        demo_look.color(block, ((0.8, 0.5, 0.05), (0.1, 0.4, 0.5), (0.7, 0.15, 0.1))[level], 0.35)
        simulate_as(block, "SOFT", resolution=4, youngs_modulus=5e4)
        block.vbd.density = 80.0
    simulate_as(rope, "ROD", pin_start=True)
    apply_shipped_material(bpy.context, rope, "Rope")
    simulate_as(weight, "SOFT", resolution=6, youngs_modulus=2e6, density=400.0)
    # Many vertices share the pull; a single one would draw a spike out of the weight.
    near = [v.index for v in weight.data.vertices if (end - weight.location - v.co).length < 0.14]
    weight.vertex_groups.new(name="Top").add(near, 1.0, "REPLACE")
    rope.select_set(True)  # the other selected object becomes the target
    bpy.ops.vbd.add_attachment()
    weight.vbd.attachments[0].vertex_group = "Top"
    weight.vbd.attachments[0].stiffness = 1e5
    scene.vbd.iterations = 60
    aim(scene, (0.2, -5.4, 1.9), (0.0, 0.0, 1.15))


def add_curtain(columns=49, rows=29, width=2.4, height=1.9):
    """A curtain that hangs in folds from its rings."""
    x, z = np.meshgrid(np.linspace(-0.5, 0.5, columns), np.linspace(0.0, -1.0, rows))
    y = 0.07 * np.cos(2.0 * np.pi * 8.0 * x)
    points = np.stack([0.8 * width * x, y, height * z], axis=-1)
    curtain = add_object(
        "Curtain", points.reshape(-1, 3), grid_faces(columns, rows), (0.0, 0.0, 2.05)
    )
    curtain.vertex_groups.new(name="Pins").add(range(0, columns, 3), 1.0, "REPLACE")
    return curtain


def curtain_scene(scene):
    curtain = add_curtain()
    demo_look.smooth(curtain, subdivisions=1)
    demo_look.color(curtain, (0.05, 0.2, 0.4), roughness=0.7)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=0.28)
    ball = bpy.context.object
    ball.name = "Ball"
    last = scene.frame_end
    for frame, place in ((1, (-1.9, -0.2, 0.9)), (8, (-1.9, -0.2, 0.9)), (last, (1.7, 0.2, 0.8))):
        ball.location = place
        ball.keyframe_insert("location", frame=frame)
    demo_look.smooth(ball)
    demo_look.color(ball, (0.75, 0.35, 0.05), roughness=0.3)
    bpy.ops.mesh.primitive_cylinder_add(
        radius=0.02, depth=2.5, location=(0.0, 0.0, 2.09), rotation=(0.0, 0.5 * np.pi, 0.0)
    )
    demo_look.color(bpy.context.object, (0.6, 0.5, 0.3), roughness=0.3, metallic=1.0)
    simulate_as(curtain, "CLOTH", pin_group="Pins")
    simulate_as(ball, "COLLIDER")
    add_floor()
    scene.frame_set(1)
    aim(scene, (-1.2, -4.9, 1.7), (0.0, 0.0, 1.0))


def add_floor():
    bpy.ops.mesh.primitive_plane_add(size=16.0)
    floor = bpy.context.object
    floor.name = "Floor"
    demo_look.color(floor, (0.36, 0.34, 0.32), roughness=0.7)
    return floor


def aim(scene, place, at):
    """Put the camera at a place and look at another."""
    demo_look.light_and_camera(scene)
    camera = scene.camera
    camera.location = place
    camera.rotation_euler = (Vector(at) - camera.location).to_track_quat("-Z", "Y").to_euler()


# Function that builds each scene, its last frame and the frames that are shown.
SCENES = {
    "cape": (cape_scene, 72, (1, 26, 49, 72)),
    "rope": (rope_scene, 60, (1, 12, 20, 40)),
    "curtain": (curtain_scene, 72, (1, 30, 48, 72)),
}


def build(name):
    """The scene of that name, ready to bake."""
    build_scene, last, _ = SCENES[name]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_end = scene.vbd.frame_end = last
    build_scene(scene)
    return scene


def main(names):
    BUILD.mkdir(exist_ok=True)
    vbd.register()
    for name in names or SCENES:
        started = time.perf_counter()
        scene = build(name)
        bpy.ops.vbd.bake()
        bpy.ops.wm.save_as_mainfile(filepath=str(BUILD / f"{name}.blend"), compress=True)
        print(f"baked {name} in {time.perf_counter() - started:.0f} s", flush=True)
        demo_look.render_strip(scene, SCENES[name][2], BUILD / f"{name}.png")
        print(f"see {BUILD / name}.png and {name}.blend")
    vbd.unregister()


if __name__ == "__main__":
    main(sys.argv[1:])
