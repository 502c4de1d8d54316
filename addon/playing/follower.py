# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback for objects without shape keys for their bake: hair curves, and meshes that are
simulated after modifiers that make other vertices. A mesh in no scene has the keys of the bake, one
vertex for each point, and a modifier puts the points where its vertices are.
"""

import bpy
import numpy as np

from ..objects.hair import is_hair, node_group
from ..objects.modifiers import place_in_stack

NAME, NAME_OF_HAIR = "VBD Bake", "VBD Hair"
# The node that shows the mesh.
SHOWN = "Baked"


def add(ob, points, name=None):
    """Let the points of an object, [point, 3] to begin with, follow the vertices of a mesh, right
    after the modifiers that are simulated; returns the object of the mesh, and the modifier.
    """
    name = name or (NAME_OF_HAIR if is_hair(ob) else NAME)
    place = place_in_stack(ob)
    mesh = bpy.data.meshes.new(f"{ob.name} VBD")
    mesh.vertices.add(len(points))
    put(mesh, points)
    holder = bpy.data.objects.new(mesh.name, mesh)
    modifier = ob.modifiers.new(name, "NODES")
    modifier.node_group = _group(name, holder)
    ob.modifiers.move(len(ob.modifiers) - 1, place)
    return holder, modifier


def put(mesh, points):
    """Move the vertices of a mesh to `points` [vertex, 3]."""
    mesh.attributes["position"].data.foreach_set("vector", np.float32(points).ravel())
    mesh.update()


def holder_of(ob, name):
    """The object with the mesh that another follows by a modifier, or None."""
    modifier = ob.modifiers.get(name)
    group = modifier.node_group if modifier and modifier.type == "NODES" else None
    node = group.nodes.get(SHOWN) if group else None
    return node.inputs["Object"].default_value if node else None


def remove(ob, name):
    """Remove the modifier of `add`; returns the object with the mesh, or None while a copy of the
    object still follows it.
    """
    holder, modifier = holder_of(ob, name), ob.modifiers.get(name)
    if modifier is None:
        return None
    group = modifier.node_group
    ob.modifiers.remove(modifier)
    if holder is None or group.users:
        return None
    bpy.data.node_groups.remove(group)
    return holder


def _group(name, holder):
    """A node group that moves every point to the vertex of its index."""
    group = node_group(name)
    new, link = group.nodes.new, group.links.new
    source, target, move = (
        new(kind) for kind in ("NodeGroupInput", "NodeGroupOutput", "GeometryNodeSetPosition")
    )
    shown, sample = new("GeometryNodeObjectInfo"), new("GeometryNodeSampleIndex")
    position, index = new("GeometryNodeInputPosition"), new("GeometryNodeInputIndex")
    shown.name, shown.inputs["Object"].default_value = SHOWN, holder
    sample.data_type, sample.domain = "FLOAT_VECTOR", "POINT"
    link(shown.outputs["Geometry"], sample.inputs["Geometry"])
    link(position.outputs[0], sample.inputs["Value"])
    link(index.outputs[0], sample.inputs["Index"])
    link(source.outputs[0], move.inputs["Geometry"])
    link(sample.outputs["Value"], move.inputs["Position"])
    link(move.outputs[0], target.inputs[0])
    return group
