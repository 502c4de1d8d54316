# SPDX-License-Identifier: GPL-3.0-or-later
"""Order of aggregates that keeps the envelope of the coarse matrix narrow.

Elements and attachments join neighbors. Joined aggregates are close together in the reverse order
of Cuthill and McKee ("Reducing the bandwidth of sparse symmetric matrices", 1969). A sheet of n
patches has about √n of them between a patch and the first one that it is joined to.
"""

from dataclasses import dataclass

import numpy as np

from ..kernels.coarse.skyline import PANEL
from ..topology.graphs import Neighbors, reverse_cuthill_mckee, unique_edges


def patch_edges(of, assembly):
    """Pairs of aggregates [edge, 2] joined by elements or attachments; `of` [vertex] or -1."""
    tied = assembly.attachments
    mine = np.where(tied.weights != 0.0, tied.corners, tied.corners[:, :1])
    joined = [of[corners] for corners in (*assembly.corners(), mine)]
    # Most elements lie inside of one aggregate.
    joined = [each[(each != each[:, :1]).any(axis=1)] for each in joined]
    edges = unique_edges(*joined)
    return edges[(edges[:, 0] >= 0) & (edges[:, 0] != edges[:, 1])]


@dataclass
class Clusters:
    """Clusters of aggregates that always share a matrix: those of a small component, or of a mesh
    component of a large one, which has more than `most` rows.

    Per cluster, in the order of components: `component`, `size` in rows. Per aggregate: `of`, its
    cluster; `rows`; `offset`, the rows of the cluster before it; `front`, the offset of the first
    aggregate that it is joined to, which may be its own.
    """

    most: int
    component: np.ndarray
    size: np.ndarray
    of: np.ndarray
    rows: np.ndarray
    offset: np.ndarray
    front: np.ndarray

    @property
    def is_small(self):
        """True where a cluster may share a matrix with others [cluster]."""
        return self.size <= self.most

    @property
    def panels(self):
        """Number of panels of each cluster in a matrix of its own [cluster]."""
        return -(-self.size // PANEL)

    def widths(self):
        """Columns of every panel [panel] where each cluster has a matrix of its own."""
        first = np.cumsum(self.panels) - self.panels
        start = np.arange(self.panels.sum()) - np.repeat(first, self.panels)
        end = PANEL * (start + 1)
        start *= PANEL
        for row in (self.offset, self.offset + self.rows - 1):  # fewer rows than a panel
            np.minimum.at(start, first[self.of] + row // PANEL, self.front // PANEL * PANEL)
        return end - start

    def most_panels(self, joins):
        """Panels of the largest possible matrix; if it `joins`, small clusters may share one."""
        together = int(self.panels[self.is_small].sum()) if joins else 0
        return max(int(self.panels.max()), min(together, -(-self.most // PANEL)))

    def most_below(self, joins):
        """Most tiles below a diagonal tile; if it `joins`, small clusters may share a matrix."""
        band = int(self.widths().max()) // PANEL
        if joins and self.is_small.any():
            together = int(self.panels[self.is_small].sum())
            band = max(band, min(together, -(-self.most // PANEL)))
        return band - 1

    def capacity(self, joins):
        """Most columns of all panels; if it `joins`, small clusters share dense matrices."""
        widths = self.widths()
        if not joins:
            return int(widths.sum())
        panels = int(self.panels[self.is_small].sum())
        apart = widths[np.repeat(~self.is_small, self.panels)].sum()
        return int(apart) + panels * PANEL * (min(panels, -(-self.most // PANEL)) + 1) // 2


def make_clusters(aggregates, assembly, most):
    """The `Clusters` of a scene; components of up to `most` rows are small."""
    count, rows = len(aggregates), 3 * aggregates.mode_count.astype(int)
    edges = patch_edges(aggregates.of, assembly)
    component = aggregates.component
    large = np.bincount(component, rows)[component] > most
    names = np.stack([component, np.where(large, aggregates.mesh_component, -1)], axis=1)
    names, of = np.unique(names, axis=0, return_inverse=True)
    of = of.ravel()
    edges = edges[of[edges[:, 0]] == of[edges[:, 1]]]
    size = np.bincount(of, rows).astype(int)
    order = reverse_cuthill_mckee(Neighbors.from_edges(edges, count))
    order = order[np.argsort(of[order], kind="stable")]
    offset = np.empty(count, dtype=int)
    offset[order] = np.cumsum(rows[order]) - rows[order]
    offset -= (np.cumsum(size) - size)[of]
    front = offset.copy()
    for one, other in (edges.T, edges[:, ::-1].T):
        np.minimum.at(front, one, offset[other])
    return Clusters(most, names[:, 0], size, of, rows, offset, front)
