# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a surface, a rod or a solid, in NumPy alone."""

import numpy as np

from ...solver.topology.meshes import cell_volumes, tet_volumes

# Triangles and edges smaller at rest than this fraction of the largest have no stretch.
NOTHING = 1e-9


def triangle_stretch(rest, now, triangles):
    """The larger principal stretch of every triangle, float64 [triangle]; 1 is unstretched.

    The larger singular value of F, which maps the edges at rest to the current ones (both [vertex,
    3]): with C = Fᵀ F of two rows and columns, λ² = ½ (C₁₁ + C₂₂) + √(¼ (C₁₁ − C₂₂)² + C₁₂²).
    """
    first, second = _sides(rest, triangles)
    length = np.linalg.norm(first, axis=1)
    along = first / np.maximum(length, 1e-300)[:, None]
    shift = np.einsum("ti,ti->t", second, along)
    height = np.linalg.norm(second - shift[:, None] * along, axis=1)
    size = length * height
    whole = size > NOTHING * size.max(initial=0.0)
    length, height = np.where(whole, length, 1.0), np.where(whole, height, 1.0)
    u, v = _sides(now, triangles)
    u = u / length[:, None]
    v = (v - shift[:, None] * u) / height[:, None]
    uu, vv, uv = (np.einsum("ti,ti->t", a, b) for a, b in ((u, u), (v, v), (u, v)))
    square = 0.5 * (uu + vv) + np.hypot(0.5 * (uu - vv), uv)
    return np.where(whole, np.sqrt(square), 1.0)


def edge_stretch(rest, now, edges):
    """Current length of every edge over that at rest, float64 [edge]."""
    before, after = lengths(rest, edges), lengths(now, edges)
    whole = before > NOTHING * before.max(initial=0.0)
    return np.where(whole, after / np.where(whole, before, 1.0), 1.0)


def lengths(points, edges):
    """Lengths of edges, float64 [edge]."""
    points = np.asarray(points, np.float64)
    return np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)


def area(points, triangles):
    """Total area of the triangles."""
    return 0.5 * float(np.linalg.norm(np.cross(*_sides(points, triangles)), axis=1).sum())


def enclosed_volume(points, triangles):
    """Volume enclosed by a surface seen from outside: that of tets to its center."""
    points = np.asarray(points, np.float64)
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    return float(np.einsum("ti,ti->t", a, np.cross(b, c)).sum()) / 6.0


def is_closed(triangles):
    """Return whether every edge has as many triangles on one side as on the other."""
    ends = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    return bool(len(ends)) and np.array_equal(_sorted(ends), _sorted(ends[:, ::-1]))


def inside_out(points, elements):
    """Centers [m] of the inverted tets or cells, float64 [element, 3]."""
    points = np.asarray(points, np.float64)
    volumes = (cell_volumes if elements.shape[1] == 8 else tet_volumes)(points, elements)
    return points[elements[volumes <= 0.0]].mean(axis=1)


def per_vertex(values, elements, count):
    """Mean of the values [element] around every vertex, float64 [vertex]; 1 without elements."""
    around = np.bincount(elements.ravel(), minlength=count)
    repeated = np.repeat(values, elements.shape[1])
    total = np.bincount(elements.ravel(), repeated, minlength=count)
    return np.where(around > 0, total / np.maximum(around, 1), 1.0)


def _sides(points, triangles):
    points = np.asarray(points, np.float64)
    first = points[triangles[:, 0]]
    return points[triangles[:, 1]] - first, points[triangles[:, 2]] - first


def _sorted(pairs):
    return pairs[np.lexsort(pairs.T)]
