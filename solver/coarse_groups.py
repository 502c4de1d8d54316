# SPDX-License-Identifier: GPL-3.0-or-later
"""Who takes a coarse step together: one system of equations per group, one α per party."""

import numpy as np
import warp as wp

from .aggregates import with_points
from .cholesky import DeviceFactors, HostFactors
from .kernels import coarse, coarse_contact
from .kernels.cholesky import TILE
from .order import connected

# Islands that may touch get a common matrix of up to so many rows.
MOST_ROWS = 960


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
    """

    def __init__(self, model, aggregates, pairs):
        self.model, self.aggregates, self.pairs = model, aggregates, pairs
        self.rows = 3 * aggregates.mode_count
        self.island_count = int(aggregates.island[-1]) + 1
        upload, device = model.upload, model.device
        self.of, modes = with_points(aggregates, model)
        of_vertex = np.where(self.of >= 0, aggregates.island[self.of], -1)
        self.island = upload(of_vertex.astype(np.int32), int)
        self.near = wp.zeros(self.island_count**2, dtype=int, device=device)
        pieces = self._padded(np.bincount(aggregates.piece, self.rows))
        total, largest = int(pieces.sum()), int(pieces.max())
        # No matrix is larger than that of the largest piece or of a group.
        room = total * min(total, max(largest, MOST_ROWS))
        self.matrix = wp.zeros(room, dtype=wp.float64, device=device)
        self.right = wp.zeros(total, dtype=wp.float64, device=device)
        self.way = wp.zeros_like(self.right)
        self.patches = coarse.Patches()
        self.patches.of = upload(self.of.astype(np.int32), int)
        self.patches.modes = upload(modes, wp.vec4)
        self.patches.slope = upload(aggregates.slope, coarse.mat43)
        self.patches.mode_count = upload(aggregates.mode_count.astype(np.int32), int)
        for name in ("matrix", "size", "row", "first"):
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
        self.party = connected(self.neighbors, count)

    def regroup(self):
        """Decide who shares a matrix with whom, before it is put together.

        The pieces of an island do, and islands that may touch, as long as it stays small.
        """
        part = self.aggregates
        whole = np.bincount(part.island, self.rows, minlength=self.island_count).astype(int)
        group = joined_while_small(self.neighbors, whole, MOST_ROWS)[part.island]
        large = whole[part.island] > MOST_ROWS
        self._lay_out(np.where(large, self.island_count + part.piece, group))

    def _lay_out(self, group):
        """Place the matrices of groups of aggregates behind each other, equal sizes together."""
        if np.array_equal(group, self.group):
            return
        self.group = group
        group = np.unique(group, return_inverse=True)[1]
        sizes = self._padded(np.bincount(group, self.rows))
        order = np.argsort(sizes, kind="stable")
        ordered = sizes[order]
        matrix, first = np.zeros((2, len(sizes)), dtype=int)
        matrix[order] = np.cumsum(ordered**2) - ordered**2
        first[order] = np.cumsum(ordered) - ordered
        by_group = np.argsort(group, kind="stable")
        before = np.cumsum(self.rows[by_group]) - self.rows[by_group]
        row = np.empty(len(group), dtype=int)
        row[by_group] = before - before[np.searchsorted(group[by_group], group[by_group])]
        self.used = self.matrix[: int((ordered**2).sum())]
        Factors = HostFactors if self.model.device.is_cpu else DeviceFactors
        self.factors = []
        for size in np.unique(ordered[ordered > 0]):
            same = order[ordered == size]
            count, size = len(same), int(size)
            begin, start = int(matrix[same[0]]), int(first[same[0]])
            blocks = self.matrix[begin : begin + count * size * size]
            vectors = slice(start, start + count * size)
            self.factors.append(
                Factors(
                    blocks.reshape((count, size, size)),
                    self.right[vectors].reshape((count, size)),
                    self.way[vectors].reshape((count, size)),
                )
            )
        for name, values in (
            ("matrix", matrix[group]),
            ("size", sizes[group]),
            ("row", row),
            ("first", first[group] + row),
        ):
            getattr(self.patches, name).assign(values.astype(np.int32))
