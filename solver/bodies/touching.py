# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that are built to touch others, as by snapping: a cube that stands on a plane.

With a gap of 0 a pair has no normal, and no step would be allowed. So for contact such bodies are
drawn in, by less than can be seen.
"""

import numpy as np

from ..topology.meshes import vertex_normals
from .rigid import RigidBody

# Bodies are drawn in by this fraction of their size, but no more than by this fraction of their
# shortest edge.
DRAWN_IN, OF_EDGE = 3e-5, 1e-2
# What is nearer than this fraction of the size of a body touches it.
NEAR = 1e-5


def weights_in_touch(bodies, colliders):
    """Return the weights [point, 4] of the drawn-in points of solid rigid bodies that touch others
    at first, by the number of the body.

    A body touches another where the box around it meets triangles of that only at its sides, since
    things are snapped along axes. What lies in the box may be in the body, and begins as ever.
    """
    corners = [start_corners(body) for body in bodies]
    corners += [each.start[each.triangles] for each in colliders]
    boxes = [(each.min(axis=1), each.max(axis=1)) for each in corners]
    nothing = np.full((1, 3), np.inf)
    low = np.array([np.vstack([nothing, each]).min(axis=0) for each, _ in boxes])
    high = np.array([np.vstack([-nothing, each]).max(axis=0) for _, each in boxes])
    found = {}
    for number, body in enumerate(bodies):
        if not isinstance(body, RigidBody) or body.thickness is not None:
            continue  # the triangles of a solid face outwards
        near = NEAR * body.size
        begin, end = low[number] - near, high[number] + near
        for other in np.flatnonzero(((high > begin) & (low < end)).all(axis=1)):
            if other != number and touches(begin, end, near, *boxes[other]):
                found[number] = body.weights_of(drawn_in(body))
                break
    return found


def start_corners(body):
    """Return where the corners of the triangles of a body are at first [triangle, 3, 3]."""
    if isinstance(body, RigidBody):
        return body.mesh_points[body.triangles]
    surface = getattr(body, "surface", None)
    if surface is not None:
        return surface.points(body.points)[surface.triangles]
    triangles = getattr(body, "boundary", getattr(body, "triangles", None))
    return np.zeros((0, 3, 3)) if triangles is None else body.points[triangles]


def touches(begin, end, near, low, high):
    """Return whether the box of a body, from `begin` to `end` [m] with a margin of `near`, touches
    triangles in boxes from `low` to `high` [triangle, 3].
    """
    meets = ((high > begin) & (low < end)).all(axis=1)
    at_sides = ((high < begin + 2.0 * near) | (low > end - 2.0 * near)).any(axis=1)
    return bool(meets.any() and at_sides[meets].all())


def drawn_in(body):
    """Return the points of a rigid body [point, 3], drawn in along the normals of its mesh."""
    points, triangles = body.mesh_points, body.triangles
    edges = np.linalg.norm(points[triangles] - points[np.roll(triangles, 1, axis=1)], axis=2)
    depth = min(DRAWN_IN * body.size, OF_EDGE * edges.min())
    return points - depth * vertex_normals(points, triangles)
