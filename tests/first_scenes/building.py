# SPDX-License-Identifier: GPL-3.0-or-later
"""A beginner's actions in a scene, by the operators of the menus and buttons."""

from dataclasses import dataclass, field

import bpy
import numpy as np

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.values.presets import apply_shipped_material


def add(kind, role="SOFT", z=0.0, at=(0.0, 0.0), **options):
    """Add > Mesh > `kind`, at a height and a place, and a click on a role; return the object."""
    operator = getattr(bpy.ops.mesh, f"primitive_{kind}_add")
    operator(location=(*at, z), **options)
    return give(bpy.context.object, role)


def give(ob, role):
    """Click on the button of a role, with only `ob` selected."""
    bpy.ops.object.select_all(action="DESELECT")
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.vbd.add(role=role)
    return ob


def floor(z=0.0, size=10.0, **options):
    return add("plane", "COLLIDER", z, size=size, **options)


def converted(ob):
    """Object > Convert > Mesh."""
    bpy.ops.object.select_all(action="DESELECT")
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.convert(target="MESH")
    return bpy.context.object


def joined(*objects):
    """Ctrl+J: one object of several, before it gets a role."""
    bpy.ops.object.select_all(action="DESELECT")
    for ob in objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]
    bpy.ops.object.join()
    return bpy.context.object


def subdivided(ob, cuts):
    """Subdivide all edges in Edit Mode."""
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=cuts)
    bpy.ops.object.mode_set(mode="OBJECT")
    return ob


def pin(ob, chosen):
    """A pin group of the vertices for which `chosen(x, y, z)` holds, in object space."""
    group = ob.vertex_groups.new(name="Pins")
    group.add([v.index for v in ob.data.vertices if chosen(*v.co)], 1.0, "REPLACE")
    ob.vbd.pin_group = "Pins"
    return ob


def keyed(ob, axis, first, last, what="location"):
    """Two keyframes of the location, or of `what`, along an axis: (frame, value) each."""
    for frame, value in (first, last):
        getattr(ob, what)[axis] = value
        ob.keyframe_insert(what, index=axis, frame=frame)
    return ob


def material(ob, name):
    """Pick a material in the presets of an object."""
    apply_shipped_material(bpy.context, ob, name)
    return ob


def shown(ob):
    """World points of an object that is shown now, float64 [vertex, 3]."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.empty((len(evaluated.data.vertices), 3), np.float32)
    evaluated.data.vertices.foreach_get("co", points.ravel())
    matrix = np.array(evaluated.matrix_world)
    return points.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def triangles(ob):
    """Triangles of the mesh of an object, int32 [triangle, 3]."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    evaluated.data.calc_loop_triangles()
    corners = np.empty((len(evaluated.data.loop_triangles), 3), np.int32)
    evaluated.data.loop_triangles.foreach_get("vertices", corners.ravel())
    return corners


@dataclass
class Baked:
    """A bake and its result: per object the points of some frames, [frame][vertex, 3]."""

    outcome: object
    frames: list
    motion: dict = field(default_factory=dict)
    faces: dict = field(default_factory=dict)

    def start(self, name):
        return self.motion[name][0]

    def end(self, name):
        return self.motion[name][-1]

    def height(self, name):
        return np.ptp(self.end(name)[:, 2])

    def volume(self, name, frame=-1):
        """Volume [m³] inside the surface of an object, whichever direction its faces point."""
        points = self.motion[name][frame]
        corners = points[self.faces[name]] - points.mean(axis=0)
        return abs(np.linalg.det(corners).sum()) / 6.0


def bake(frame_count, looked_at=6):
    """Press Bake on `frame_count` frames and read the first, the last and some in between."""
    scene = bpy.context.scene
    scene.vbd.frame_end = 1 + frame_count
    outcome = run_to_end(bake_steps(bpy.context), show=lambda _: None)
    frames = np.unique(np.linspace(1, 1 + frame_count, looked_at).astype(int)).tolist()
    frames = sorted({*frames, frame_count - 2})
    baked = Baked(outcome, frames)
    simulated = [ob for ob in scene.objects if ob.vbd.role not in {"NONE", "COLLIDER"}]
    for frame in frames:
        scene.frame_set(frame)
        for ob in simulated:
            baked.motion.setdefault(ob.name, []).append(shown(ob))
    for ob in scene.objects:
        if ob.type == "MESH":
            baked.faces[ob.name] = triangles(ob)
            baked.motion.setdefault(ob.name, [shown(ob)])
    return baked
