# SPDX-License-Identifier: GPL-3.0-or-later
"""Who takes a coarse step together: one system of equations per group, one α per island."""

import numpy as np
import warp as wp

from ..kernels import coarse_contact
from ..kernels.coarse import factorisation
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse.factorisation import TILE
from ..topology.graphs import connected_components
from .aggregates import with_points
from .factorisation import DeviceFactors, HostFactors
from .levels import blocks_of, patch_edges

# Linkages that may touch get a common, dense matrix of up to so many rows.
MOST_ROWS = 960
# A component of at least so many blocks has a block tridiagonal matrix.
WORTH_BLOCKS = 3


def joined_while_small(neighbors, sizes, most):
    """Group [linkage]: neighbors in one, the first ones first, of at most `most` rows together."""
    group, total = np.arange(len(sizes)), sizes.copy()
    for a, b in neighbors:
        one, other = group[a], group[b]
        if one != other and total[one] + total[other] <= most:
            group[group == other] = one
            total[one] += total[other]
    return group


class Groups:
    """The aggregates of a scene on the device, and the matrices of their groups.

    `patches` are the aggregates, `linkage` [slot of `model.x`] and `of` what every vertex belongs
    to. `matrix`, `right` and `solution` hold A, Pᵀf and z of all groups, one behind the other, and
    `factors` solve for z. `island` [linkage] is what goes equally far.

    The matrix of a large component is block tridiagonal, and so is that of a small one alone where
    no surfaces may touch: contacts join any two aggregates, and there only neighbors have a place.
    """

    def __init__(self, model, aggregates):
        self.model, self.aggregates = model, aggregates
        self.touches = model.contact is not None
        if model.device.is_cuda:
            model.launches.expect(factorisation.find_scales)
        self.rows = 3 * aggregates.mode_count
        self.linkage_count = int(aggregates.linkage[-1]) + 1
        upload, device = model.upload, model.device
        self.of, modes = with_points(aggregates, model)
        of_vertex = np.where(self.of >= 0, aggregates.linkage[self.of], -1)
        self.linkage = upload(of_vertex.astype(np.int32), int)
        count = self.linkage_count**2 if self.touches else 0
        self.near = wp.zeros(count, dtype=wp.uint8, device=device)
        self.block = self._blocks()
        # The most rows, and the most places, are those of components that are all alone; besides,
        # those that are small may be together.
        alone = np.unique(aggregates.component, return_inverse=True)[1]
        rows, width = self._sizes(self._shapes(alone)[0])
        small = int(rows[rows <= MOST_ROWS].sum())
        room = int((rows * width).sum()) + small * min(small, MOST_ROWS)
        self.matrix = wp.zeros(room, dtype=wp.float64, device=device)
        self.right = wp.zeros(int(rows.sum()), dtype=wp.float64, device=device)
        self.solution = wp.zeros_like(self.right)
        self.patches = coarse.Patches()
        self.patches.of = upload(self.of.astype(np.int32), int)
        self.patches.modes = upload(modes, wp.vec4)
        self.patches.slope = upload(aggregates.slope, coarse.mat43)
        self.patches.mode_count = upload(aggregates.mode_count.astype(np.int32), int)
        self.patches.turn = wp.zeros(len(aggregates), dtype=wp.mat33, device=device)
        for name in ("matrix", "width", "row", "first", "start", "end"):
            setattr(self.patches, name, wp.zeros(len(aggregates), dtype=int, device=device))
        self.group = None
        self.find_islands()
        self.regroup()

    def _padded(self, sizes):
        """Rows of matrices, whole tiles of them on the GPU."""
        unit = 1 if self.model.device.is_cpu else TILE
        return -(-np.asarray(sizes).astype(int) // unit) * unit

    def find_islands(self):
        """Islands of linkages that may touch, after a search.

        A island goes equally far along its direction, or one of its bodies could press the others
        too close.
        """
        count = self.linkage_count
        self.neighbors = np.zeros((0, 2), dtype=int)
        lists = self.model.lists
        if lists.count and count > 1:
            self.near.zero_()
            inputs = [lists.pairs, self.linkage, count]
            kernel = coarse_contact.mark_neighbors
            self.model.launches.run(kernel, lists.count, inputs, [self.near])
            marked = np.flatnonzero(self.near.numpy())
            self.neighbors = np.stack([marked // count, marked % count], axis=1)
        self.island = connected_components(self.neighbors, count)

    def _rows_of_linkages(self):
        sizes = np.bincount(self.aggregates.linkage, self.rows, minlength=self.linkage_count)
        return sizes.astype(int)

    def _blocks(self):
        """Block [aggregate] of each in the matrix of its component; 0 where that is dense."""
        part = self.aggregates
        block = np.zeros(len(part), dtype=int)
        edges = patch_edges(part.of, self.model.assembly)
        edges = edges[part.component[edges[:, 0]] == part.component[edges[:, 1]]]
        large = self._rows_of_linkages() > MOST_ROWS
        lonely = np.zeros(self.linkage_count, dtype=bool)
        if not self.touches:
            components = np.unique(np.stack([part.linkage, part.component]), axis=1)[0]
            lonely = np.bincount(components, minlength=self.linkage_count) == 1
        index = np.zeros(len(part), dtype=int)
        for component in np.unique(part.component[(large | lonely)[part.linkage]]):
            mine = np.flatnonzero(part.component == component)
            index[mine] = np.arange(len(mine))
            own = blocks_of(self.rows[mine], index[edges[part.component[edges[:, 0]] == component]])
            if own.max() + 1 >= WORTH_BLOCKS:
                block[mine] = own
        return block

    def regroup(self):
        """Decide who shares a matrix with whom, before it is put together.

        The components of an linkage do, and linkages that may touch, as long as it stays small.
        """
        part = self.aggregates
        whole = self._rows_of_linkages()
        group = joined_while_small(self.neighbors, whole, MOST_ROWS)[part.linkage]
        large = whole[part.linkage] > MOST_ROWS
        self._lay_out(np.where(large, self.linkage_count + part.component, group))

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
            at, begin_at, count = int(matrix[same[0]]), int(first[same[0]]), len(same)
            stack = self.matrix[at : at + count * size * wide].reshape((count, size, wide))
            vectors = slice(begin_at, begin_at + count * size)
            right, solution = (
                v[vectors].reshape((count, size)) for v in (self.right, self.solution)
            )
            self.factors.append(Factors(stack, right, solution, bounds))
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
