# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of elements and vertices."""

import numpy as np

from ..bodies import Cells, Cloth, Grains, RigidBody, Rod, Solid
from ..elements.body_constants import lumped, per_element, per_vertex
from ..elements.cell_mass import mass_at_corners
from ..elements.springs import rest_lengths
from ..topology.meshes import tet_volumes, triangle_areas

# Mass of a director as a fraction of that of its edge: too small to weigh or swing.
DIRECTOR_MASS = 1e-6


def element_mass(body):
    """Return the mass of every tet, cell, triangle, edge or grain of a body [kg]."""
    size = {
        Solid: lambda: tet_volumes(body.rest_points, body.elements),
        Cells: lambda: body.sides() ** 3 * body.filling.part,
        Cloth: lambda: triangle_areas(body.rest_points, body.elements),
        Rod: lambda: rest_lengths(body),
        Grains: lambda: 4.0 / 3.0 * np.pi * body.radius**3,
    }[type(body)]()
    return per_element(body, "density", body.material.density) * size


def vertex_mass(body):
    """Return the mass of every vertex of a body [kg]."""
    if isinstance(body, Rod):
        return rod_mass(body)
    if isinstance(body, RigidBody):
        return np.full(4, 0.25 * body.properties.mass)
    if isinstance(body, Cells):
        return mass_at_corners(body, element_mass(body))
    return lumped(len(body.points), body.elements, element_mass(body))


def rod_mass(rod):
    """Return the mass of every vertex of a rod [kg]."""
    count, given = len(rod.points), rod.material.vertex_mass
    if given is None:
        mass = lumped(count, rod.edges, element_mass(rod))
    else:
        mass = per_vertex(rod, "vertex_mass", given).copy()
    if rod.directors is not None:
        mass[rod.directors] = DIRECTOR_MASS * mass[rod.edges].mean(axis=1)
    return mass
