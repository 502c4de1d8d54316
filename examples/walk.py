# SPDX-License-Identifier: GPL-3.0-or-later
"""A heavy figure walks, and Soft Flesh on Rig makes its belly and thighs lag and settle.

Builds the figure and its rig, presses the button, bakes without a window, saves the .blend and
renders a picture and a short animation. Run `python examples/walk.py` where `vbd` and bpy are
installed.
"""

import math

import bpy
import demo_look
import numpy as np
from mathutils import Matrix
from scene_objects import BUILD

import vbd

# Bones: parent, head and tail [m]; those with a side are mirrored.
BONES = {
    "hips": (None, (0.0, 0.03, 0.95), (0.0, 0.04, 1.08)),
    "spine": ("hips", (0.0, 0.04, 1.08), (0.0, 0.05, 1.25)),
    "chest": ("spine", (0.0, 0.05, 1.25), (0.0, 0.03, 1.48)),
    "neck": ("chest", (0.0, 0.03, 1.48), (0.0, 0.01, 1.57)),
    "head": ("neck", (0.0, 0.01, 1.57), (0.0, 0.0, 1.8)),
    "upper_arm.L": ("chest", (0.2, 0.03, 1.42), (0.42, 0.03, 1.2)),
    "forearm.L": ("upper_arm.L", (0.42, 0.03, 1.2), (0.6, 0.0, 0.99)),
    "hand.L": ("forearm.L", (0.6, 0.0, 0.99), (0.7, -0.02, 0.87)),
    "thigh.L": ("hips", (0.11, 0.02, 0.92), (0.13, 0.0, 0.5)),
    "shin.L": ("thigh.L", (0.13, 0.0, 0.5), (0.14, 0.03, 0.09)),
    "foot.L": ("shin.L", (0.14, 0.03, 0.09), (0.15, -0.14, 0.03)),
}
# Balls that the body is made of, along lines: from, to, and the radii at both.
BALLS = (
    ((0.06, 0.04, 0.98), (0.07, 0.03, 1.0), 0.15, 0.15),
    ((0.0, -0.06, 1.06), (0.0, -0.01, 1.2), 0.19, 0.17),
    ((0.05, 0.03, 1.2), (0.08, 0.03, 1.36), 0.14, 0.12),
    ((0.1, -0.03, 1.31), (0.1, -0.04, 1.3), 0.1, 0.1),
    ((0.1, 0.03, 1.38), (0.2, 0.03, 1.42), 0.1, 0.075),
    ((0.0, 0.03, 1.46), (0.0, 0.0, 1.6), 0.06, 0.07),
    ((0.0, -0.01, 1.66), (0.0, 0.0, 1.71), 0.1, 0.11),
    ((0.2, 0.03, 1.42), (0.42, 0.03, 1.2), 0.07, 0.05),
    ((0.42, 0.03, 1.2), (0.6, 0.0, 0.99), 0.05, 0.035),
    ((0.6, 0.0, 0.99), (0.68, -0.02, 0.89), 0.035, 0.045),
    ((0.1, 0.09, 0.95), (0.1, 0.08, 0.9), 0.13, 0.13),
    ((0.135, 0.03, 0.86), (0.135, 0.0, 0.54), 0.12, 0.075),
    ((0.135, 0.0, 0.54), (0.14, 0.02, 0.36), 0.072, 0.066),
    ((0.14, 0.02, 0.36), (0.14, 0.03, 0.1), 0.066, 0.045),
    ((0.14, 0.03, 0.06), (0.15, -0.16, 0.045), 0.055, 0.045),
)
STRIDE = 28
"""Frames of two steps."""
STARTS, STOPS, LAST = 4, 64, 80
"""Frames at which the walk starts and stops, and the last one."""
SPEED = 0.035
"""Way of a frame [m]."""
SHOWN = (8, 17, 24, 38, 66)


def mirrored(name):
    return name[:-1] + "R" if name.endswith(".L") else name


def add_body(detail=0.025):
    """One closed mesh around all balls, with faces of the size `detail` [m]."""
    bpy.ops.object.select_all(action="DESELECT")
    for start, end, first, last in BALLS:
        for side in {1.0, -1.0 if start[0] else 1.0}:
            for share in np.linspace(0.0, 1.0, 9):
                place = (1.0 - share) * np.array(start) + share * np.array(end)
                bpy.ops.mesh.primitive_uv_sphere_add(
                    segments=24,
                    ring_count=12,
                    radius=(1.0 - share) * first + share * last,
                    location=place * (side, 1.0, 1.0),
                )
    for ob in bpy.context.scene.objects:
        ob.select_set(ob.type == "MESH")
    bpy.ops.object.join()
    body = bpy.context.object
    body.name = "Walker"
    body.modifiers.new("Remesh", "REMESH").voxel_size = detail
    body.modifiers.new("Smooth", "SMOOTH").iterations = 15
    bpy.ops.object.convert(target="MESH")
    bpy.ops.object.transform_apply()
    return body


def add_rig():
    bpy.ops.object.armature_add(enter_editmode=True)
    rig = bpy.context.object
    bones = rig.data.edit_bones
    bones.remove(bones[0])
    for name, (parent, head, tail) in BONES.items():
        for side, own in {1.0: name, -1.0: mirrored(name)}.items():
            if own in bones:
                continue
            bone = bones.new(own)
            bone.head, bone.tail = (np.array(end) * (side, 1.0, 1.0) for end in (head, tail))
            if parent:
                bone.parent = bones[parent if side > 0.0 else mirrored(parent)]
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def steps_of(frame):
    """The length of the walk so far, in strides, and the width of its steps, from 0 to 1."""
    wide = np.clip([(frame - STARTS) / 10.0, (STOPS - frame) / 8.0], 0.0, 1.0).min()
    return (frame - STARTS) / STRIDE, wide * wide * (3.0 - 2.0 * wide)


def turns_of(frame):
    """Angles of the bones at a frame [rad]: about the axis to the left, forwards, and upwards."""
    strides, wide = steps_of(frame)
    turns = {"spine": (0.03, 0.0, 0.0), "chest": (0.0, 0.0, 0.1 * math.sin(math.tau * strides))}
    turns["hips"] = 0.04, 0.05 * math.sin(math.tau * strides), -0.1 * math.sin(math.tau * strides)
    for side, ahead in {"L": 0.0, "R": 0.5}.items():
        phase = math.tau * (strides + ahead)
        swing = math.sin(phase)
        lifted = max(0.0, math.cos(phase)) ** 2
        turns[f"thigh.{side}"] = -0.42 * swing - 0.25 * lifted, 0.0, 0.0
        turns[f"shin.{side}"] = 0.12 + 0.8 * lifted, 0.0, 0.0
        turns[f"foot.{side}"] = 0.2 * swing - 0.1, 0.0, 0.0
        turns[f"upper_arm.{side}"] = 0.4 * swing, 0.0, 0.0
        turns[f"forearm.{side}"] = -0.25 + 0.15 * swing, 0.0, 0.0
    return {name: wide * np.array(turn) for name, turn in turns.items()}


def walk(rig):
    """Key the bones of the rig for the whole walk."""
    way = 0.0
    for frame in range(1, LAST + 1):
        strides, wide = steps_of(frame)
        way += SPEED * wide
        rig.location = (
            0.02 * wide * math.sin(math.tau * strides),
            -way,
            0.03 * wide * (math.cos(2.0 * math.tau * strides) - 1.0),
        )
        rig.keyframe_insert("location", frame=frame)
        for name, (left, forwards, up) in turns_of(frame).items():
            bone = rig.pose.bones[name]
            turn = Matrix.Rotation(up, 3, "Z") @ Matrix.Rotation(forwards, 3, "Y")
            turn = turn @ Matrix.Rotation(left, 3, "X")
            rest = bone.bone.matrix_local.to_3x3()
            bone.rotation_quaternion = (rest.inverted() @ turn @ rest).to_quaternion()
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def add_figure(detail=0.025):
    """The figure with its rig, which walks; the body is selected."""
    body, rig = add_body(detail), add_rig()
    body.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    walk(rig)
    rig.select_set(False)
    bpy.context.view_layer.objects.active = body
    return body, rig


def dress(scene, body, rig):
    """Colors, light, and a camera that goes along."""
    demo_look.smooth(body, subdivisions=1)
    demo_look.color(body, (0.8, 0.48, 0.36), roughness=0.45, subsurface=0.15)
    bpy.ops.mesh.primitive_plane_add(size=40.0)
    demo_look.color(bpy.context.object, (0.36, 0.34, 0.32), roughness=0.7)
    demo_look.light_and_camera(scene, (1.9, -2.5, 1.2), (0.0, 0.0, 1.06))
    scene.camera.data.lens = 72.0
    scene.camera.parent = rig
    demo_look.PICTURE_SIZE = demo_look.MOTION_SIZE = (300, 420)


def main():
    vbd.register()
    BUILD.mkdir(exist_ok=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    body, rig = add_figure()
    bpy.ops.vbd.soft_flesh()
    bpy.ops.vbd.bake(mode="NEW")
    dress(scene, body, rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(BUILD / "walk.blend"))
    demo_look.render_strip(scene, SHOWN, BUILD / "walk.png")
    demo_look.render_motion(scene, range(STARTS, LAST + 1, 2), BUILD / "walk.webp")
    vbd.unregister()


if __name__ == "__main__":
    main()
