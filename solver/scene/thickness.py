# SPDX-License-Identifier: GPL-3.0-or-later
"""The default collision thickness of a body."""

import numpy as np

from ..bodies import Grains

# Fraction of the longest side of a body: an invisible gap below resting bodies.
FRACTION_OF_SIZE = 0.0025
# Fraction of a short edge: folds keep twice the thickness, which must be below half an edge.
FRACTION_OF_EDGE = 0.25
# Quantile of a short edge among all; a few edges are much shorter at the poles of a mesh.
SHORT = 0.1
# Of more elements than these so many count, drawn at random, always the same: every second or third
# one might be alike in a regular mesh.
MOST_ELEMENTS = 100_000


def collision_thickness(body):
    """Collision thickness [m] of a body, one or [vertex]: the radius of grains, else that of its
    material or, where this is 0, one from its size and its mesh.
    """
    if isinstance(body, Grains):
        return body.radius
    own = np.asarray(body.material.collision_thickness, dtype=np.float64)
    if (own > 0.0).all():
        return own
    points = getattr(body, "mesh_points", body.rest_points)
    size = (points.max(axis=0) - points.min(axis=0)).max()
    return np.where(
        own > 0.0, own, min(FRACTION_OF_SIZE * size, FRACTION_OF_EDGE * short_edge(body))
    )


def short_edge(body):
    """Length [m] of a short edge of the surface of a body, or of its elements."""
    surface = getattr(body, "surface", None)
    if surface is None:
        points, elements = body.rest_points, body.elements
    else:
        points, elements = surface.points(body.rest_points), surface.triangles
    if len(elements) > MOST_ELEMENTS:
        elements = elements[np.random.default_rng(0).integers(len(elements), size=MOST_ELEMENTS)]
    start, end = np.triu_indices(elements.shape[1], 1)
    edges = points[elements[:, start]] - points[elements[:, end]]
    return float(np.quantile(np.linalg.norm(edges, axis=-1), SHORT))
