# SPDX-License-Identifier: GPL-3.0-or-later
"""Absorption of force fields by objects with Blender's Collision physics in their way: each
transmits a fraction, after effect.cc (eff_calc_visibility).
"""

import numpy as np
from mathutils.bvhtree import BVHTree

from ..objects import read_mesh
from ..objects.identity import found, identity
from ..objects.units import unit_scale
from .reader import is_keyed, moves


def walls_against(scene, field):
    """Objects that absorb the force field of an object."""
    if not field.field.use_absorption:
        return []
    return [ob for ob in scene.objects if ob != field and ob.visible_get() and _is_wall(ob)]


def _is_wall(ob):
    used = any(m.type == "COLLISION" and m.show_viewport for m in ob.modifiers)
    if not used or not ob.collision.use or ob.type != "MESH":
        return False
    return ob.collision.absorption > 0.0 or is_keyed(ob, "collision.absorption")


def visibility_of(gathered, ob, depsgraph, numbers_at, shape):
    """Function of points [m] and time [s] that returns the fraction of the field of an object that
    reaches them; None without obstacles. `numbers_at` returns its `FieldNumbers`.
    """
    walls = [_wall(gathered, wall, depsgraph) for wall in walls_against(depsgraph.scene, ob)]
    if not walls:
        return None

    def visibility(time, points):
        fraction = np.ones(len(points))
        displacements = _displacements(numbers_at(time), shape, points)
        for wall in walls:
            tree, matrix, absorption = wall(time)
            fraction[_blocked(tree, matrix, points, displacements)] *= 1.0 - absorption
        return fraction

    visibility.made_of = [(matrix, absorption) for _, matrix, absorption in (w(0.0) for w in walls)]
    return visibility


def _wall(gathered, ob, depsgraph):
    """(tree of faces, its matrix to the world [m], absorption) of an object, by the time [s]."""
    key, reader = identity(ob), gathered.reader
    name = "wall", key
    start = _read(key, depsgraph)
    if not (moves(ob) or is_keyed(ob, "collision.absorption")):
        return lambda _: start
    reader.follow(name, lambda now: _read(key, now), start)
    return lambda time: reader.at(name, time)


def _read(key, depsgraph):
    ob = found(key)
    matrix = read_mesh.matrix(ob.evaluated_get(depsgraph))
    matrix[:3] *= unit_scale(depsgraph.scene)
    absorption = min(max(ob.evaluated_get(depsgraph).collision.absorption, 0.0), 1.0)
    return BVHTree.FromObject(ob, depsgraph), matrix, absorption


def _displacements(numbers, shape, points):
    """Displacements from points [point, 3] to the nearest point of a field's shape [point, 3]."""
    away = points - np.array(numbers.origin)
    axis = np.array(numbers.axis) / np.linalg.norm(numbers.axis)
    along = np.outer(away @ axis, axis)
    return -{"point": away, "line": away - along, "plane": along}[shape]


def _blocked(tree, matrix, points, displacements):
    """True for points whose displacement meets a face [point]."""
    inverse = np.linalg.inv(matrix)
    starts = read_mesh.transformed(inverse, points)
    inside = displacements @ inverse[:3, :3].T
    lengths = np.linalg.norm(inside, axis=1)
    hits = [
        length > 0.0 and tree.ray_cast(start, direction, length)[0] is not None
        for start, direction, length in zip(starts.tolist(), inside.tolist(), lengths, strict=True)
    ]
    return np.array(hits, bool)
