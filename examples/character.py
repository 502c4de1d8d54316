# SPDX-License-Identifier: GPL-3.0-or-later
"""A character with soft ears and belly, set up as the guide says.

Builds the character and its rig, bakes a hop without a window, saves the .blend and renders a strip
of frames. Run `python examples/character.py` where `vbd` and bpy are installed.
"""

from pathlib import Path

import bpy
import demo_look
import numpy as np
from mathutils import Quaternion

import vbd
from vbd.addon.values.presets import apply_shipped_material

BUILD = Path(__file__).resolve().parent.parent / "build"
# Bones: parent, head and tail [m].
BONES = {
    "hips": (None, (0.0, 0.1, 0.45), (0.0, 0.1, 0.8)),
    "chest": ("hips", (0.0, 0.1, 0.8), (0.0, 0.05, 1.2)),
    "head": ("chest", (0.0, 0.05, 1.2), (0.0, 0.0, 1.6)),
}
# Balls that the body is made of, along lines: from, to, and the radii at both.
BALLS = (
    ((0.0, -0.04, 0.62), (0.0, 0.02, 0.85), 0.4, 0.34),
    ((0.0, 0.02, 1.0), (0.0, 0.0, 1.45), 0.22, 0.29),
    ((0.13, 0.05, 1.65), (0.2, 0.1, 2.15), 0.09, 0.08),
    ((0.3, 0.05, 0.95), (0.48, -0.1, 0.68), 0.1, 0.08),
    ((0.2, 0.06, 0.35), (0.2, 0.02, 0.12), 0.16, 0.12),
    ((0.2, -0.02, 0.1), (0.22, -0.22, 0.09), 0.11, 0.09),
)
# Frames of the hop, with the height of the hips [m] and how far chest and head bow [rad].
HOP = ((1, 0.0, 0.0), (12, 0.0, 0.0), (18, -0.1, 0.35), (22, 0.1, -0.1), (26, 0.45, -0.15))
LANDING = ((31, 0.1, 0.1), (33, -0.1, 0.3), (40, 0.0, 0.0))
SHOWN = (12, 19, 25, 30)
LAST = 48


def add_body():
    """One closed mesh around all balls."""
    bpy.ops.object.select_all(action="DESELECT")
    for start, end, first, last in BALLS:
        for mirror in {1.0, -1.0 if start[0] else 1.0}:
            for share in np.linspace(0.0, 1.0, 9):
                place = (1.0 - share) * np.array(start) + share * np.array(end)
                place[0] *= mirror
                bpy.ops.mesh.primitive_uv_sphere_add(
                    segments=24,
                    ring_count=12,
                    radius=(1.0 - share) * first + share * last,
                    location=place,
                )
    for ob in bpy.context.scene.objects:
        ob.select_set(ob.type == "MESH")
    bpy.ops.object.join()
    body = bpy.context.object
    body.name = "Rabbit"
    body.modifiers.new("Remesh", "REMESH").voxel_size = 0.035
    smooth = body.modifiers.new("Smooth", "SMOOTH")
    smooth.iterations = 8
    bpy.ops.object.convert(target="MESH")
    bpy.ops.object.transform_apply()
    return body


def add_rig():
    bpy.ops.object.armature_add(enter_editmode=True)
    rig = bpy.context.object
    bones = rig.data.edit_bones
    bones.remove(bones[0])
    for name, (parent, head, tail) in BONES.items():
        bone = bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame, height, bow in (*HOP, *LANDING):
        rig.location.z = height
        rig.keyframe_insert("location", frame=frame)
        for name in ("chest", "head"):
            bone = rig.pose.bones[name]
            rest = bone.bone.matrix_local.to_quaternion()
            turn = Quaternion((1.0, 0.0, 0.0), bow)
            bone.rotation_quaternion = rest.inverted() @ turn @ rest
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    return rig


def paint(body, name, weights):
    group = body.vertex_groups.new(name=name)
    for index, weight in enumerate(weights):
        group.add([index], float(weight), "REPLACE")
    return name


def between(values, first, last):
    """0 up to `first`, 1 from `last` on, smooth in between."""
    share = np.clip((values - first) / (last - first), 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def set_up(body):
    """The role, its material, what is pinned and what is painted."""
    points = np.array([vertex.co for vertex in body.data.vertices])
    z = points[:, 2]
    # By height: the hips hold what is low, the head what is high.
    head, chest = between(z, 1.1, 1.3), between(z, 0.75, 0.95)
    for name, weights in (("head", head), ("chest", chest - head), ("hips", 1.0 - chest)):
        paint(body, name, weights)
    ears = between(z, 1.66, 1.85)
    off = np.linalg.norm((points - (0.0, -0.4, 0.66)) / (0.8, 0.9, 0.75), axis=1)
    belly = 1.0 - between(off, 0.3, 0.55)
    bpy.context.view_layer.objects.active = body
    body.select_set(True)
    bpy.ops.vbd.add(role="SOFT")
    apply_shipped_material(bpy.context, body, "Muscle")
    body.vbd.youngs_modulus_kpa = 200.0
    body.vbd.damping = 0.01
    body.vbd.resolution = 32
    body.vbd.pin_group = paint(body, "Held", 1.0 - 0.9 * ears - 0.8 * belly)
    bpy.ops.vbd.add_painted()
    soft = body.vbd.painted[0]
    soft.what, soft.value = "youngs_modulus", 2e4
    soft.vertex_group = paint(body, "Firm", 1.0 - belly)


def main():
    vbd.register()
    BUILD.mkdir(exist_ok=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.vbd.frame_start, scene.vbd.frame_end = 1, LAST
    scene.frame_end = LAST
    body = add_body()
    rig = add_rig()
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    set_up(body)
    bpy.ops.vbd.bake(mode="NEW")
    demo_look.smooth(body)
    demo_look.color(body, (0.75, 0.3, 0.12), roughness=0.6)
    bpy.ops.mesh.primitive_plane_add(size=30.0)
    demo_look.color(bpy.context.object, (0.36, 0.34, 0.32), roughness=0.7)
    demo_look.light_and_camera(scene, (2.8, -3.0, 1.7), (0.0, 0.0, 1.3))
    scene.camera.data.lens = 56.0
    demo_look.PICTURE_SIZE = (280, 360)
    bpy.ops.wm.save_as_mainfile(filepath=str(BUILD / "character.blend"))
    demo_look.render_strip(scene, SHOWN, BUILD / "character.png")
    vbd.unregister()


if __name__ == "__main__":
    main()
