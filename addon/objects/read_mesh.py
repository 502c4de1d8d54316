# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of Blender -> NumPy arrays, whole attributes at a time."""

import numpy as np

from ...solver.messages import message
from ...solver.topology.graphs import two_coloring
from .slivers import without_slivers

# Relative error of interpolated weights.
ROUNDING = 1e-3


def attribute(mesh, name, what, dtype, width):
    """All values of a mesh attribute, shape [element, width]; empty if it does not exist."""
    layer = mesh.attributes.get(name)
    if layer is None:
        return np.empty((0, width), dtype)
    values = np.empty((len(layer.data), width), dtype)
    layer.data.foreach_get(what, values.ravel())
    return values


def positions(mesh):
    """Vertex positions in object space [m], float32 [vertex, 3]."""
    return attribute(mesh, "position", "vector", np.float32, 3)


def edges(mesh):
    """Vertices of every edge, int32 [edge, 2]."""
    return attribute(mesh, ".edge_verts", "value", np.int32, 2)


def triangles(mesh):
    """Vertices of `triangle_corners`, int32 [triangle, 3]."""
    corners, _ = triangle_corners(mesh)
    return corner_vertices(mesh)[corners]


def triangle_corners(mesh):
    """Blender's own triangulation: corners of faces, int32 [triangle, 3], and the face of each
    triangle, int32 [triangle]; but without slivers.
    """
    mesh.calc_loop_triangles()
    corners = np.empty((len(mesh.loop_triangles), 3), np.int32)
    face = np.empty(len(corners), np.int32)
    mesh.loop_triangles.foreach_get("loops", corners.ravel())
    mesh.loop_triangles.foreach_get("polygon_index", face)
    return without_slivers(corners, face, positions(mesh), corner_vertices(mesh)), face


def cloth_corners(mesh):
    """Triangles of a sheet as corners of faces, int32 [triangle, 3], and the face of each triangle,
    int [triangle].

    Quads are split along alternating diagonals, since parallel ones would make the cloth stiffer
    along one direction than along the other. Other faces, folded quads and meshes whose vertices
    cannot be colored with two colors get Blender's triangulation.
    """
    whole, face = triangle_corners(mesh)
    side = two_coloring(edges(mesh), len(mesh.vertices))
    if side is None or not len(whole):
        return whole, face
    start = face_starts(mesh)
    total = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", total)
    vertex = corner_vertices(mesh)
    quad = np.flatnonzero(total == 4)
    loop = start[quad][:, None] + np.arange(4, dtype=np.int32)
    # Turn every quad so that its first corner, where the diagonal starts, is on side 0.
    turned = np.where(side[vertex[loop[:, :1]]] == 0, loop, np.roll(loop, -1, axis=1))
    first, second = turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]
    points = positions(mesh).astype(float)[vertex]
    flat = np.einsum("ij,ij->i", _normals(points, first), _normals(points, second)) > 0.0
    others = ~np.isin(face, quad[flat])
    corners = np.concatenate([whole[others], first[flat], second[flat]])
    return corners, np.concatenate([face[others], quad[flat], quad[flat]])


def face_starts(mesh):
    """The first corner of every face, int32 [face]; its others follow."""
    start = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", start)
    return start


def corner_vertices(mesh):
    """Vertex of every corner of a face, int32 [corner]."""
    return attribute(mesh, ".corner_vert", "value", np.int32, 1).ravel()


def corner_uv(mesh):
    """The UV map that renders, float32 [corner, 2]; None if the mesh has no UV map."""
    layer = next((layer for layer in mesh.uv_layers if layer.active_render), None)
    return attribute(mesh, layer.name, "vector", np.float32, 2) if layer else None


def _normals(points, corners):
    a, b, c = (points[corners[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def loose_edges(mesh):
    """Edges without a face, int64 [edge]."""
    with_face = attribute(mesh, ".corner_edge", "value", np.int32, 1).ravel()
    return np.setdiff1d(np.arange(len(mesh.edges)), with_face)


def group_weights(ob, mesh, name):
    """Weights of all vertices of an object in a vertex group, float64 [vertex]; 0 for vertices
    outside of it.

    `mesh` is the evaluated one: modifiers may change weights.
    """
    group = ob.vertex_groups.get(name)
    if group is None:
        raise ValueError(message("pin.no_group", name=ob.name, group=name))
    index, weights = group.index, np.zeros(len(mesh.vertices))
    for vertex in mesh.vertices:
        for entry in vertex.groups:
            if entry.group == index:
                weights[vertex.index] = entry.weight
    return weights


def members(ob, mesh, name):
    """`group_weights`, but 0 for vertices that modifiers make between members of the group and
    others: those with less weight than any member of the object's own mesh.
    """
    weights = group_weights(ob, mesh, name)
    if len(weights) != len(ob.data.vertices):
        own = group_weights(ob, ob.data, name)
        weights[weights < (1.0 - ROUNDING) * own[own > 0.0].min(initial=np.inf)] = 0.0
    return weights


def matrix(ob):
    """World transform of an object with shear and negative scale, float64 [4, 4]."""
    return np.array(ob.matrix_world, dtype=np.float64)


def transformed(matrix, points):
    """Points [vertex, 3] under a 4x4 matrix, float64."""
    return np.asarray(points, np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
