# SPDX-License-Identifier: GPL-3.0-or-later
"""The last finished frame of a bake in the viewport, while the solver continues.

The points lie in an attribute of the mesh, and a modifier at the end of the stack moves the
vertices there; that of a rigid body moves all of it. Curves have no attributes: the modifier shows
a copy of the curve, which is in no scene. It is off whenever the scene is read, so the simulation
never sees its own result.
"""

import time
from contextlib import contextmanager

import bpy

from ..objects import grains
from ..objects.curves import free_handles, is_curve, set_points
from ..objects.hair import is_hair, node_group
from ..objects.identity import present
from ..objects.modifiers import reshaping
from ..objects.shape_keys import clear_keys
from . import follower, moved

NAME = "VBD Preview"
# The shortest time between two preview frames [s].
PAUSE = 0.2


def shown_frame(context):
    """The frame in the viewport: that of the preview, or else of the scene."""
    state = context.window_manager.vbd
    if state.is_property_set("shown_frame"):
        return state.shown_frame
    return context.scene.frame_current


class Preview:
    """Shows frames of `targets`, which are empty without a window."""

    def __init__(self, scene, gathered, visible):
        self.scene, self.start = scene, gathered.frame_start
        self.targets = gathered.targets if visible else []
        # Whether the timeline goes to every frame that is shown.
        self.leads = False
        reader = gathered.reader
        self.moving = bool(reader.wanted or reader.others or reader.unsure)
        self.shown, self.when = 0, float("-inf")
        self.active, self.copies, self.places = {}, {}, {}

    @contextmanager
    def running(self, index, points):
        """Context with the preview, first of frame `index`; undone at its end."""
        if not self.targets:
            yield
            return
        groups = []
        try:
            for target, shape in zip(self.targets, points, strict=True):
                ob, key = present(target.key), target.key
                if ob is not None:
                    self.active[key] = ob.modifiers.active.name if ob.modifiers.active else ""
                    groups.append(self._add(ob, key, shape))
            self.show(index, points)
            yield
        finally:
            _remove_all()
            for key, before in self.active.items():
                ob = present(key)
                if ob is not None and before in ob.modifiers:
                    ob.modifiers.active = ob.modifiers[before]
            for name in self.copies.values():
                data = bpy.data.objects[name].data  # this removes the object too
                (bpy.data.meshes if data.id_type == "MESH" else bpy.data.curves).remove(data)
            for group in groups:
                bpy.data.node_groups.remove(group)
            bpy.context.window_manager.vbd.property_unset("shown_frame")

    def show(self, index, points):
        """Show frame `index`, float32 [vertex, 3] in object space for every target."""
        self.shown, self.when = index, time.monotonic()
        bpy.context.window_manager.vbd.shown_frame = self.start + index
        for target, shape in zip(self.targets, points, strict=True):
            ob, key = present(target.key), target.key
            if ob is None:
                continue
            if ob.vbd.role == "RIGID":
                self.places[key] = shape
                continue
            if key in self.copies:
                copy = bpy.data.objects[self.copies[key]].data
                (follower.put if copy.id_type == "MESH" else set_points)(copy, shape)
                continue
            values = ob.data.attributes.get(NAME)
            if values and len(values.data) == len(shape):
                values.data.foreach_set("vector", shape.ravel())
                ob.data.update_tag()
        self._go_to_shown()

    def is_due(self):
        """Return whether another frame is due."""
        return bool(self.targets) and time.monotonic() - self.when > PAUSE

    @contextmanager
    def aside(self):
        """Context with the scene as the simulation reads it."""
        self._switch(False)
        try:
            yield
        finally:
            self._switch(True)
            self._go_to_shown()

    def _objects(self):
        found = (present(target.key) for target in self.targets)
        return [ob for ob in found if ob is not None]

    def _add(self, ob, key, points):
        """Give an object its modifier; returns the node group of that."""
        if ob.vbd.role == "RIGID":
            return moved.add(ob, NAME).node_group
        if is_hair(ob) or reshaping(ob):
            copy, modifier = follower.add(ob, points, NAME)
            self.copies[key] = copy.name
            return modifier.node_group
        modifier = ob.modifiers.new(NAME, "NODES")
        if grains.NAME in ob.modifiers:  # spheres are drawn around the points that are shown
            ob.modifiers.move(len(ob.modifiers) - 1, ob.modifiers.find(grains.NAME))
            modifier = ob.modifiers[NAME]
        modifier.node_group = self._copied(ob, key) if is_curve(ob) else _at_attribute(ob.data)
        return modifier.node_group

    def _copied(self, ob, key):
        """The node group that shows a copy of a curve, without keys of its own."""
        copy = bpy.data.objects.new(NAME, ob.data.copy())
        clear_keys(copy)
        free_handles(copy)
        self.copies[key] = copy.name
        return _as_object(copy)

    def _switch(self, on):
        for ob in self._objects():
            modifier = ob.modifiers.get(NAME)
            if modifier:
                modifier.show_viewport = on

    def _go_to_shown(self):
        """Move colliders and all other animation to the frame that is shown, and rigid bodies from
        where their own animation has them then.
        """
        if self.targets and (self.moving or self.leads):
            self.scene.frame_set(self.start + self.shown)
        if self.places:
            depsgraph = bpy.context.evaluated_depsgraph_get()
            for key, rows in self.places.items():
                if ob := present(key):
                    moved.move(ob, NAME, rows, depsgraph)


def remove_leftovers():
    """Remove previews that no bake shows: a file of a session that crashed may have some."""
    if not bpy.context.window_manager.vbd.baking:
        _remove_all()


def _remove_all():
    """Remove all previews, also those of objects that were renamed, copied or deleted meanwhile."""
    for ob in bpy.data.objects:
        modifier = ob.modifiers.get(NAME)
        if modifier and ob.is_editable:
            ob.modifiers.remove(modifier)
    for mesh in bpy.data.meshes:
        if NAME in mesh.attributes and mesh.is_editable:
            mesh.attributes.remove(mesh.attributes[NAME])


def _at_attribute(mesh):
    """A node group that moves every vertex to the attribute `NAME`, which a mesh gets."""
    mesh.attributes.new(NAME, "FLOAT_VECTOR", "POINT")
    group = node_group(NAME)
    new, link = group.nodes.new, group.links.new
    source, target = new("NodeGroupInput"), new("NodeGroupOutput")
    place, values = new("GeometryNodeSetPosition"), new("GeometryNodeInputNamedAttribute")
    values.data_type = "FLOAT_VECTOR"
    values.inputs["Name"].default_value = NAME
    link(source.outputs[0], place.inputs["Geometry"])
    link(values.outputs["Attribute"], place.inputs["Position"])
    link(place.outputs[0], target.inputs[0])
    return group


def _as_object(ob):
    """A node group that shows another object, in its own space."""
    group = node_group(NAME)
    shown, target = (
        group.nodes.new(kind) for kind in ("GeometryNodeObjectInfo", "NodeGroupOutput")
    )
    shown.inputs["Object"].default_value = ob
    group.links.new(shown.outputs["Geometry"], target.inputs[0])
    return group
