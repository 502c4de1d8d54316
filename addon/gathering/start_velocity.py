# SPDX-License-Identifier: GPL-3.0-or-later
"""Initial velocities of objects that move before the first frame, from the frame before it. Later
motion acts through pins alone.
"""

from dataclasses import replace

import numpy as np
from mathutils.kdtree import KDTree

from ...solver.messages import message
from ..objects.curves import is_pinned, point_count
from ..objects.identity import found, identity
from ..objects.modifiers import reshaping
from ..objects.read_mesh import transformed
from ..objects.tetmesh import carried_rigidly
from .hint import Hint
from .reader import STILLNESS, curves_of, read_pose
from .rigid import RigidTarget, set_velocity

# Vertices of the mesh whose motion a corner of its lattice averages: enough for a rotation.
NEIGHBORS = 8
# A displacement in a frame beyond this fraction of its size is a jump rather than a motion.
LEAP = 0.1


def earlier_poses(context, objects):
    """Poses of `objects` two frames and one before the current one, by their identities."""
    frame = context.scene.frame_current
    return _poses(context, objects, [frame - 2, frame - 1])


def unfollowed(context, objects, earlier, count):
    """Notes about those of `objects`, all of which may move, that move within the `count` frames
    after the current one though no part of them is held. `earlier` are their poses before it.
    """
    free = [ob for ob in objects if _is_free(ob)]
    frame, depsgraph = context.scene.frame_current, context.evaluated_depsgraph_get()
    starts = [read_pose(ob, depsgraph, _has_shape(ob)) for ob in free]
    poses = _poses(context, free, [frame + count // 2, frame + count])
    for ob, start in zip(free, starts, strict=True):
        if not all(pose is None or pose.is_close(start) for pose in poses[identity(ob)]):
            which = "animation.no_pins" if _has_shape(ob) else "animation.rigid_free"
            note = message(which, name=ob.name)
            yield Hint(note) if _is_thrown(ob, start, earlier[identity(ob)][1], frame) else note


def _has_shape(ob):
    """Return whether the shape of an object may change; else its pose has no points."""
    return ob.vbd.role != "RIGID"


def _is_free(ob):
    """Return whether nothing holds an object, neither pins, attachments nor its animation."""
    if ob.vbd.role == "RIGID" and ob.vbd.use_animation:
        return False
    return not is_pinned(ob) and not any(item.enabled for item in ob.vbd.attachments)


def _is_thrown(ob, start, before, frame):
    """Return whether an object reaches frame `frame`, where it is released, by its own keyframes
    without deformation or a jump. `start` and `before`: its poses there and one frame before.
    """
    if before is None or start.is_close(before) or not _is_free(ob):
        return False
    if before.points is not None and not start.has_shape_of(before):
        return False
    curves = curves_of(ob.animation_data.action) if ob.animation_data else ()
    samples = [[curve.evaluate(frame - back) for back in (1.0, 0.5, 0.0)] for curve in curves]
    samples = [sample for sample in samples if sample[0] != sample[2]]
    return bool(samples) and all(sample[1] not in (sample[0], sample[2]) for sample in samples)


def _poses(context, objects, frames):
    """Poses of `objects` in some frames of the scene, by their identities.

    Read in the order of time: simulations of Blender's own need every frame.
    """
    scene, poses = context.scene, {identity(ob): [] for ob in objects}
    if not objects:
        return poses
    frame = scene.frame_current
    counts = {identity(ob): _count(ob, context) for ob in objects if _has_shape(ob)}
    try:
        for number in frames:
            scene.frame_set(number)
            depsgraph = context.evaluated_depsgraph_get()
            for ob in objects:
                try:
                    pose = read_pose(ob, depsgraph, _has_shape(ob), counts.get(identity(ob)))
                except ValueError:  # not yet usable, such as scaled to zero: it starts from rest
                    pose = None
                poses[identity(ob)].append(pose)
    finally:
        scene.frame_set(frame)
    return poses


def _count(ob, context):
    """Number of simulated points of an object."""
    if reshaping(ob):
        return len(ob.evaluated_get(context.evaluated_depsgraph_get()).data.vertices)
    return point_count(ob)


def set_initial_velocity(body, target, earlier, before, frame, frame_time):
    """Give a body the velocity with which its object reaches frame `frame`, the first one.

    `earlier` and `before`: its poses two frames and one before. Returns notes for the user.
    """
    start = target.start
    if isinstance(target, RigidTarget):
        earlier, before = (p and replace(p, points=start.points) for p in (earlier, before))
    if before is None or start.is_close(before):
        return []
    if isinstance(target, RigidTarget):
        set_velocity(body, start.matrix, before.matrix, frame_time)
    else:
        earlier_points = _points_before(body, target, before)
        body.velocities = (body.points - earlier_points) / frame_time
    path = np.linalg.norm(start.world_points() - before.world_points(), axis=1).max()
    far = path > LEAP * np.linalg.norm(np.ptp(start.world_points(), axis=0))
    if far and earlier is not None and before.is_close(earlier):
        # Thrown, or put into the pose from which the animation starts: both look alike.
        note = message(
            "animation.leaps", name=target.name, path=path, before=frame - 1, frame=frame
        )
        return [Hint(note) if _is_thrown(found(target.key), start, before, frame) else note]
    return []


def _points_before(body, target, before):
    """Positions of the points of a body [m] in the pose `before` of its object."""
    if target.shape is not None:
        return target.shape.points(before)
    if target.lattice is not None:
        lattice = _lattice_before(body.points, target.start, before)
        return transformed(before.matrix, lattice)
    points = before.world_points()
    return points if target.own is None else points[target.own]


def _lattice_before(points, start, before):
    """Positions of lattice points [m] in the pose `before`, in object space."""
    points = transformed(np.linalg.inv(start.matrix), points)
    if np.allclose(start.points, before.points, rtol=STILLNESS, atol=STILLNESS):
        return points
    return carried(points, start.points, before.points)


def carried(points, start, now):
    """Positions of `points` [point, 3] that each move with the nearest vertices of a mesh."""
    tree = KDTree(len(start))
    for index, point in enumerate(start):
        tree.insert(point, index)
    tree.balance()
    count = min(NEIGHBORS, len(start))
    near = np.array([[index for _, index, _ in tree.find_n(point, count)] for point in points])
    leaders = start[near].astype(float)
    return carried_rigidly(points, leaders, now[near].astype(float))
