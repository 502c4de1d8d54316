# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes for the overlays of an object, as arrays: weights of pins, and stretch."""

import numpy as np

from ..objects import read_mesh
from ..objects.measures import edge_stretch, triangle_stretch
from ..objects.stored_records import bake_record
from ..playing import follower
from ..playing.playback import is_baked


def pin_weights(ob):
    """Weights of all vertices in the pin group of a mesh [vertex]; None without any."""
    if ob.type != "MESH" or ob.vbd.pin_group not in ob.vertex_groups:
        return None
    weights = read_mesh.group_weights(ob, ob.data, ob.vbd.pin_group)
    return weights if weights.any() else None


def measured_elements(ob):
    """Measured elements of a mesh: triangles [triangle, 3], for a cloth those of the solver, or
    edges [edge, 2] of a rod; None for objects without a mesh.
    """
    if ob.type != "MESH":
        return None
    if ob.vbd.role == "ROD":
        return read_mesh.edges(ob.data)
    if ob.vbd.role == "CLOTH":
        return read_mesh.corner_vertices(ob.data)[read_mesh.cloth_corners(ob.data)[0]]
    return read_mesh.triangles(ob.data)


def drawn_elements(ob, depsgraph):
    """Triangles [triangle, 3] of a mesh as Blender draws them now, which may split quads along
    other diagonals from frame to frame; edges of a rod.
    """
    if ob.vbd.role == "ROD":
        return read_mesh.edges(ob.data)
    evaluated = ob.evaluated_get(depsgraph).data
    same = len(evaluated.vertices) == len(ob.data.vertices)
    return read_mesh.triangles(evaluated if same else ob.data)


def stretched(ob, elements, depsgraph):
    """Current points [vertex, 3], and the stretch of `elements` [element]: the larger principal one
    of triangles, that of length of edges; None in the middle of an edit.
    """
    linear = read_mesh.matrix(ob)[:3, :3]
    rest, now = rest_points(ob) @ linear.T, shown_points(ob, depsgraph)
    if len(rest) != len(now):
        return None
    stretch = triangle_stretch if elements.shape[1] == 3 else edge_stretch
    return now, stretch(rest, now, elements)


def stretch_of_bake(ob, depsgraph):
    """Current points [vertex, 3] and triangles [triangle, 3] of a soft body that plays a bake of
    other vertices than those of its mesh, and their stretch against its start [triangle]; None for
    others, or if modifiers below make vertices.
    """
    record = bake_record(ob)
    holder = follower.holder_of(ob, record["mesh_cache"]) if "follows" in record else None
    if holder is None or ob.vbd.role != "SOFT":
        return None
    evaluated, linear = ob.evaluated_get(depsgraph), read_mesh.matrix(ob)[:3, :3]
    now = read_mesh.transformed(read_mesh.matrix(ob), read_mesh.positions(evaluated.data))
    rest = rest_points(holder) @ linear.T
    if len(rest) != len(now):
        return None
    triangles = read_mesh.triangles(evaluated.data)
    return now, triangles, triangle_stretch(rest, now, triangles)


def rest_points(ob):
    """Points of an object where its bake starts, else of its mesh, float64 [vertex, 3]."""
    key = ob.data.shape_keys
    if is_baked(ob) and key:
        first = next(iter(bake_record(ob)["blocks"]), None)
        if first in key.key_blocks:
            return _of_block(key.key_blocks[first])
    return read_mesh.positions(ob.data).astype(np.float64)


def shown_points(ob, depsgraph):
    """Points of an object in the world as shown, float64 [vertex, 3]: without modifiers if these
    change the vertices, as Subdivision Surface does.
    """
    evaluated = ob.evaluated_get(depsgraph)
    points = read_mesh.positions(evaluated.data)
    if len(points) != len(ob.data.vertices):
        points = _mixed(ob)
    return read_mesh.transformed(read_mesh.matrix(evaluated), points)


def _mixed(ob):
    """Points [vertex, 3] of a mesh under its shape keys now."""
    key = ob.data.shape_keys
    if key is None:
        return read_mesh.positions(ob.data)
    blocks = list(key.key_blocks)
    if not key.use_relative:
        times = np.array([block.frame for block in blocks])
        after = int(np.clip(np.searchsorted(times, key.eval_time), 1, len(blocks) - 1))
        begin, end = times[after - 1 : after + 1]
        fraction = np.clip((key.eval_time - begin) / max(end - begin, 1e-9), 0.0, 1.0)
        return (1.0 - fraction) * _of_block(blocks[after - 1]) + fraction * _of_block(blocks[after])
    points = _of_block(key.reference_key)
    for block in blocks:
        if block != key.reference_key and block.value and not block.mute:
            points = points + block.value * (_of_block(block) - _of_block(block.relative_key))
    return points


def _of_block(block):
    points = np.empty((len(block.data), 3), np.float32)
    block.data.foreach_get("co", points.ravel())
    return points.astype(np.float64)
