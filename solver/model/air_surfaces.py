# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces exposed to the air: areas of rods and solids, and triangles of cloth."""

import numpy as np

from ..bodies import Cloth, Grains, Rod
from ..elements.body_constants import lumped, per_element
from ..elements.springs import rest_lengths
from ..topology.meshes import triangle_areas


def shown_area(body):
    """Return the area [m²] that the vertices of rods, grains or solids show to the air, averaged
    over all directions: a quarter of their surface (Cauchy). Zero for cloth: its triangles face the
    air.
    """
    count = len(body.points)
    if isinstance(body, Cloth):
        return np.zeros(count)
    if isinstance(body, Rod):
        around = (
            np.pi * per_element(body, "thickness", body.material.thickness) * rest_lengths(body)
        )
        return 0.25 * lumped(count, body.edges, around)
    if isinstance(body, Grains):
        return np.pi * body.radius**2
    surface = body.surface
    if surface is None:
        areas = triangle_areas(body.rest_points, body.boundary)
        return 0.25 * lumped(count, body.boundary, areas)
    areas = triangle_areas(surface.points(body.rest_points), surface.triangles)
    at_points = lumped(len(surface.corners), surface.triangles, areas)
    shares = at_points[:, None] * surface.weights
    return 0.25 * np.bincount(surface.corners.ravel(), shares.ravel(), minlength=count)


def membranes(assembly):
    """Return the triangles of all cloth, as torn so far, [triangle, 3]."""
    blocks = [
        columns.corners
        for kind, columns in assembly.elements.items()
        if kind in ("triangles", "stable_triangles")
    ]
    return np.concatenate([np.zeros((0, 3), np.int64), *blocks])
