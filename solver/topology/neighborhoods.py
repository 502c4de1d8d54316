# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges around the vertices of surfaces, by which each contact counts once."""

import numpy as np

from ..kernels.contact.detection.features import MANY


def third_corners(edges, triangles):
    """Return the third corners [edge, 2] of the triangles [triangle, 3] at `edges` [edge, 2], all
    unique: -1 where there is none, MANY where there are more than two.
    """
    span = int(max(edges.max(initial=0), triangles.max(initial=0))) + 1

    def keys(ends):
        low, high = ends.min(axis=1).astype(np.int64), ends.max(axis=1)
        return low * span + high

    sides = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    corners = np.concatenate([triangles[:, (k + 2) % 3] for k in range(3)])
    of_sides = keys(sides)
    by_edge = np.argsort(of_sides, kind="stable")
    first = np.searchsorted(of_sides[by_edge], keys(edges), side="left")
    end = np.searchsorted(of_sides[by_edge], keys(edges), side="right")
    found = np.full((len(edges), 2), -1, dtype=np.int32)
    for k in range(2):
        has = end > first + k
        found[has, k] = corners[by_edge[first[has] + k]]
    found[end > first + 2] = MANY
    return found


def neighborhoods(edges, triangles, count):
    """Return the edges around each of `count` vertices: their starts [vertex + 1] and, for each,
    its other end and the `third_corners`, int32 [entry, 3].
    """
    ends = np.concatenate([edges, edges[:, ::-1]])
    entries = np.concatenate(
        [ends[:, 1:], np.tile(third_corners(edges, triangles), (2, 1))], axis=1
    )
    order = np.argsort(ends[:, 0], kind="stable")
    start = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(ends[:, 0], minlength=count), out=start[1:])
    return start, entries[order].astype(np.int32)
