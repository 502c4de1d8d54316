# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices at one place: text and imported meshes have several where flat parts meet."""

import numpy as np

from ...solver.topology.inertia import is_closed

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
    """The same, if merging what coincides closes the surface of triangles [triangle, 3] that are
    open without it; else every point's own number, [point].
    """
    own = np.arange(len(points))
    if not len(triangles) or is_closed(triangles):
        return own
    first = first_at_place(points)
    merged = first[triangles]
    has_corners = (merged != np.roll(merged, 1, axis=1)).all()
    return first if has_corners and is_closed(merged) else own
