# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of a surface: shells, closed if they enclose a volume."""

import numpy as np

from ..topology.graphs import connected_components


def welded(points, triangles):
    """Triangles [triangle, 3] with coincident corners merged into one point."""
    order = np.lexsort(points.T)
    new = np.append(True, (points[order][1:] != points[order][:-1]).any(axis=1))
    first = np.empty(len(points), np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first[triangles]


def shells(points, triangles):
    """True for triangles of closed shells, bool [triangle], and whether the normals of the whole
    surface point outwards.

    A shell, connected by shared points, is closed if its triangles run along each edge equally
    often in both directions.
    """
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    low, high = edges.min(axis=1).astype(np.int64), edges.max(axis=1)
    keys, edge = np.unique(low * len(points) + high, return_inverse=True)
    ends = np.stack(np.divmod(keys, len(points)), axis=1)
    shell = connected_components(ends, len(points))
    unequal = np.bincount(edge, weights=np.where(edges[:, 0] == low, 1.0, -1.0)) != 0.0
    is_open = np.zeros(shell.max() + 1, bool)
    is_open[shell[ends[unequal, 0]]] = True
    of_triangle = shell[triangles[:, 0]]
    used = np.bincount(of_triangle, minlength=len(is_open))
    middles = (
        np.column_stack(
            [np.bincount(of_triangle, along, len(is_open)) for along in points[triangles].mean(1).T]
        )
        / np.maximum(used, 1)[:, None]
    )
    a, b, c = (points[triangles] - middles[of_triangle][:, None]).swapaxes(0, 1)
    return ~is_open[of_triangle], np.einsum("ij,ij->", a, np.cross(b, c)) >= 0.0
