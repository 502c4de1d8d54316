# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders at the instances made by collections, geometry nodes, faces or particles."""

import bpy
import numpy as np

from ...solver.bodies import Collider
from ...solver.messages import message
from ..objects import read_mesh
from ..objects.identity import found, identity
from ..objects.modifiers import may_change_count
from ..objects.units import shown, unit_scale
from .keyed import friction_of, static_friction_of
from .reader import moves


def takes_part(ob):
    """Return whether the instances of an object act as colliders."""
    return ob.vbd.role == "COLLIDER" and ob.type == "MESH" and ob.vbd.collider_shape == "MESH"


def movers(depsgraph):
    """Objects that determine the places of instances of colliders."""
    owners, originals = set(), set()
    for instance in depsgraph.object_instances:
        if instance.is_instance and takes_part(instance.object.original):
            originals.add(instance.object.original)
            if instance.parent:
                owners.add(instance.parent.original)
    if not originals:
        return set()
    return owners | originals | {ob for ob in bpy.data.objects if ob.is_instancer}


def instanced_colliders(gathered, depsgraph):
    """A `Collider` for each instanced object, with all its instances; (object, it) pairs."""
    owners = movers(depsgraph)
    moving = any(map(moves, owners))
    gathered.reader.unsure |= any(map(may_change_count, owners))
    return [
        (found(key), _collider(gathered, key, *shape, moving))
        for key, shape in _shapes(depsgraph).items()
    ]


def _collider(gathered, key, points, triangles, moving):
    reader, ob, track = gathered.reader, found(key), ("instances", *key)
    name = f"{ob.name} (instances)"
    if moving:
        reader.follow(track, lambda now: _points_again(key, now, len(points)), points)
    return Collider(
        (lambda time: reader.at(track, time)) if moving else points,
        triangles,
        friction=friction_of(gathered, ob),
        static_friction=static_friction_of(ob),
        thickness=shown(ob.vbd, "collision_thickness"),
        name=name,
    )


def _shapes(depsgraph):
    """World points [m] and triangles of all instances of each collider, by its identity."""
    parts = {}
    for instance in depsgraph.object_instances:
        original = instance.object.original
        if not (instance.is_instance and takes_part(original)):
            continue
        mesh = instance.object.data
        triangles = read_mesh.triangles(mesh)
        if not len(triangles):
            continue
        matrix = np.array(instance.matrix_world, dtype=np.float64)
        matrix[:3] *= unit_scale(depsgraph.scene)
        if np.linalg.det(matrix[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]
        points, faces = parts.setdefault(identity(original), ([], []))
        faces.append(triangles + sum(map(len, points)))
        points.append(read_mesh.transformed(matrix, read_mesh.positions(mesh)))
    return {key: tuple(map(np.concatenate, part)) for key, part in parts.items()}


def _points_again(key, depsgraph, count):
    """The points of a later frame; the count must be that of the first."""
    points, _ = _shapes(depsgraph).get(key, (np.empty((0, 3)), None))
    if len(points) != count:
        raise ValueError(
            message(
                "animation.instances",
                name=key[0],
                count=len(points),
                frame=depsgraph.scene.frame_current,
                before=count,
            )
        )
    return points
