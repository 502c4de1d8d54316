# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that are closed but for vertices at one place, where flat parts of text and of imported
meshes meet, or for faces without area.
"""

import numpy as np

from ...solver.topology.inertia import is_closed
from ...solver.topology.meshes import are_flat

# Vertices nearer than this fraction of the size of the mesh coincide.
SAME = 1e-6


def first_at_place(points):
    """Number of the first of the points [point, 3] that coincide with each one, [point]."""
    if not len(points):
        return np.empty(0, dtype=np.int64)
    low, size = points.min(axis=0), np.ptp(points, axis=0).max()
    cells = np.rint((points - low).astype(np.float64) / max(SAME * size, 1e-30)).astype(np.int64)
    keys = cells @ (1 << np.array([0, 21, 42]))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return first[place.ravel()]


def closing(points, triangles):
    """Number of the first point that coincides with each one, [point], if merging these closes the
    surface of triangles [triangle, 3] that are open without it; else every point's own number.
    """
    own = np.arange(len(points))
    if not len(triangles) or is_closed(triangles):
        return own
    first = first_at_place(points)
    merged = first[triangles]
    has_corners = (merged != np.roll(merged, 1, axis=1)).all()
    return first if has_corners and is_closed(merged) else own


def with_area(points, triangles):
    """The `triangles` [triangle, 3] that have an area. A corner without one, on an edge of the next
    triangle, divides that: both take the other diagonal, so that a closed surface stays closed.
    """
    triangles, flat = triangles.copy(), are_flat(points, triangles)
    beside = _by_edge(triangles, np.unique(triangles[flat]))
    for number in np.flatnonzero(flat):
        corners = triangles[number]
        edges = points[np.roll(corners, -1)] - points[corners]
        a, c, b = np.roll(corners, -int(np.linalg.norm(edges, axis=1).argmax()))
        if len(beside.get((c, a), ())) != 1:
            continue
        (other,) = beside[c, a]
        d = next(d for *ends, d in _turns(triangles[other]) if ends == [c, a])
        both = np.array([(a, d, b), (d, c, b)])
        if are_flat(points, both).any():
            continue
        for which, new in zip((number, other), both, strict=True):
            for start, end, _ in _turns(triangles[which]):
                beside.get((start, end), set()).discard(which)
            triangles[which] = new
        for which in (number, other):
            for start, end, _ in _turns(triangles[which]):
                beside.setdefault((start, end), set()).add(which)
    return triangles[~are_flat(points, triangles)] if flat.any() else triangles


def _turns(triangle):
    """The corners of a triangle [3], beginning with each of them."""
    a, b, c = triangle
    return (a, b, c), (b, c, a), (c, a, b)


def _by_edge(triangles, among):
    """The numbers of the triangles [triangle, 3] at each directed edge between two points `among`
    others, sets by its ends.
    """
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2)
    found = {}
    for number, corner in np.argwhere(np.isin(ends, among).all(axis=2)):
        found.setdefault(tuple(ends[number, corner]), set()).add(number)
    return found
