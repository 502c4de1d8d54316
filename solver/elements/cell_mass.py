# SPDX-License-Identifier: GPL-3.0-or-later
"""Lumped mass at the corners of cells."""

import numpy as np

from ..bodies import CELL_CORNERS
from ..topology.graphs import unique_edges


def mass_at_corners(body, element_mass):
    """Mass of every vertex [kg] of a body of cells from that of its cells [kg].

    Each cell distributes its mass by the trilinear weights of its material's centroid, so the
    center of mass is exact. The moment of inertia of a full cell is then three times too large.
    Moving a sixth of the mass difference along the edges of cells, from light vertices to heavy
    ones, removes half of the excess: wave speeds are most accurate with the mean of lumped and
    consistent mass (Goudreau and Taylor 1973). No vertex gives away more than half.
    """
    signs = 2.0 * CELL_CORNERS - 1.0
    weights = (0.5 * (1.0 + signs * body.filling.middle[:, None])).prod(axis=2)
    share = element_mass[:, None] * weights
    lumped = np.bincount(body.cells.ravel(), share.ravel(), minlength=len(body.points))
    return moved_along_edges(body.cells, lumped)


def moved_along_edges(cells, mass):
    """Mass [vertex] after transfer from light vertices to heavy ones along edges of cells."""
    low = [(k, k | bit) for bit in (1, 2, 4) for k in range(8) if not k & bit]
    ends = unique_edges(*(cells[:, pair] for pair in low))
    by_mass = np.argsort(mass[ends], axis=1)
    light, heavy = np.take_along_axis(ends, by_mass, axis=1).T
    given = (mass[heavy] - mass[light]) / 6.0
    total = np.bincount(light, given, minlength=len(mass))
    given *= np.minimum(1.0, 0.5 * mass / np.where(total > 0.0, total, 1.0))[light]
    gained = np.bincount(heavy, given, minlength=len(mass))
    return mass + gained - np.bincount(light, given, minlength=len(mass))
