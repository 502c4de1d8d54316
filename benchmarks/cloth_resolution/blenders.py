# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of a scene by Blender's own cloth: its preset Cotton, quality 5, self collision on."""

from ast import literal_eval
from pathlib import Path

import bpy
import numpy as np

# Blender's wind of this strength presses like air of 1.25 kg/m³ at a speed of 1 m/s.
STRENGTH = 31.25
GAP = 0.005
PREFIX = "bpy.context.cloth.settings."


def new_object(name, points, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(p) for p in points], [], [tuple(map(int, f)) for f in faces])
    mesh.update()
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    return made


def set_preset(settings, name):
    """Give settings of cloth the values of a preset, which is a list of assignments."""
    paths = [Path(p) / f"{name}.py" for p in bpy.utils.preset_paths("cloth")]
    text = next(p for p in paths if p.exists()).read_text(encoding="utf-8")
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and key.startswith(PREFIX):
            setattr(settings, key.strip().removeprefix(PREFIX), literal_eval(value.strip()))


def lead(cloth, scene):
    """Pin vertices, and key a shape at both ends of their path."""
    group = cloth.vertex_groups.new(name="Pins")
    group.add([int(v) for v in scene.pins], 1.0, "REPLACE")
    if scene.targets is None:
        return
    times = np.arange(scene.frames + 1) / bpy.context.scene.render.fps
    ends = scene.targets(0.0), scene.targets(times[-1])
    span = np.linalg.norm(ends[1] - ends[0])
    parts = [np.linalg.norm(scene.targets(t) - ends[0]) / span for t in times]
    cloth.shape_key_add(name="Start")
    key = cloth.shape_key_add(name="End")
    for vertex, place in zip(scene.pins, ends[1], strict=True):
        key.data[int(vertex)].co = place
    for frame, part in enumerate(parts):
        key.value = part
        key.keyframe_insert("value", frame=1 + frame)


def build(scene):
    """Make a scene in Blender; return the object of the cloth."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    bpy.context.scene.frame_end = 1 + scene.frames
    for k, (points, triangles) in enumerate(scene.colliders):
        other = new_object(f"Collider {k}", points, triangles)
        other.modifiers.new("Collision", "COLLISION")
        other.collision.thickness_outer = GAP
    if scene.wind:
        bpy.ops.object.effector_add(type="WIND", rotation=(-np.pi / 2.0, 0.0, 0.0))
        bpy.context.object.field.strength = STRENGTH * scene.wind**2
    cloth = new_object("Cloth", scene.sheet.points, scene.sheet.faces)
    if len(scene.pins):
        lead(cloth, scene)
    modifier = cloth.modifiers.new("Cloth", "CLOTH")
    set_preset(modifier.settings, "Cotton")
    modifier.settings.quality = 5
    modifier.collision_settings.use_self_collision = True
    modifier.collision_settings.distance_min = GAP
    modifier.collision_settings.self_distance_min = GAP
    if len(scene.pins):
        modifier.settings.vertex_group_mass = "Pins"
    modifier.point_cache.frame_end = 1 + scene.frames
    return cloth


def shown(cloth):
    """Points of the cloth that is shown now [vertex, 3]."""
    evaluated = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.empty((len(evaluated.data.vertices), 3), np.float32)
    evaluated.data.vertices.foreach_get("co", points.ravel())
    return points


def motion(scene):
    """Positions [vertex, 3] of every frame, as a list."""
    cloth, frames = build(scene), []
    for frame in range(1, 2 + scene.frames):
        bpy.context.scene.frame_set(frame)
        frames.append(shown(cloth))
    return frames[1:]
