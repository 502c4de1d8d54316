# SPDX-License-Identifier: GPL-3.0-or-later
"""Who takes a coarse step together: one system of equations per group, one α per party."""

import numpy as np
import warp as wp

from ..kernels import coarse_contact
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse.factorisation import TILE
from ..topology.graphs import connected_components
from .aggregates import with_points
from .factorisation import DeviceFactors, HostFactors
from .levels import blocks_of, patch_edges

# Islands that may touch get a common, dense matrix of up to so many rows.
MOST_ROWS = 960
# A piece of at least so many blocks has a block tridiagonal matrix.
WORTH_BLOCKS = 3


def joined_while_small(neighbors, sizes, most):
    """Group [island]: neighbors in one, the first ones first, of at most `most` rows together."""
    group, total = np.arange(len(sizes)), sizes.copy()
    for a, b in neighbors:
        one, other = group[a], group[b]
        if one != other and total[one] + total[other] <= most:
            group[group == other] = one
            total[one] += total[other]
    return group


class Groups:
    """The aggregates of a scene on the device, and the matrices of their groups.

    `patches` are the aggregates, `island` [place in `model.x`] and `of` what every vertex belongs
    to. `matrix`, `right` and `way` hold A, Pᵀf and z of all groups, one behind the other, and
    `factors` solve for z. `party` [island] is what goes equally far.

    The matrix of a large piece is block tridiagonal, and so is that of a small one alone where no
    surfaces may touch: contacts join any two aggregates, and there only neighbors have a place.
    """

    def __init__(self, model, aggregates, pairs):
        self.model, self.aggregates, self.pairs = model, aggregates, pairs
        self.rows = 3 * aggregates.mode_count
        self.island_count = int(aggregates.island[-1]) + 1
        upload, device = model.upload, model.device
        self.of, modes = with_points(aggregates, model)
        of_vertex = np.where(self.of >= 0, aggregates.island[self.of], -1)
        self.island = upload(of_vertex.astype(np.int32), int)
        count = self.island_count**2 if pairs else 0
        self.near = wp.zeros(count, dtype=wp.uint8, device=device)
        self.block = self._blocks()
        # The most rows, and the most places, are those of pieces that are all alone; besides, those
        # that are small may be together.
        alone = np.unique(aggregates.piece, return_inverse=True)[1]
        rows, width = self._sizes(self._shapes(alone)[0])
        small = int(rows[rows <= MOST_ROWS].sum())
        room = int((rows * width).sum()) + small * min(small, MOST_ROWS)
        self.matrix = wp.zeros(room, dtype=wp.float64, device=device)
        self.right = wp.zeros(int(rows.sum()), dtype=wp.float64, device=device)
        self.way = wp.zeros_like(self.right)
        self.patches = coarse.Patches()
        self.patches.of = upload(self.of.astype(np.int32), int)
        self.patches.modes = upload(modes, wp.vec4)
        self.patches.slope = upload(aggregates.slope, coarse.mat43)
        self.patches.mode_count = upload(aggregates.mode_count.astype(np.int32), int)
        self.patches.turn = wp.zeros(len(aggregates), dtype=wp.mat33, device=device)
        for name in ("matrix", "width", "row", "first", "start", "end"):
            setattr(self.patches, name, wp.zeros(len(aggregates), dtype=int, device=device))
        self.group = None
        self.find_parties()
        self.regroup()

    def _padded(self, sizes):
        """Rows of matrices, whole tiles of them on the GPU."""
        unit = 1 if self.model.device.is_cpu else TILE
        return -(-np.asarray(sizes).astype(int) // unit) * unit

    def find_parties(self):
        """Parties of islands that may touch, after a search.

        A party goes equally far along its direction, or one of its bodies could press the others
        too close.
        """
        count = self.island_count
        self.neighbors = np.zeros((0, 2), dtype=int)
        if self.pairs and self.pairs.count and count > 1:
            self.near.zero_()
            wp.launch(
                coarse_contact.mark_neighbors,
                dim=self.pairs.count,
                inputs=[self.pairs.pairs, self.island, count],
                outputs=[self.near],
                device=self.model.device,
            )
            marked = np.flatnonzero(self.near.numpy())
            self.neighbors = np.stack([marked // count, marked % count], axis=1)
        self.party = connected_components(self.neighbors, count)

    def _rows_of_islands(self):
        sizes = np.bincount(self.aggregates.island, self.rows, minlength=self.island_count)
        return sizes.astype(int)

    def _blocks(self):
        """Block [aggregate] of each in the matrix of its piece; 0 where that is dense."""
        part = self.aggregates
        block = np.zeros(len(part), dtype=int)
        edges = patch_edges(part.of, self.model.assembly)
        edges = edges[part.piece[edges[:, 0]] == part.piece[edges[:, 1]]]
        large = self._rows_of_islands() > MOST_ROWS
        lonely = np.zeros(self.island_count, dtype=bool)
        if not self.pairs:
            pieces = np.unique(np.stack([part.island, part.piece]), axis=1)[0]
            lonely = np.bincount(pieces, minlength=self.island_count) == 1
        place = np.zeros(len(part), dtype=int)
        for piece in np.unique(part.piece[(large | lonely)[part.island]]):
            mine = np.flatnonzero(part.piece == piece)
            place[mine] = np.arange(len(mine))
            own = blocks_of(self.rows[mine], place[edges[part.piece[edges[:, 0]] == piece]])
            if own.max() + 1 >= WORTH_BLOCKS:
                block[mine] = own
        return block

    def regroup(self):
        """Decide who shares a matrix with whom, before it is put together.

        The pieces of an island do, and islands that may touch, as long as it stays small.
        """
        part = self.aggregates
        whole = self._rows_of_islands()
        group = joined_while_small(self.neighbors, whole, MOST_ROWS)[part.island]
        large = whole[part.island] > MOST_ROWS
        self._lay_out(np.where(large, self.island_count + part.piece, group))

    def _shapes(self, group):
        """The blocks of all groups, numbered from 0: (owner, first row, first column, rows)
        [block], and the block of every aggregate."""
        both = np.stack([group, self.block], axis=1)
        blocks, of_block = np.unique(both, axis=0, return_inverse=True)
        of_block = of_block.ravel()
        owner = blocks[:, 0]
        height = self._padded(np.bincount(of_block, self.rows))
        before = np.cumsum(height) - height
        begin = before - before[np.searchsorted(owner, owner)]
        column = np.where(begin > 0, np.append(0, begin[:-1]), 0)
        return (owner, begin, column, height), of_block

    def _sizes(self, blocks):
        """Rows and places of a row of the matrix of every group, from its `blocks` (`_shapes`)."""
        owner, begin, column, height = blocks
        rows, width = np.zeros((2, owner[-1] + 1), dtype=int)
        np.maximum.at(rows, owner, begin + height)
        np.maximum.at(width, owner, begin + height - column)
        return rows, width

    def _lay_out(self, group):
        """Place the matrices of groups of aggregates behind each other, equal sizes together."""
        if np.array_equal(group, self.group):
            return
        self.group = group
        group = np.unique(group, return_inverse=True)[1]
        blocks, of_block = self._shapes(group)
        owner, begin, column, height = blocks
        rows, width = self._sizes(blocks)
        places = rows * width
        banded = np.bincount(owner) > 1
        # Dense matrices of one size are decomposed together.
        order = np.lexsort((rows, banded))
        matrix, first = np.zeros((2, len(rows)), dtype=int)
        matrix[order] = np.cumsum(places[order]) - places[order]
        first[order] = np.cumsum(rows[order]) - rows[order]
        self.used = self.matrix[: int(places.sum())]
        apart = np.flatnonzero((np.diff(rows[order]) != 0) | banded[order[1:]]) + 1
        Factors = HostFactors if self.model.device.is_cpu else DeviceFactors
        self.factors = []
        for same in np.split(order, apart):
            size, wide = int(rows[same[0]]), int(width[same[0]])
            if size == 0:
                continue
            bounds = np.append(begin[owner == same[0]], size)
            at, place, count = int(matrix[same[0]]), int(first[same[0]]), len(same)
            stack = self.matrix[at : at + count * size * wide].reshape((count, size, wide))
            vectors = slice(place, place + count * size)
            right, way = (v[vectors].reshape((count, size)) for v in (self.right, self.way))
            self.factors.append(Factors(stack, right, way, bounds))
        by_block = np.argsort(of_block, kind="stable")
        before = np.cumsum(self.rows[by_block]) - self.rows[by_block]
        row = np.empty(len(group), dtype=int)
        row[by_block] = before - before[np.searchsorted(of_block[by_block], of_block[by_block])]
        row += begin[of_block]
        for name, values in (
            ("matrix", matrix[group]),
            ("width", width[group]),
            ("row", row),
            ("first", first[group] + row),
            ("start", column[of_block]),
            ("end", (begin + height)[of_block]),
        ):
            getattr(self.patches, name).assign(values.astype(np.int32))
