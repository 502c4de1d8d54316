# SPDX-License-Identifier: GPL-3.0-or-later
"""The mass that cells leave at their corners."""

import numpy as np

from ..bodies import CELL_CORNERS


def mass_at_corners(body, element_mass):
    """Mass of every vertex [kg] of a body of cells from that of its cells [kg].

    Each cell shares its mass out as the trilinear weights of its material's middle say, so that the
    center of mass is right. That makes the moment of inertia of a full cell three times too large.
    Half of the excess goes by moving mass along the edges of cells, a sixth of the difference, from
    light vertices to heavy ones, as waves are fastest right with the mean of lumped and consistent
    mass (Goudreau and Taylor 1973). No vertex gives away more than half.
    """
    signs = 2.0 * CELL_CORNERS - 1.0
    weights = (0.5 * (1.0 + signs * body.filling.middle[:, None])).prod(axis=2)
    share = element_mass[:, None] * weights
    lumped = np.bincount(body.cells.ravel(), share.ravel(), minlength=len(body.points))
    return moved_along_edges(body.cells, lumped)


def moved_along_edges(cells, mass):
    """Mass [vertex] after light vertices have given to heavy ones."""
    low = [(k, k | bit) for bit in (1, 2, 4) for k in range(8) if not k & bit]
    ends = np.unique(np.sort(cells[:, low].reshape(-1, 2), axis=1), axis=0)
    by_mass = np.argsort(mass[ends], axis=1)
    light, heavy = np.take_along_axis(ends, by_mass, axis=1).T
    given = (mass[heavy] - mass[light]) / 6.0
    total = np.bincount(light, given, minlength=len(mass))
    given *= np.minimum(1.0, 0.5 * mass / np.where(total > 0.0, total, 1.0))[light]
    gained = np.bincount(heavy, given, minlength=len(mass))
    return mass + gained - np.bincount(light, given, minlength=len(mass))
