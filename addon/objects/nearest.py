# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest places on triangles and edges."""

import numpy as np
from mathutils.bvhtree import BVHTree

from ...solver.lattice.triangle_queries import nearest_on_triangles

# Pairs of a point and an edge in one batch.
TOGETHER = 1 << 20


def nearest(points, vertices, elements):
    """The triangles, edges or grains [element, 3, 2 or 1] nearest to `points` [point, 3], and the
    nearest place on each: [point] and [point, 3], float64.
    """
    if elements.shape[1] < 3:
        return _nearest_edges(points, vertices[elements[:, [0, -1]]])
    # The tree has float32: near the origin it keeps more digits.
    middle = vertices.mean(axis=0)
    tree = BVHTree.FromPolygons((vertices - middle).tolist(), elements.tolist())
    found = np.array([tree.find_nearest(point)[2] for point in points - middle], np.int64)
    return found, nearest_on_triangles(points, vertices[elements[found]])


def _nearest_edges(points, ends):
    """Nearest edges, for edges with their `ends` [edge, 2, 3], both in one place for grains."""
    found, places = [], []
    step = ends[:, 1] - ends[:, 0]
    size = np.maximum((step**2).sum(axis=1), 1e-300)
    for some in np.array_split(points, 1 + len(points) * len(ends) // TOGETHER):
        along = ((some[:, None] - ends[:, 0]) * step).sum(axis=2) / size
        place = ends[:, 0] + along.clip(0.0, 1.0)[:, :, None] * step
        edge = ((place - some[:, None]) ** 2).sum(axis=2).argmin(axis=1)
        found.append(edge)
        places.append(place[np.arange(len(some)), edge])
    return np.concatenate(found), np.concatenate(places)


def weights_in(places, corners):
    """Barycentric weights [place, n] of the corners [place, n, 3] of triangles or edges for places
    in them, [place, 3].
    """
    first, sides = corners[:, 0], corners[:, 1:] - corners[:, :1]
    rest = np.einsum("pik,pi->pk", np.linalg.pinv(sides), places - first)
    weights = np.concatenate([1.0 - rest.sum(axis=1, keepdims=True), rest], axis=1).clip(0.0)
    return weights / weights.sum(axis=1, keepdims=True)


def frames(corners):
    """Rotations of triangles [n, 3, 3]: axes along the first edge, in the plane, and across it."""
    along = corners[:, 1] - corners[:, 0]
    normal = np.cross(along, corners[:, 2] - corners[:, 0])
    axes = np.stack([along, np.cross(normal, along), normal], axis=2)
    return axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-300)
