# SPDX-License-Identifier: GPL-3.0-or-later
"""Where in a cell its material is, how far it spreads around that, and how even it is."""

import numpy as np

from ..bodies import Filling
from .solid_regions import blocks


def filling_of(cell, fractions, material, shared):
    """`Filling` of the parts of a `SolidRegions` in cells of flat numbers `cell` [part], with their
    `fractions` [part]; `shared` are the cells with several parts.

    It comes from the middles of subcells that are inside. A part without any is taken as spread out
    evenly.
    """
    sections, fibers = _sections_and_fibers(cell, material, shared)
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
    return Filling(fractions, middle, spread, evenness=evenness_of(sections, fibers))


def _sections_and_fibers(cell, material, shared):
    """Subcells inside in every layer of the parts across x, y and z, each [part, layer]; and how
    many rows of subcells along x, y and z are inside from face to face, each [part].
    """
    subcells = material.subcells
    inside = blocks(material.inside, subcells)
    several = shared.number.ravel()[cell] >= 0
    place = np.stack(np.nonzero(shared.label >= 0), axis=1)[:, 1:]
    part = shared.label[shared.label >= 0]

    def counted(kept):
        """Subcells inside by their places along the axes `kept`, [part, place]."""
        others = tuple(3 + axis for axis in range(3) if axis not in kept)
        size = subcells ** len(kept)
        counts = inside.sum(axis=others).reshape(-1, size)[cell].astype(float)
        at = np.ravel_multi_index(tuple(place[:, kept].T), (subcells,) * len(kept))
        own = np.bincount(part * size + at, minlength=counts.size).reshape(counts.shape)
        return np.where(several[:, None], own, counts)

    sections = [counted([axis]) for axis in range(3)]
    rows = (counted([axis for axis in range(3) if axis != along]) for along in range(3))
    return sections, [(row == subcells).sum(axis=1) for row in rows]


def evenness_of(sections, fibers):
    """Stiffness of parts over that with all of their sections alike, [part], of `sections` across
    x, y and z, each [part, layer], and `fibers` along them, each [part].

    What is pulled along an axis passes its sections one behind the other: it gives as their inverse
    areas do, not as their mean does, and were they rigid it would give no less. Nor is it softer
    than those of its fibers that go straight through. Between these bounds is their mean (as Hill
    1952 takes that of Voigt's and Reuss's). Pulled is along the axis on which the way through the
    cell is widest, by the smaller of the two faces, or along several that are as wide.
    """
    wide = np.stack([np.minimum(areas[:, 0], areas[:, -1]) for areas in sections], axis=1)
    ratio = np.stack([_hill(*of_axis) for of_axis in zip(sections, fibers, strict=True)], axis=1)
    widest = (wide == wide.max(axis=1, keepdims=True)) & (wide > 0.0)
    compliance = np.where(widest, 1.0 / ratio, 0.0).sum(axis=1)
    found = np.where(widest.any(axis=1), widest.sum(axis=1) / np.maximum(compliance, 1.0), 1.0)
    return np.minimum(found, 1.0)  # rounding


def _hill(areas, fibers):
    """The mean of the bounds of parts with sections of some `areas` [part, layer]."""
    mean = areas.sum(axis=1) / np.maximum((areas > 0.0).sum(axis=1), 1)
    return 0.5 * (_series(areas) + fibers / np.maximum(mean, 1.0))


def _series(areas):
    """The harmonic over the arithmetic mean of those areas [part, layer] that are not zero."""
    some = areas > 0.0
    inverse = np.where(some, 1.0 / np.where(some, areas, 1.0), 0.0).sum(axis=1)
    product = np.where(some.any(axis=1), inverse * areas.sum(axis=1), 1.0)
    return np.where(some.any(axis=1), some.sum(axis=1) ** 2 / product, 1.0)
