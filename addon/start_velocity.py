# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves before the first frame goes on: velocities from the frame before it."""

import numpy as np
from mathutils.kdtree import KDTree

from .feed import STILLNESS, read_pose
from .read_mesh import transformed
from .tetmesh import carried_rigidly

# Vertices of the mesh whose motion a corner of its lattice shares: enough to tell a rotation.
NEIGHBORS = 8


def earlier_poses(context, objects):
    """Poses of `objects` in the frame before the current one, by their names."""
    scene, poses = context.scene, {}
    frame = scene.frame_current
    scene.frame_set(frame - 1)
    try:
        depsgraph = context.evaluated_depsgraph_get()
        for ob in objects:
            try:
                poses[ob.name] = read_pose(ob, depsgraph, True, len(ob.data.vertices))
            except ValueError:
                continue  # not there yet, such as scaled to zero: it comes to rest in its place
    finally:
        scene.frame_set(frame)
    return poses


def start_velocities(points, start, before, frame_time, is_lattice=False):
    """Velocities [m/s] of a body at `points` [m], [vertex, 3], or None where it stands still.

    `start` and `before`: poses of its object at the start and a frame time earlier, or None. The
    points are the object's vertices, or those of the lattice around them.
    """
    if before is None or start.is_close(before):
        return None
    places = before.points
    if is_lattice:
        places = transformed(np.linalg.inv(start.matrix), points)
        if not np.allclose(start.points, before.points, rtol=STILLNESS, atol=STILLNESS):
            places = _carried(places, start.points, before.points)
    return (points - transformed(before.matrix, places)) / frame_time


def _carried(places, start, now):
    """Where `places` [point, 3] are if each goes with the vertices of a mesh that are nearest."""
    tree = KDTree(len(start))
    for index, point in enumerate(start):
        tree.insert(point, index)
    tree.balance()
    count = min(NEIGHBORS, len(start))
    near = np.array([[index for _, index, _ in tree.find_n(place, count)] for place in places])
    leaders = start[near].astype(float)
    return carried_rigidly(places, leaders, now[near].astype(float))
