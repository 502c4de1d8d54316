# SPDX-License-Identifier: GPL-3.0-or-later
"""Which corners of a lattice hold still what is pinned of the surface in it, and how much is held.

The border between what is held and what is free runs through cells. Were all corners of these
pinned, the body would be clamped up to a cell too far out, and if none were, too far in. So a
corner is pinned if at least half of the surface that it carries is, or all of that in one of its
cells; and a cell of which a part is held is stiffer, as only the rest of it gives
(`bodies.Filling.held`).
"""

import numpy as np

from ..topology.graphs import connected_components
from ..topology.meshes import triangle_areas

# Smaller weights are rounding.
LEAST_WEIGHT = 1e-6
# The part of the surface that a corner carries, and of the weight of pinned points that pinned
# corners bear.
HALF = 0.5
# More than this is all.
WHOLE = 1.0 - 1e-9


def surface_of(points, triangles):
    """The part of a surface of triangles [triangle, 3] that each of its points stands for [m²]; a
    hundredth of the mean at least.
    """
    third = np.repeat(triangle_areas(points, triangles) / 3.0, 3)
    area = np.bincount(triangles.ravel(), third, len(points))
    return np.maximum(area, 0.01 * area.mean())


def clamped(corners, weights, pinned, surface):
    """Vertices of a lattice to be pinned for the `pinned` [n] among points with `corners` and
    `weights` [point, 8] (`lattice.embed`), each of which stands for some `surface` [point].

    Where the pinned points are so few, or on so thin a strip, that this holds less than half of
    their weight, corners are pinned that carry as much of them as others do there.
    """
    count = corners.max(initial=-1) + 1
    load = surface[:, None] * np.where(np.abs(weights) > LEAST_WEIGHT, np.abs(weights), 0.0)
    total = np.bincount(corners.ravel(), load.ravel(), count)
    whole = held_part(corners, corners, pinned, surface)[pinned] > WHOLE
    corners, load = corners[pinned], load[pinned]
    share = np.bincount(corners.ravel(), load.ravel(), count) / np.maximum(total, 1e-300)
    region = np.repeat(_regions(corners, load, count), 8)
    least = _least_shares(share[corners.ravel()], load.ravel(), region)[region].reshape(-1, 8)
    return np.unique(corners[(load > 0.0) & ((share[corners] >= least) | whole[:, None])])


def _regions(corners, load, count):
    """Number of the region of each point [point], with no corners in common with others."""
    point, slot = np.nonzero(load)
    links = np.stack([point, len(corners) + corners[point, slot]], axis=1)
    label = connected_components(links, len(corners) + count)[: len(corners)]
    return np.unique(label, return_inverse=True)[1]


def _least_shares(share, load, region):
    """The share from which on the corners of a region are pinned, [region].

    `share`, `load`, `region`: of each pair of a point and a corner, [pair].
    """
    order = np.lexsort([-share, region])
    share, load, region = share[order], load[order], region[order]
    total = np.bincount(region, load)
    before = np.append(0.0, np.cumsum(total)[:-1])
    reached = np.cumsum(load) - before[region] >= HALF * total[region] - 1e-9
    first = np.unique(region[reached], return_index=True)[1]
    enough = share[reached][first]
    return np.where(enough >= HALF, HALF, HALF * enough)


def held_part(cells, corners, pinned, surface):
    """What part of the surface in each of the `cells` [cell, 8] is pinned, [cell]; the rest as for
    `clamped`.
    """
    rows = np.concatenate([cells, corners])
    _, kind = np.unique(rows, axis=0, return_inverse=True)
    kind = kind.ravel()
    own = kind[len(cells) :]
    whole = np.bincount(own, surface, kind.max(initial=0) + 1)
    held = np.bincount(own[pinned], surface[pinned], len(whole))
    return np.clip(held / np.maximum(whole, 1e-300), 0.0, 1.0)[kind[: len(cells)]]
