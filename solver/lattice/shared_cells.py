# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells with several patches of the surface, which are grouped by the component they bound."""

import numpy as np

from ..bodies.solids import CELL_CORNERS
from ..topology.graphs import connected_components
from .solid_regions import SHIFT, blocks
from .triangle_queries import nearest_on_triangles, pass_triangles

# Alternating projections onto a cell and a triangle, to find a common point.
STEPS = 20
# Fraction of a segment from a point on a triangle where the segment is clear of it.
CLEAR = 1e-6
# Pieces of a patch that are tried for a path into the material if no line leads there.
PROBES = 4


def joined_patches(surface, pieces, material):
    """Labels [piece], equal within a cell for pieces that bound one component; and the
    `SharedCells` with patches that no single line joins.

    `surface`: corners of the triangles in cells, [triangle, 3, 3].
    """
    hits = [_Hits(lines, pieces, material) for lines in material.lines]
    across = np.concatenate([hit.across() for hit in hits])
    label = connected_components(pieces.patch[across], pieces.patch.max() + 1)[pieces.patch]
    shared = SharedCells(pieces, label, material)
    beside = np.concatenate([hit.beside(shared) for hit in hits])
    seen = np.zeros(label.max() + 1, bool)
    seen[label[beside[:, 0]]] = True
    isolated = shared.of_pieces & ~seen[label]
    visible = _visible_subcells(np.flatnonzero(isolated), pieces, label, surface, shared)
    beside = np.concatenate([beside, visible])
    joined = np.stack([label[beside[:, 0]], beside[:, 1] + shared.first], axis=1)
    links = np.concatenate([joined, *(shared.neighbors(axis) for axis in range(3))])
    whole = connected_components(links, shared.first + np.count_nonzero(shared.inside))
    known = np.zeros(whole.max() + 1, bool)
    known[whole[label]] = True
    components = whole[shared.first :]
    shared.label = np.full(shared.inside.shape, -1)
    shared.label[shared.inside] = np.where(known[components], components, -1)
    return whole[label], shared


class SharedCells:
    """The subcells of cells with several patches."""

    def __init__(self, pieces, label, material):
        cell, count = pieces.cell, pieces.cell_count
        self.first = label.max() + 1
        least, most = np.full(count, self.first), np.full(count, -1)
        np.minimum.at(least, cell, label)
        np.maximum.at(most, cell, label)
        shared = np.flatnonzero(least < most)
        self.of_pieces = least[cell] < most[cell]
        self.place = np.unravel_index(shared, material.counts)
        self.number = np.full(material.counts, -1)
        self.number[self.place] = np.arange(len(shared))
        self.subcells = material.subcells
        self.inside = blocks(material.inside, self.subcells)[self.place]
        self.rank = np.cumsum(self.inside).reshape(self.inside.shape) - 1
        self.cuts = [blocks(lines.cut, self.subcells)[self.place] for lines in material.lines]
        self.label = None
        """Component of the material in the middle of a subcell, -1 without material,
        [shared cell, subcell, subcell, subcell].
        """

    def nodes(self, index):
        """Numbers of the subcells at an index of three arrays, and a mask of those inside."""
        shared = self.number[tuple(i // self.subcells for i in index)]
        node = shared
        for i in index:
            node = node * self.subcells + i % self.subcells
        return self.rank.ravel()[node], self.inside.ravel()[node]

    def neighbors(self, axis):
        """Pairs of nodes, numbered after the patches, that material connects, [pair, 2]."""
        inside, cut = (np.moveaxis(a, axis + 1, 1) for a in (self.inside, self.cuts[axis]))
        node = np.moveaxis(self.rank, axis + 1, 1) + self.first
        joined = inside[:, :-1] & inside[:, 1:] & ~cut[:, :-1]
        return np.stack([node[:, :-1][joined], node[:, 1:][joined]], axis=1)


class _Hits:
    """Crossings of lines along an axis, with their pieces of the surface."""

    def __init__(self, lines, pieces, material):
        x, last = lines.crossings, material.inside.shape[lines.crossings.axis] - 1
        depth = np.floor(x.depth + SHIFT[x.axis]).astype(np.int64)
        self.place = [i // material.subcells for i in x.places(np.clip(depth, 0, last))]
        self.cell = np.ravel_multi_index(self.place, material.counts)
        self.piece = pieces.find(x.triangle, self.cell)
        self.lines, self.last, self.subcells = lines, last, material.subcells

    def across(self):
        """Pairs of pieces between which a line runs through the material of a cell, [pair, 2]."""
        following = np.roll(self.piece, -1)
        joined = self.lines.filled & (np.roll(self.cell, -1) == self.cell)
        joined &= (self.piece >= 0) & (following >= 0)
        return np.stack([self.piece[joined], following[joined]], axis=1)

    def beside(self, shared):
        """Pairs of a piece and the next inner subcell on a line, in one cell, [pair, 2]."""
        x, filled = self.lines.crossings, self.lines.filled
        middle = x.next_middle
        wide = filled & (np.roll(middle, -1) > middle)
        pairs = [np.zeros((0, 2), np.int64)]
        for chosen, next_ in ((wide, middle), (np.roll(wide, 1), middle - 1)):
            chosen = chosen & (self.piece >= 0) & shared.of_pieces[self.piece]
            chosen &= (next_ >= 0) & (next_ <= self.last)
            chosen = np.flatnonzero(chosen & (next_ // self.subcells == self.place[x.axis]))
            node, inside = shared.nodes(x[chosen].places(next_[chosen]))
            pairs.append(np.stack([self.piece[chosen][inside], node[inside]], axis=1))
        return np.concatenate(pairs)


def _visible_subcells(isolated, pieces, label, surface, shared):
    """Pairs of a piece, some for each label of the pieces `isolated`, and an adjacent subcell that
    is inside and visible from it.
    """
    isolated = isolated[np.argsort(label[isolated], kind="stable")]
    _, first, count = np.unique(label[isolated], return_index=True, return_counts=True)
    at = first[:, None] + count[:, None] * np.arange(PROBES) // PROBES
    isolated = isolated[np.unique(at)]
    place = np.unravel_index(pieces.cell[isolated], shared.number.shape)
    low, corners = np.stack(place, axis=1), surface[pieces.triangle[isolated]]
    on_it = low + 0.5
    for _ in range(STEPS):
        on_it = nearest_on_triangles(np.clip(on_it, low, low + 1.0), corners)
    subcells = shared.subcells
    around = np.floor(on_it * subcells - SHIFT - 0.5).astype(np.int64)[:, None] + CELL_CORNERS
    around = np.clip(around, low[:, None] * subcells, (low[:, None] + 1) * subcells - 1)
    middle = (around + 0.5 + SHIFT) / subcells
    node, inside = shared.nodes(tuple(np.moveaxis(around, 2, 0)))
    probe, corner = np.nonzero(inside)
    start, end = on_it[probe], middle[probe, corner]
    start = start + CLEAR * (end - start)
    free = np.ones(len(probe), bool)
    # The point may lie slightly outside its cell; blocking triangles may be there.
    counts = shared.number.shape
    beyond = np.ravel_multi_index(np.floor(on_it).astype(np.int64).T, counts, mode="clip")
    for cell in (pieces.cell[isolated], beyond):
        for pair, piece in pieces.in_cells(cell[probe]):
            corners = surface[pieces.triangle[piece]]
            free[pair[pass_triangles(start[pair], end[pair], corners)]] = False
    return np.stack([isolated[probe[free]], node[probe[free], corner[free]]], axis=1)
