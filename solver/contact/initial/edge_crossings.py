# SPDX-License-Identifier: GPL-3.0-or-later
"""Crossings of edges and triangles, and points inside of closed meshes; float64 arrays."""

import numpy as np

# Solid angles that are computed together.
AT_ONCE = 200_000


def unit(vectors):
    """Return vectors of length 1; those without length stay 0."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(length, 1e-30)


def mean_normals(normals, keys):
    """Return for each of `keys` the direction of the sum of normals [row, 3] with that key."""
    _, group = np.unique(keys, axis=0, return_inverse=True)
    group = group.ravel()
    total = np.zeros_like(normals)
    np.add.at(total, group, normals)
    return unit(total)[group]


def crosses(p, q, a, b, c):
    """Return which segments pq pass through triangles abc, bool [crossing]; not by touching."""

    def side(u, v, w, x):
        return np.sign(((u - x) * np.cross(v - x, w - x)).sum(axis=1))

    turns = side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)
    through = (turns[0] == turns[1]) & (turns[1] == turns[2]) & (turns[0] != 0)
    return through & (side(a, b, c, p) * side(a, b, c, q) < 0)


def winding_numbers(points, corners):
    """Return how often a closed mesh of corners [triangle, 3, 3] winds round points [n, 3].

    Van Oosterom and Strackee, "The Solid Angle of a Plane Triangle" (1983).
    """
    found = np.zeros(len(points))
    step = max(1, AT_ONCE // max(len(corners), 1))
    for first in range(0, len(points), step):
        some = slice(first, first + step)
        a, b, c = np.moveaxis(corners - points[some, None, None], 2, 0)
        (la, lb, lc) = (np.linalg.norm(side, axis=2) for side in (a, b, c))
        volume = (a * np.cross(b, c)).sum(axis=2)
        flat = la * lb * lc + (a * b).sum(axis=2) * lc
        flat += (b * c).sum(axis=2) * la + (c * a).sum(axis=2) * lb
        found[some] = np.arctan2(volume, flat).sum(axis=1) / (2.0 * np.pi)
    return found


def crossing_weights(p, q, a, b, c):
    """Return each crossing's place on pq, and its barycentric weights in abc, both [crossing]."""
    normal = np.cross(b - a, c - a)
    fall = ((q - p) * normal).sum(axis=1)
    s = np.clip(((a - p) * normal).sum(axis=1) / np.where(fall == 0.0, 1.0, fall), 0.0, 1.0)
    point = p + s[:, None] * (q - p)
    size = (normal * normal).sum(axis=1)
    of_b = (np.cross(point - a, c - a) * normal).sum(axis=1) / size
    of_c = (np.cross(b - a, point - a) * normal).sum(axis=1) / size
    weights = np.clip(np.column_stack([1.0 - of_b - of_c, of_b, of_c]), 0.0, 1.0)
    return s, weights / weights.sum(axis=1, keepdims=True)


def wings(edges, triangles):
    """Return the vertices opposite to each edge in up to two triangles [edge, 2], -1 for none."""
    found = np.full((len(edges), 2), -1, dtype=np.int64)
    if not len(triangles):
        return found
    span = int(edges.max()) + 1
    key = np.sort(edges, axis=1).astype(np.int64) @ [span, 1]
    order = np.argsort(key)
    corners = triangles.astype(np.int64)
    ends = np.sort(corners[:, [[1, 2], [2, 0], [0, 1]]].reshape(-1, 2), axis=1) @ [span, 1]
    at = order[np.searchsorted(key[order], ends)]
    by_edge = np.argsort(at, kind="stable")
    at, opposite = at[by_edge], corners.ravel()[by_edge]
    nth = np.arange(len(at)) - np.searchsorted(at, at)
    keep = nth < 2
    found[at[keep], nth[keep]] = opposite[keep]
    return found
