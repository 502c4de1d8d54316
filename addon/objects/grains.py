# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of grains: their spheres, drawn by a modifier, and meshes that are filled with them.

Every vertex of the mesh is the center of a grain. The modifier belongs to the role: it comes and
goes with it, and follows the radius.
"""

import bpy
import numpy as np

from ...solver.messages import message
from . import read_mesh
from .hair import node_group
from .units import unit_scale

NAME = "VBD Grains"
# Grains that fill a mesh for which no radius is chosen.
AT_FIRST = 1000


def radius_of(ob):
    """Radius of the grains of an object [m]."""
    return ob.vbd.grain_radius * unit_scale(bpy.context.scene)


def update_spheres(ob):
    """Draw spheres around the vertices of an object of grains, and none around those of others."""
    if ob.type != "MESH" or ob.override_library or not ob.is_editable:
        return
    modifier = ob.modifiers.get(NAME)
    if ob.vbd.role != "GRAINS":
        if modifier:
            _remove(ob, modifier)
        return
    if modifier is None:
        modifier = ob.modifiers.new(NAME, "NODES")
        modifier.node_group, modifier.show_expanded = _group(), False
        material_socket(ob).default_value = ob.active_material
    elif modifier.node_group.users > 1:  # of a copied object
        modifier.node_group = modifier.node_group.copy()
    scale = abs(np.linalg.det(np.array(ob.matrix_world)[:3, :3])) ** (1.0 / 3.0)
    radius = modifier.node_group.nodes["Radius"].outputs[0]
    radius.default_value = ob.vbd.grain_radius / max(scale, 1e-12)


def material_socket(ob):
    """The input with the material of the spheres of an object; None if it draws none."""
    modifier = ob.modifiers.get(NAME)
    group = modifier.node_group if modifier and modifier.type == "NODES" else None
    node = group.nodes.get("Material") if group else None
    return node.inputs["Material"] if node else None


def _remove(ob, modifier):
    group = modifier.node_group
    ob.modifiers.remove(modifier)
    if group is not None and not group.users:
        bpy.data.node_groups.remove(group)


def _group():
    """A node group that adds a sphere at every vertex."""
    group = node_group(NAME)
    new, link = group.nodes.new, group.links.new
    source, target = new("NodeGroupInput"), new("NodeGroupOutput")
    radius, points = new("ShaderNodeValue"), new("GeometryNodeMeshToPoints")
    ball, smooth = new("GeometryNodeMeshIcoSphere"), new("GeometryNodeSetShadeSmooth")
    material, place = new("GeometryNodeSetMaterial"), new("GeometryNodeInstanceOnPoints")
    join = new("GeometryNodeJoinGeometry")
    radius.name, material.name = "Radius", "Material"
    ball.inputs["Subdivisions"].default_value = 2
    link(source.outputs[0], points.inputs["Mesh"])
    link(radius.outputs[0], points.inputs["Radius"])
    link(radius.outputs[0], ball.inputs["Radius"])
    link(ball.outputs["Mesh"], smooth.inputs[0])
    link(smooth.outputs[0], material.inputs["Geometry"])
    link(points.outputs[0], place.inputs["Points"])
    link(material.outputs[0], place.inputs["Instance"])
    link(place.outputs[0], join.inputs[0])
    link(source.outputs[0], join.inputs[0])
    link(join.outputs[0], target.inputs[0])
    row = source, radius, points, ball, smooth, material, place, join, target
    for column, node in enumerate(row):
        node.location = 200.0 * column, 0.0
    return group


def filling(ob, radius):
    """Centers [grain, 3] of grains of a radius [m] in a closed mesh, in world space in Blender's
    units, and the radius; where it is 0, one for some `AT_FIRST` grains.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.scene.packing import packing, radius_for

    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    scale = unit_scale(bpy.context.scene)
    matrix = read_mesh.matrix(evaluated)
    points = scale * read_mesh.transformed(matrix, read_mesh.positions(evaluated.data))
    triangles = read_mesh.triangles(evaluated.data)
    if not len(triangles):
        raise ValueError(message("mesh.no_inside", name=ob.name))
    radius = radius or radius_for(ob.name, points, triangles, AT_FIRST)
    return packing(ob.name, points, triangles, radius) / scale, radius


def fill(grains, centers, radius):
    """Replace the mesh of an object of grains by those of a `filling`, in its own space."""
    inverse = np.linalg.inv(read_mesh.matrix(grains))
    mesh = grains.data
    mesh.clear_geometry()
    mesh.vertices.add(len(centers))
    local = read_mesh.transformed(inverse, centers)
    mesh.vertices.foreach_set("co", np.float32(local).ravel())
    mesh.update()
    grains.vbd.grain_radius = radius / unit_scale(bpy.context.scene)


def new_grains(context, source, centers, radius):
    """A new object of the grains of a `filling` of another one, which is hidden, in its
    collections.
    """
    mesh = bpy.data.meshes.new(f"{source.name} Grains")
    made = bpy.data.objects.new(mesh.name, mesh)
    fill(made, centers, radius)
    for collection in source.users_collection or [context.collection]:
        collection.objects.link(made)
    made.vbd.grain_source = source
    if source.active_material:
        mesh.materials.append(source.active_material)
    source.vbd.role = "NONE"
    source.hide_render = True
    source.hide_set(True)
    return made
