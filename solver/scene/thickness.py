# SPDX-License-Identifier: GPL-3.0-or-later
"""The distance that the surface of a body keeps when it is not given one of its own."""

import numpy as np

# Part of the longest side of a body: what rests on something, a gap nobody sees.
PART_OF_SIZE = 0.0025
# Part of a short edge: folds keep twice the thickness, and are neighbors beyond half an edge.
PART_OF_EDGE = 0.25
# A short edge is longer than this part of all; a few are still shorter where a mesh meets a pole.
SHORT = 0.1


def collision_thickness(body):
    """Distance [m] that the surface of a Solid, Cloth or Rod keeps, one or [vertex]: that of its
    material or, where this is 0, one that fits its size and its mesh.
    """
    own = np.asarray(body.material.collision_thickness, dtype=np.float64)
    if (own > 0.0).all():
        return own
    points = body.rest_points
    size = (points.max(axis=0) - points.min(axis=0)).max()
    return np.where(own > 0.0, own, min(PART_OF_SIZE * size, PART_OF_EDGE * short_edge(body)))


def short_edge(body):
    """Length [m] of a short edge of the surface of a body, or of its elements."""
    surface = getattr(body, "surface", None)
    if surface is None:
        points, elements = body.rest_points, body.elements
    else:
        points, elements = surface.points(body.rest_points), surface.triangles
    start, end = np.triu_indices(elements.shape[1], 1)
    edges = points[elements[:, start]] - points[elements[:, end]]
    return float(np.quantile(np.linalg.norm(edges, axis=-1), SHORT))
