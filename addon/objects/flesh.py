# SPDX-License-Identifier: GPL-3.0-or-later
"""Flesh between the skin of a mesh and the bones of its rig: how deep it is, which weights of pins
hold it, and how small its cells must be.
"""

from dataclasses import dataclass

import numpy as np
from mathutils.bvhtree import BVHTree

from . import read_mesh
from .stiff_bones import armature_modifier

# Stiff radius around bones over the size of the figure: 6 cm of a human, as far as arms and knees
# reach.
BONE = 0.035
# Deepest flesh over the size of the figure: inside of it are ribs, hips and the wall of the belly.
DEEPEST = 0.07
# Vertices follow a bone from this part of their weights on.
FOLLOWS = 0.1
# What is softer than this counts as soft: muscles around thin bones do not.
SOFT = 0.75
# Part of the vertices at either end of a list that are left out, as there are odd ones.
ODD = 0.02
# Cells across the thinnest soft part and down to the bottom of the deepest flesh, at least, and the
# numbers of cells along the mesh that are sensible.
ACROSS, DEEP, FEWEST, MOST = 3, 2, 8, 64
# Passes that even out depths between neighbors.
SMOOTHING = 5


@dataclass
class Flesh:
    """Pin `weights` [vertex], the `depth` [unit of Blender] of flesh where they are 0, and the
    cells along the mesh, `resolution`.
    """

    weights: np.ndarray
    depth: float
    resolution: int


def flesh_of(ob, stiff):
    """The `Flesh` of a mesh object around the bones of its rig, which all are at rest; `stiff` are
    the names of bones that have none.
    """
    mesh, rig = ob.data, armature_modifier(ob).object
    points = read_mesh.transformed(read_mesh.matrix(ob), read_mesh.positions(mesh))
    triangles = read_mesh.triangles(mesh)
    size = np.ptp(points, axis=0).max()
    names, shares = _shares(ob, [bone.name for bone in rig.data.bones if bone.use_deform])
    ends = [(rig.data.bones[n].head_local, rig.data.bones[n].tail_local) for n in names]
    ends = read_mesh.transformed(read_mesh.matrix(rig), np.array(ends).reshape(-1, 3))
    to_bone = _distances(points, ends.reshape(-1, 2, 3))
    to_bone[shares < FOLLOWS * shares.max(axis=1, keepdims=True)] = np.inf
    depth = np.maximum(to_bone.min(axis=1) - BONE * size, 0.0)
    depth[~np.isfinite(depth)] = 0.0  # vertices without a bone
    depth = _smooth(depth, read_mesh.edges(mesh))
    depth *= 1.0 - shares[:, np.isin(names, list(stiff))].sum(axis=1)
    deepest = min(np.quantile(depth, 1.0 - ODD), DEEPEST * size)
    if not deepest > 0.0:
        return None
    weights = np.clip(1.0 - depth / deepest, 0.0, 1.0)
    soft = weights < SOFT
    thinnest = np.quantile(_thickness(points, triangles)[soft], ODD)
    cell_size = min(thinnest / ACROSS, deepest / DEEP)
    resolution = int(np.clip(np.ceil(size / cell_size), FEWEST, MOST))
    return Flesh(weights, float(deepest), resolution)


def _shares(ob, wanted):
    """Names of vertex groups among those `wanted`, and their part of the weight of each vertex,
    [vertex, group].
    """
    number = {g.index: g.name for g in ob.vertex_groups if g.name in set(wanted)}
    names = list(number.values())
    column = {index: names.index(name) for index, name in number.items()}
    shares = np.zeros((len(ob.data.vertices), len(names)))
    for vertex in ob.data.vertices:
        for entry in vertex.groups:
            if entry.group in column:
                shares[vertex.index, column[entry.group]] = entry.weight
    return names, shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)


def _distances(points, ends):
    """Distances of points [point, 3] to lines between `ends` [line, 2, 3], [point, line]."""
    found = np.empty((len(points), len(ends)))
    for number, (a, b) in enumerate(ends):
        along = ((points - a) @ (b - a) / max((b - a) @ (b - a), 1e-30)).clip(0.0, 1.0)
        found[:, number] = np.linalg.norm(points - a - along[:, None] * (b - a), axis=1)
    return found


def _smooth(values, edges):
    """Values [vertex] after some passes in which each becomes the mean of it and its neighbors."""
    both = np.concatenate([edges, edges[:, ::-1]])
    count = 1.0 + np.bincount(both[:, 0], minlength=len(values))
    for _ in range(SMOOTHING):
        values = (values + np.bincount(both[:, 0], values[both[:, 1]], len(values))) / count
    return values


def _thickness(points, triangles):
    """Distance from each point of a surface straight inwards to its other side, [point]."""
    a, b, c = (points[corner] for corner in triangles.T)
    normals = np.zeros_like(points)
    np.add.at(normals, triangles, np.cross(b - a, c - a)[:, None])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    tree = BVHTree.FromPolygons(points.tolist(), triangles.tolist())
    start = points - 1e-3 * np.ptp(points, axis=0).max() * normals
    hits = (tree.ray_cast(p, -n)[3] for p, n in zip(start, normals, strict=True))
    return np.array([np.inf if way is None else way for way in hits])
