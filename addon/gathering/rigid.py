# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies: an object as it is seen, with all its modifiers, and the map from the pose of its
body back to the object's own transform.
"""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from mathutils import Matrix

from ...solver.bodies import RigidBody
from ...solver.bodies.rigid import KEYED
from ...solver.messages import message
from ...solver.report.lengths import length
from ...solver.topology.inertia import is_closed
from ..objects import read_mesh
from ..objects.identity import found, identity
from ..objects.rigid_mass import walls
from ..objects.units import unit_scale
from ..objects.welding import closing, with_area
from ..playing.object_keys import rows_of, space_of
from ..playing.rotations import nearest_rotations
from ..values.painting import label
from .field_weights import field_weights
from .hint import Hint
from .keyed import keyed_names, keyed_values
from .material import material_of
from .reader import deforms, moves
from .target import Target, outward

# Axes of a transform whose angle differs from a right one by more than this cosine are sheared.
SHEAR = 1e-4


@dataclass
class RigidTarget(Target):
    """An object that will be baked as a rigid body; `corners` are the points of its body for
    attachments.
    """

    body: RigidBody | None = None
    space: object = None
    """The transform [4, 4] from the object's own location, rotation and scale to the world, in the
    units of the scene, by the time [s].
    """
    unit: float = 1.0
    """Metres in a unit of the scene."""

    def visible(self, positions, pose, offsets=None):
        return positions

    def stored_start(self):
        return self._rows(np.eye(4), 0.0)

    def stored(self, positions, pose, time, offsets=None):
        """The rows of the object's transform (`object_keys.py`) for `positions` of the body [m]."""
        center, rotation = self.body.pose_of(positions)
        motion = np.eye(4)
        motion[:3, :3] = rotation
        motion[:3, 3] = center - rotation @ self.body.properties.center
        return self._rows(motion, time)

    def _rows(self, motion, time):
        """The rows for a `motion` [4, 4] since the start, in the world [m]."""
        world = motion @ self.start.matrix
        world[:3] /= self.unit
        return rows_of(np.linalg.inv(self.space(time)) @ world).astype(np.float32)


def rigid_body(gathered, ob, depsgraph, pose):
    """The `RigidBody` of an object, which becomes a target of the bake."""
    _refuse_own_physics(ob)
    material = material_of(ob)
    points, triangles, corners = _surface(ob, depsgraph, pose)
    target = RigidTarget(
        ob.name,
        identity(ob),
        pose,
        [],
        False,
        corners=corners,
        weights=np.ones(corners.shape),
        space=_space_in_time(gathered, ob, depsgraph),
        unit=unit_scale(depsgraph.scene),
    )
    _refuse_shear(ob, target)
    until = end_of_animation(ob, gathered)
    body = target.body = RigidBody(
        points,
        triangles,
        material,
        mass=ob.vbd.mass if ob.vbd.use_mass else None,
        thickness=_walls(gathered, ob, triangles),
        name=ob.name,
        field_weights=field_weights(ob),
        keyed=_keyed(gathered, ob, material),
        poses=None if until is None else _poses(gathered, ob, pose),
        until=until,
    )
    target.faces = body.triangles
    gathered.targets.append(target)
    if deforms(ob):
        gathered.notes.append(message("note.rigid_deforms", name=ob.name))
    return body


def _refuse_own_physics(ob):
    """Refuse an object that Blender's own rigid bodies would move once more."""
    own = ob.rigid_body
    if own is not None and own.type == "ACTIVE" and own.enabled and not own.kinematic:
        raise ValueError(message("mesh.rigid_twice", name=ob.name))


def _keyed(gathered, ob, material):
    """The functions of time for `RigidBody.keyed`; refuses keyframes of what stays constant."""
    for name in sorted(keyed_names(ob) - set(KEYED)):
        raise ValueError(message("material.rigid_keyed", name=ob.name, property=label(name)))
    return keyed_values(gathered, ob, SimpleNamespace(material=material))


def _surface(ob, depsgraph, pose):
    """Points [point, 3] in the world [m] and triangles [triangle, 3] of an object as it is seen,
    without faces that have no area, and vertices without a face, and with one point for vertices at
    one place that would leave it open; and for every vertex its point, or the nearest one,
    [vertex, 1].
    """
    points = pose.world_points()
    triangles = outward(read_mesh.triangles(ob.evaluated_get(depsgraph).data), pose)
    first = closing(points, triangles)
    triangles = with_area(points, first[triangles]) if len(triangles) else triangles
    if not len(triangles):
        raise ValueError(message("mesh.rigid_without_faces", name=ob.name))
    used, numbers = np.unique(triangles, return_inverse=True)
    corners = np.searchsorted(used, first)
    for loose in np.flatnonzero(~np.isin(first, used)):
        corners[loose] = np.linalg.norm(points[used] - points[loose], axis=1).argmin()
    return points[used], numbers.reshape(-1, 3), corners[:, None]


def _walls(gathered, ob, triangles):
    """The thickness of the walls of a body [m]; None for one that is filled."""
    if ob.vbd.is_hollow:
        return walls(ob)
    if is_closed(triangles):
        return None
    note = message("note.rigid_open", name=ob.name, walls=length(walls(ob)))
    gathered.notes.append(Hint(note))
    return walls(ob)


def _space_in_time(gathered, ob, depsgraph):
    """The function of time for `RigidTarget.space`."""
    reader, key, start = gathered.reader, identity(ob), space_of(ob, depsgraph)
    if ob.parent is None or not moves(ob.parent):
        return lambda _: start
    name = "space", key
    reader.follow(name, lambda now: space_of(found(key), now), start)
    return lambda time: reader.at(name, time)


def _refuse_shear(ob, target):
    """Refuse an object whose turned transform is no location, rotation and scale of its own."""
    own, space = target.stored_start()[:3], target.space(0.0)[:3, :3].T
    own, space = (axes @ axes.T for axes in (own, space))
    sizes = np.sqrt(np.diag(own))
    turned = space / np.trace(space) - np.eye(3) / 3.0
    if max(np.abs(own / np.outer(sizes, sizes) - np.eye(3)).max(), np.abs(turned).max()) > SHEAR:
        blamed = ob.parent.name if ob.parent else ob.name
        raise ValueError(message("mesh.rigid_sheared", name=ob.name, parent=blamed))


def end_of_animation(ob, gathered):
    """The time [s] until which an object follows its animation; None for one that is free."""
    frames = ob.vbd.animated_until - gathered.frame_start
    follows = ob.vbd.use_animation and frames > 0
    return frames * gathered.settings.frame_time if follows else None


def _poses(gathered, ob, pose):
    """The function of time for `RigidBody.poses`; an object that does not move is held."""
    reader, key = gathered.reader, identity(ob)
    if not moves(ob):
        return lambda _: np.eye(4)
    reader.add(ob, pose, with_points=False)
    return lambda time: motion_between(pose.matrix, reader.at(key, time).matrix)


def motion_between(start, now):
    """The rotation and shift [4, 4] that brings a transform [4, 4] near another one, with its
    origin.
    """
    motion = np.eye(4)
    motion[:3, :3] = nearest_rotations((now @ np.linalg.inv(start))[None, :3, :3])[0]
    motion[:3, 3] = now[:3, 3] - motion[:3, :3] @ start[:3, 3]
    return motion


def set_velocity(body, start, before, frame_time):
    """Give a body the velocities of the motion from the transform `before` to `start` [4, 4] [m] in
    a frame [s].
    """
    motion = motion_between(start, before)  # back
    center, turn = body.properties.center, Matrix(motion[:3, :3]).to_quaternion()
    earlier = motion[:3, :3] @ center + motion[:3, 3]
    axis, angle = turn.to_axis_angle()
    body.velocity = (center - earlier) / frame_time
    body.angular_velocity = -np.array(axis) * angle / frame_time
    body.velocities = body.velocity_at(body.points)
