# SPDX-License-Identifier: GPL-3.0-or-later
"""Pinned corners of a lattice for pinned vertices of its surface, and the held fraction of cells.

The border between pinned and free regions runs through cells. Pinning all corners of these cells
would move the clamp up to a cell outwards, pinning none inwards. So a corner is pinned if at least
half of the surface that it carries is pinned, or three tenths and all of that in one of its cells.
A cell of which a fraction is held all around is stiffer, as only the rest of it deforms
(`bodies.Filling.held`). A cell that is held at one side, such as the bottom of a box, deforms as a
whole.

Faces between pinned vertices are pinned as well, and edges without a pinned face. Otherwise a mesh
that is coarser than its lattice would be held at points, the more softly the finer its cells are.
"""

from dataclasses import dataclass

import numpy as np

from ..topology.graphs import connected_components
from ..topology.meshes import triangle_areas
from .contact_mesh import split_with_ends
from .lattice import embed

# A corner with a smaller weight in a point is not held by it: where the surface lies on the border
# of cells, rounding gives the corners beyond a few millionths of it.
LEAST_WEIGHT = 1e-4
# Fraction of the surface that a corner carries, and of the weight of pinned points that pinned
# corners carry.
HALF = 0.5
# Fraction from which on corners of an entirely pinned cell are pinned. With 0, a sliver of surface
# in a cell of its own would hold corners that mostly carry free surface; with a half, oblique
# patches would be too soft (experiments/2026-11-26-cells-and-pins.md).
ENOUGH = 0.3
# Length of the mean normal of a quarter of a round bar, as in one of four cells.
QUARTER_ROUND = np.sqrt(8.0) / np.pi
# Larger fractions count as all.
WHOLE = 1.0 - 1e-9
# Longest edge of the split surface on which pinned points are found, in cells.
LONGEST_EDGE = 0.5


@dataclass(eq=False)
class PinnedCorners:
    """Pinned vertices of a lattice for the pinned vertices of the surface in it."""

    indices: np.ndarray
    """Vertices of the lattice to be pinned."""
    held: np.ndarray
    """Held fraction of every cell, [cell]."""
    corners: np.ndarray
    """Corners of the pinned vertices, then of points between them, [point, 8]."""
    weights: np.ndarray
    """Weights of these corners, [point, 8]."""
    ends: list[np.ndarray]
    """By pass: the two points [new, 2] whose middle each of the next points is."""

    def places(self, pinned):
        """Positions of its points [point, 3] for positions `pinned` of the pinned vertices."""
        for ends in self.ends:
            pinned = np.concatenate([pinned, pinned[ends].mean(axis=1)])
        return pinned


def pinned_corners_of(points, triangles, pinned, lattice):
    """The `PinnedCorners` of the `pinned` vertices [n], ascending, of a surface in its
    `Lattice`.
    """
    count = len(points)
    finer, triangles, passes = split_with_ends(points, triangles, LONGEST_EDGE * lattice.cell_size)
    is_held = np.zeros(len(finer), bool)
    is_held[pinned] = True
    number, ends = np.cumsum(is_held) - 1, []
    for pairs in passes:
        between = is_held[pairs].all(axis=1)
        new = count + np.flatnonzero(between)
        number[new] = number[is_held].max(initial=-1) + 1 + np.arange(len(new))
        is_held[new] = True
        ends.append(number[pairs[between]])
        count += len(pairs)
    chosen = np.flatnonzero(is_held)
    corners, weights = embed(finer, lattice)
    surface = area_of_points(finer, triangles)
    held = held_fraction(lattice.cells, corners, chosen, surface)
    faces = triangles[is_held[triangles].all(axis=1)]
    held *= enclosure(lattice.cells, corners[chosen], normals_of(finer, faces)[chosen])
    return PinnedCorners(
        vertices_to_pin(corners, weights, chosen, surface),
        held,
        corners[chosen],
        weights[chosen],
        ends,
    )


def area_of_points(points, triangles):
    """Area [m²] of a surface of triangles [triangle, 3] that belongs to each of its points; at
    least a hundredth of the mean.
    """
    third = np.repeat(triangle_areas(points, triangles) / 3.0, 3)
    area = np.bincount(triangles.ravel(), third, len(points))
    return np.maximum(area, 0.01 * area.mean())


def normals_of(points, triangles):
    """Normals of points, weighted by their area, [point, 3] in m²."""
    a, b, c = points[triangles].swapaxes(0, 1)
    sixth = np.repeat(np.cross(b - a, c - a) / 6.0, 3, axis=0)
    of_point = triangles.ravel()
    return np.stack([np.bincount(of_point, along, len(points)) for along in sixth.T], axis=1)


def vertices_to_pin(corners, weights, pinned, surface):
    """Vertices of a lattice to be pinned for the `pinned` [n] among points with `corners` and
    `weights` [point, 8] (`lattice.embed`), with the areas `surface` [point].

    Where the pinned points are so few, or on so thin a strip, that less than half of their weight
    would be held, the corners that carry most of it are pinned.
    """
    count = corners.max(initial=-1) + 1
    load = surface[:, None] * np.where(np.abs(weights) > LEAST_WEIGHT, np.abs(weights), 0.0)
    total = np.bincount(corners.ravel(), load.ravel(), count)
    whole = held_fraction(corners, corners, pinned, surface)[pinned] > WHOLE
    corners, load = corners[pinned], load[pinned]
    share = np.bincount(corners.ravel(), load.ravel(), count) / np.maximum(total, 1e-300)
    region = np.repeat(_regions(corners, load, count), 8)
    least = _least_shares(share[corners.ravel()], load.ravel(), region)[region].reshape(-1, 8)
    share = share[corners]
    return np.unique(
        corners[(load > 0.0) & ((share >= least) | (whole[:, None] & (share >= ENOUGH)))]
    )


def _regions(corners, load, count):
    """Region of each point, by number [point]; regions have no corners in common."""
    point, slot = np.nonzero(load)
    links = np.stack([point, len(corners) + corners[point, slot]], axis=1)
    label = connected_components(links, len(corners) + count)[: len(corners)]
    return np.unique(label, return_inverse=True)[1]


def _least_shares(share, load, region):
    """Least share of pinned corners in each region, [region].

    `share`, `load`, `region` belong to pairs of a point and a corner, [pair].
    """
    order = np.lexsort([-share, region])
    share, load, region = share[order], load[order], region[order]
    total = np.bincount(region, load)
    before = np.append(0.0, np.cumsum(total)[:-1])
    reached = np.cumsum(load) - before[region] >= HALF * total[region] - 1e-9
    first = np.unique(region[reached], return_index=True)[1]
    enough = share[reached][first]
    return np.where(enough >= HALF, HALF, HALF * enough)


def held_fraction(cells, corners, pinned, surface):
    """Pinned fraction of the surface in each of the `cells` [cell, 8], [cell]; other arguments as
    in `vertices_to_pin`.
    """
    rows = np.concatenate([cells, corners])
    _, kind = np.unique(rows, axis=0, return_inverse=True)
    kind = kind.ravel()
    own = kind[len(cells) :]
    whole = np.bincount(own, surface, kind.max(initial=0) + 1)
    held = np.bincount(own[pinned], surface[pinned], len(whole))
    return np.clip(held / np.maximum(whole, 1e-300), 0.0, 1.0)[kind[: len(cells)]]


def enclosure(cells, corners, normals):
    """Enclosure of the material in each of the `cells` [cell, 8] by pinned surface, 0 to 1, [cell]:
    0 for a plane, 1 for a quarter of a round bar, for both sides of a plate, and for more.

    `corners` [n, 8] and `normals` [n, 3] in m² are those of the pinned points. 1 without any.
    """
    _, kind = np.unique(np.concatenate([cells, corners]), axis=0, return_inverse=True)
    cell, own = np.split(kind.ravel(), [len(cells)])
    count = kind.max(initial=-1) + 1
    total = np.stack([np.bincount(own, along, count) for along in normals.T], axis=1)
    surface = np.bincount(own, np.linalg.norm(normals, axis=1), count)
    mean_normal = np.linalg.norm(total, axis=1) / np.maximum(surface, 1e-300)
    return np.clip((1.0 - mean_normal) / (1.0 - QUARTER_ROUND), 0.0, 1.0)[cell]
