# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves before the first frame goes on: velocities from the frame before it. What moves after
it does so for its pins alone.
"""

import numpy as np
from mathutils.kdtree import KDTree

from ...solver.messages import message
from ..objects.curves import is_pinned, point_count
from ..objects.modifiers import reshaping
from ..objects.read_mesh import transformed
from ..objects.tetmesh import carried_rigidly
from .hint import Hint
from .reader import STILLNESS, curves_of, found, identity, read_pose

# Vertices of the mesh whose motion a corner of its lattice shares: enough to tell a rotation.
NEIGHBORS = 8
# What comes farther in a frame than this part of its size may as well have been put there.
LEAP = 0.1


def earlier_poses(context, objects):
    """Poses of `objects` two frames and one before the current one, by their identities."""
    frame = context.scene.frame_current
    return _poses(context, objects, [frame - 2, frame - 1])


def unfollowed(context, objects, earlier, count):
    """Notes about those of `objects`, all of which may move, that do so within the `count` frames
    after the current one though nothing of them is held to follow. `earlier` are their poses before
    it.
    """
    free = [ob for ob in objects if _is_free(ob)]
    frame, depsgraph = context.scene.frame_current, context.evaluated_depsgraph_get()
    starts = [read_pose(ob, depsgraph, True) for ob in free]
    poses = _poses(context, free, [frame + count // 2, frame + count])
    for ob, start in zip(free, starts, strict=True):
        if not all(pose is None or pose.is_close(start) for pose in poses[identity(ob)]):
            note = message("animation.no_pins", name=ob.name)
            yield Hint(note) if _is_thrown(ob, start, earlier[identity(ob)][1], frame) else note


def _is_free(ob):
    """Whether nothing holds an object, neither pins nor attachments."""
    return not is_pinned(ob) and not any(item.enabled for item in ob.vbd.attachments)


def _is_thrown(ob, start, before, frame):
    """Whether an object comes to frame `frame`, where it is let go, by a motion of its own
    keyframes that does not deform it, and does not leap at once. `start` and `before`: its poses
    there and one frame before.
    """
    if before is None or start.is_close(before) or not _is_free(ob):
        return False
    if not np.allclose(start.points, before.points, rtol=STILLNESS, atol=STILLNESS):
        return False
    curves = curves_of(ob.animation_data.action) if ob.animation_data else ()
    ways = [[curve.evaluate(frame - part) for part in (1.0, 0.5, 0.0)] for curve in curves]
    ways = [way for way in ways if way[0] != way[2]]
    return bool(ways) and all(way[1] not in (way[0], way[2]) for way in ways)


def _poses(context, objects, frames):
    """Poses of `objects` in some frames of the scene, by their identities.

    Read in the order of time: simulations of Blender's own need every frame.
    """
    scene, poses = context.scene, {identity(ob): [] for ob in objects}
    if not objects:
        return poses
    frame = scene.frame_current
    counts = {identity(ob): _count(ob, context) for ob in objects}
    try:
        for number in frames:
            scene.frame_set(number)
            depsgraph = context.evaluated_depsgraph_get()
            for ob in objects:
                try:
                    pose = read_pose(ob, depsgraph, True, counts[identity(ob)])
                except ValueError:  # not there yet, such as scaled to zero: it starts from rest
                    pose = None
                poses[identity(ob)].append(pose)
    finally:
        scene.frame_set(frame)
    return poses


def _count(ob, context):
    """Points of an object that are simulated."""
    if reshaping(ob):
        return len(ob.evaluated_get(context.evaluated_depsgraph_get()).data.vertices)
    return point_count(ob)


def set_going(body, target, earlier, before, frame, frame_time):
    """Give a body the velocity with which its object comes to frame `frame`, the first one.

    `earlier` and `before`: its poses two frames and one before. Returns notes for the user.
    """
    start = target.start
    if before is None or start.is_close(before):
        return []
    if target.shape is not None:
        earlier_points = target.shape.points(before)
    elif target.lattice is not None:
        lattice = _lattice_before(body.points, start, before)
        earlier_points = transformed(before.matrix, lattice)
    else:
        earlier_points = before.world_points()
        if target.own is not None:
            earlier_points = earlier_points[target.own]
    body.velocities = (body.points - earlier_points) / frame_time
    path = np.linalg.norm(start.world_points() - before.world_points(), axis=1).max()
    far = path > LEAP * np.linalg.norm(np.ptp(start.world_points(), axis=0))
    if far and earlier is not None and before.is_close(earlier):
        # Thrown, or put into the pose from which the animation starts: nobody can know.
        note = message(
            "animation.leaps", name=target.name, path=path, before=frame - 1, frame=frame
        )
        return [Hint(note) if _is_thrown(found(target.key), start, before, frame) else note]
    return []


def _lattice_before(points, start, before):
    """Where lattice points [m] were in the pose `before`, in object space."""
    points = transformed(np.linalg.inv(start.matrix), points)
    if np.allclose(start.points, before.points, rtol=STILLNESS, atol=STILLNESS):
        return points
    return _carried(points, start.points, before.points)


def _carried(points, start, now):
    """Where `points` [point, 3] are if each goes with the vertices of a mesh that are nearest."""
    tree = KDTree(len(start))
    for index, point in enumerate(start):
        tree.insert(point, index)
    tree.balance()
    count = min(NEIGHBORS, len(start))
    near = np.array([[index for _, index, _ in tree.find_n(point, count)] for point in points])
    leaders = start[near].astype(float)
    return carried_rigidly(points, leaders, now[near].astype(float))
