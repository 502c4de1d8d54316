# SPDX-License-Identifier: GPL-3.0-or-later
"""Where in a cell its material is, how far it spreads around that, and how even it is."""

import numpy as np

from ..bodies import Filling
from .material import blocks


def filling_of(cell, fractions, material, crowds):
    """`Filling` of the parts of a `Material` in cells of flat numbers `cell` [part], with their
    `fractions` [part]; `crowds` are the cells with several parts.

    It comes from the middles of subcells that are inside. A part without any is taken as spread out
    evenly.
    """
    sections = _sections(cell, material, crowds)
    subcells = material.subcells
    at = (2.0 * np.arange(subcells) + 1.0) / subcells - 1.0
    count = sections[0].sum(axis=1)
    first = np.stack([areas @ at for areas in sections], axis=1)
    second = np.stack([areas @ at**2 for areas in sections], axis=1)
    middle = first / np.maximum(count, 1.0)[:, None]
    # What a subcell spreads around its own middle, and a full cell around its.
    own, full = 1.0 / (3.0 * subcells**2), 1.0 / 3.0
    spread = (second / np.maximum(count, 1.0)[:, None] - middle**2 + own) / full
    middle[count == 0.0], spread[count == 0.0] = 0.0, 1.0
    return Filling(fractions, middle, spread, evenness=evenness_of(sections))


def _sections(cell, material, crowds):
    """Subcells inside in every layer of the parts across x, y and z, each [part, layer]."""
    subcells = material.subcells
    inside = blocks(material.inside, subcells)
    sections = []
    for axis in range(3):
        others = tuple(3 + other for other in range(3) if other != axis)
        along = inside.sum(axis=others).reshape(-1, subcells)[cell]
        sections.append(along.astype(float))
    several = crowds.number.ravel()[cell] >= 0
    if several.any():
        place = np.stack(np.nonzero(crowds.label >= 0), axis=1)
        part = crowds.label[crowds.label >= 0]
        for axis, areas in enumerate(sections):
            own = np.bincount(part * subcells + place[:, 1 + axis], minlength=areas.size)
            areas[several] = own.reshape(areas.shape)[several]
    return sections


def evenness_of(sections):
    """The harmonic over the arithmetic mean of areas of sections, [part], of `sections` across x, y
    and z, each [part, layer].

    What is pulled along an axis passes its sections one behind the other: it gives as their inverse
    areas do, not as their mean does, and were they rigid it would give no less. Axes count as the
    ways through the cell along them are wide: by the smaller of the two faces.
    """
    wide = np.stack([np.minimum(areas[:, 0], areas[:, -1]) for areas in sections], axis=1)
    ratio = np.stack([_series(areas) for areas in sections], axis=1)
    total, through = (wide / ratio).sum(axis=1), wide.sum(axis=1)
    found = np.where(through > 0.0, through / np.where(through > 0.0, total, 1.0), 1.0)
    return np.minimum(found, 1.0)  # rounding


def _series(areas):
    """The harmonic over the arithmetic mean of those areas [part, layer] that are not zero."""
    some = areas > 0.0
    inverse = np.where(some, 1.0 / np.where(some, areas, 1.0), 0.0).sum(axis=1)
    product = np.where(some.any(axis=1), inverse * areas.sum(axis=1), 1.0)
    return np.where(some.any(axis=1), some.sum(axis=1) ** 2 / product, 1.0)
