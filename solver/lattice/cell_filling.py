# SPDX-License-Identifier: GPL-3.0-or-later
"""Position, spread and evenness of the material in cells."""

import numpy as np

from ..bodies import Filling
from .solid_regions import blocks


def filling_of(cell, fractions, material, shared):
    """`Filling` of components of a `SolidRegions` in cells of flat numbers `cell` [component], with
    their `fractions` [component]; `shared` are the cells with several components.

    It is computed from the middles of subcells that are inside. A component without any counts as
    spread out evenly.
    """
    sections, fibers = _sections_and_fibers(cell, material, shared)
    subcells = material.subcells
    at = (2.0 * np.arange(subcells) + 1.0) / subcells - 1.0
    count = sections[0].sum(axis=1)
    first = np.stack([areas @ at for areas in sections], axis=1)
    second = np.stack([areas @ at**2 for areas in sections], axis=1)
    middle = first / np.maximum(count, 1.0)[:, None]
    # Spread of a subcell around its own middle, and of a full cell.
    own, full = 1.0 / (3.0 * subcells**2), 1.0 / 3.0
    spread = (second / np.maximum(count, 1.0)[:, None] - middle**2 + own) / full
    middle[count == 0.0], spread[count == 0.0] = 0.0, 1.0
    return Filling(fractions, middle, spread, evenness=evenness_of(sections, fibers))


def _sections_and_fibers(cell, material, shared):
    """Numbers of subcells inside per layer across x, y and z, each [component, layer], and of rows
    of subcells along x, y and z that are inside from face to face, each [component].
    """
    subcells = material.subcells
    inside = blocks(material.inside, subcells)
    several = shared.number.ravel()[cell] >= 0
    place = np.stack(np.nonzero(shared.label >= 0), axis=1)[:, 1:]
    component = shared.label[shared.label >= 0]

    def counted(kept):
        """Number of subcells inside by their places along the axes `kept`, [component, place]."""
        others = tuple(3 + axis for axis in range(3) if axis not in kept)
        size = subcells ** len(kept)
        counts = inside.sum(axis=others).reshape(-1, size)[cell].astype(float)
        at = np.ravel_multi_index(tuple(place[:, kept].T), (subcells,) * len(kept))
        own = np.bincount(component * size + at, minlength=counts.size).reshape(counts.shape)
        return np.where(several[:, None], own, counts)

    sections = [counted([axis]) for axis in range(3)]
    rows = (counted([axis for axis in range(3) if axis != along]) for along in range(3))
    return sections, [(row == subcells).sum(axis=1) for row in rows]


def evenness_of(sections, fibers):
    """Stiffness of components over that with uniform sections, [component], from `sections` across
    x, y and z, each [component, layer], and `fibers` along them, each [component].

    Under tension along an axis the sections act in series: rigid sections give an upper bound of
    the stiffness by their inverse areas. The fibers from face to face give a lower bound. The mean
    of both is taken (as Hill 1952 takes that of Voigt's and Reuss's). The axis is the one with the
    widest path through the cell, by the smaller of its two faces, or several equally wide ones.
    """
    wide = np.stack([np.minimum(areas[:, 0], areas[:, -1]) for areas in sections], axis=1)
    ratio = np.stack([_hill(*of_axis) for of_axis in zip(sections, fibers, strict=True)], axis=1)
    widest = (wide == wide.max(axis=1, keepdims=True)) & (wide > 0.0)
    compliance = np.where(widest, 1.0 / ratio, 0.0).sum(axis=1)
    evenness = np.where(widest.any(axis=1), widest.sum(axis=1) / np.maximum(compliance, 1.0), 1.0)
    return np.minimum(evenness, 1.0)  # rounding


def _hill(areas, fibers):
    """Mean of both bounds for sections of some `areas` [component, layer]."""
    mean = areas.sum(axis=1) / np.maximum((areas > 0.0).sum(axis=1), 1)
    return 0.5 * (_series(areas) + fibers / np.maximum(mean, 1.0))


def _series(areas):
    """Harmonic over arithmetic mean of the areas [component, layer] that are not zero."""
    some = areas > 0.0
    inverse = np.where(some, 1.0 / np.where(some, areas, 1.0), 0.0).sum(axis=1)
    product = np.where(some.any(axis=1), inverse * areas.sum(axis=1), 1.0)
    return np.where(some.any(axis=1), some.sum(axis=1) ** 2 / product, 1.0)
