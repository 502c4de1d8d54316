# SPDX-License-Identifier: GPL-3.0-or-later
"""Where in a cell its material is: its middle, and how far it spreads around that."""

import numpy as np

from ..bodies import Filling
from .material import blocks


def filling_of(cell, fractions, material, crowds):
    """`Filling` of the parts of a `Material` in cells of flat numbers `cell` [part], with their
    `fractions` [part]; `crowds` are the cells with several parts.

    It comes from the middles of subcells that are inside. A part without any is taken as spread out
    evenly.
    """
    subcells = material.subcells
    at = (2.0 * np.arange(subcells) + 1.0) / subcells - 1.0
    inside = blocks(material.inside, subcells)
    count = np.empty(len(cell))
    first, second = np.empty((2, len(cell), 3))
    for axis in range(3):
        others = tuple(3 + other for other in range(3) if other != axis)
        along = inside.sum(axis=others).reshape(-1, subcells)[cell]
        count[:], first[:, axis], second[:, axis] = along.sum(axis=1), along @ at, along @ at**2
    several = crowds.number.ravel()[cell] >= 0
    if several.any():
        place = np.stack(np.nonzero(crowds.label >= 0), axis=1)
        part = crowds.label[crowds.label >= 0]
        parts = len(cell)
        count[several] = np.bincount(part, minlength=parts)[several]
        for axis in range(3):
            own = at[place[:, 1 + axis]]
            first[several, axis] = np.bincount(part, own, parts)[several]
            second[several, axis] = np.bincount(part, own**2, parts)[several]
    middle = first / np.maximum(count, 1.0)[:, None]
    # What a subcell spreads around its own middle, and a full cell around its.
    own, full = 1.0 / (3.0 * subcells**2), 1.0 / 3.0
    spread = (second / np.maximum(count, 1.0)[:, None] - middle**2 + own) / full
    middle[count == 0.0], spread[count == 0.0] = 0.0, 1.0
    return Filling(fractions, middle, spread)
