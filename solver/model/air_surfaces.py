# SPDX-License-Identifier: GPL-3.0-or-later
"""What bodies without sheets show to the air, and the sheets that feel it themselves."""

import numpy as np

from ..bodies import Cloth, Rod
from ..elements.body_constants import lumped, per_element
from ..elements.springs import rest_lengths
from ..topology.meshes import boundary_triangles, triangle_areas


def shown_area(body):
    """The area [m²] that the vertices of a rod or solid show to the air, in the mean over all
    directions: a quarter of their surface (Cauchy). None for cloth, whose triangles face the air.
    """
    count = len(body.points)
    if isinstance(body, Cloth):
        return np.zeros(count)
    if isinstance(body, Rod):
        around = (
            np.pi * per_element(body, "thickness", body.material.thickness) * rest_lengths(body)
        )
        return 0.25 * lumped(count, body.edges, around)
    surface = body.surface
    if surface is None:
        triangles = boundary_triangles(body.elements)
        return 0.25 * lumped(count, triangles, triangle_areas(body.rest_points, triangles))
    areas = triangle_areas(surface.points(body.rest_points), surface.triangles)
    at_points = lumped(len(surface.corners), surface.triangles, areas)
    shares = at_points[:, None] * surface.weights
    return 0.25 * np.bincount(surface.corners.ravel(), shares.ravel(), minlength=count)


def membranes(assembly):
    """Triangles of all cloth as it is torn by now, [triangle, 3]."""
    parts = [
        columns.corners
        for kind, columns in assembly.elements.items()
        if kind in ("triangles", "stable_triangles")
    ]
    return np.concatenate([np.zeros((0, 3), np.int64), *parts])
