# SPDX-License-Identifier: GPL-3.0-or-later
"""Small objects in Blender and readers of their properties and shapes."""

from contextlib import contextmanager

import bpy  # noqa: TID251
import numpy as np
from shapes import box, grid

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.gathering import gather
from vbd.addon.gathering.reader import curves_of
from vbd.addon.objects.tetmesh import store_tets


def mesh_object(name, points, edges=(), faces=(), role="NONE"):
    """A new mesh object in the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(
        [tuple(p) for p in points], [tuple(e) for e in edges], [tuple(f) for f in faces]
    )
    ob = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(ob)
    ob.vbd.role = role
    return ob


def tet_block(name="Block", cells=(2, 2, 2)):
    """A soft block of unit size that carries its own tets."""
    points, tets = box(cells)
    ob = mesh_object(name, points)
    store_tets(ob.data, tets)
    ob.vbd.role = "SOFT"
    return ob


def sheet(name="Sheet", cells=4):
    """A cloth of unit size in the xy plane; its corner at the origin is vertex 0."""
    points, triangles = grid(cells)
    return mesh_object(name, points, faces=triangles, role="CLOTH")


def slab(name="Slab", size=4.0, height=0.0, role="COLLIDER"):
    """A square of two triangles that faces up."""
    s = size / 2
    corners = [(-s, -s, 0), (s, -s, 0), (s, s, 0), (-s, s, 0)]
    ob = mesh_object(name, corners, faces=[(0, 1, 2), (0, 2, 3)], role=role)
    ob.location.z = height
    return ob


def empty_object(name="Hook", location=(0.0, 0.0, 0.0)):
    """A new empty in the scene."""
    ob = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(ob)
    ob.location = location
    return ob


def linked(name, folder):
    """Save the open file in a folder; return an object of it, linked into a new file."""
    path = str(folder / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = [name]
    bpy.context.scene.collection.objects.link(bpy.data.objects[name])
    return bpy.data.objects[name]


def reopened(path):
    """Save the open file and open it again."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


@contextmanager
def running_bake():
    """Let Blender report that a bake is running."""
    state = bpy.context.window_manager.vbd
    state.baking = True
    try:
        yield
    finally:
        state.baking = False


def instanced(*objects):
    """An empty that shows a collection of the objects, which are in no other one."""
    collection = bpy.data.collections.new("Props")
    for ob in objects:
        bpy.context.scene.collection.objects.unlink(ob)
        collection.objects.link(ob)
    empty = bpy.data.objects.new("Set", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    bpy.context.scene.collection.objects.link(empty)
    return empty


def pin(ob, indices, weight=1.0):
    """Put vertices into the pin group of an object."""
    group = ob.vertex_groups.get("Pins") or ob.vertex_groups.new(name="Pins")
    group.add([int(index) for index in indices], weight, "REPLACE")
    ob.vbd.pin_group = "Pins"


def slide(ob, axis, first, last, distance):
    """Move an object along an axis at constant speed, by keyframes."""
    for frame, value in ((first, 0.0), (last, distance)):
        ob.location[axis] = value
        ob.keyframe_insert("location", index=axis, frame=frame)
    straighten(ob)


def straighten(ob):
    """Join all keyframes of an object by straight lines."""
    for curve in curves_of(ob.animation_data.action):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def shown(ob, frame=None, subframe=0.0):
    """World points of the evaluated object, float64 [vertex, 3], at a frame or now."""
    if frame is not None:
        bpy.context.scene.frame_set(frame, subframe=subframe)
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    points = np.empty((len(evaluated.data.vertices), 3), np.float32)
    evaluated.data.vertices.foreach_get("co", points.ravel())
    return points.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def frames(scene, first, last):
    scene.vbd.frame_start, scene.vbd.frame_end = first, last


def fall(scene, count):
    """Exact fall of a free body in `count` frames of the solver [m]: implicit Euler."""
    steps = count * scene.vbd.substeps
    h = scene.render.fps_base / scene.render.fps / scene.vbd.substeps
    return 9.81 * h * h * steps * (steps + 1) / 2


def gathered():
    """The bodies of the scene in a bake."""
    scene = bpy.context.scene
    objects = gather.participants(scene)
    with gather.prepared(scene, objects):
        return gather.gather(bpy.context, objects)


def baked():
    """Bake the scene and return the outcome."""
    return run_to_end(bake_steps(bpy.context), show=lambda _: None)


def attach(ob, target, group=None, **values):
    """Attach vertices of an object, or its nearest one, to another object."""
    item = ob.vbd.attachments.add()
    item.name, item.target = "Tie", target
    if group is not None:
        ob.vertex_groups.new(name="Tied").add([int(i) for i in group], 1.0, "REPLACE")
        item.vertex_group = "Tied"
    for name, value in values.items():
        setattr(item, name, value)
    return item


def another_value(group, name):
    """A value of a property that is not its default."""
    prop = group.bl_rna.properties[name]
    if prop.type == "BOOLEAN":
        return not prop.default
    if prop.type == "ENUM":
        return next(item.identifier for item in prop.enum_items if item.identifier != prop.default)
    return prop.soft_max
