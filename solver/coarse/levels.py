# SPDX-License-Identifier: GPL-3.0-or-later
"""An order of aggregates that makes the matrix of a large component block tridiagonal.

Aggregates stand in levels, by how many steps they are away from an end of their component, so that
what elements join is at most one level apart (Cuthill and McKee, "Reducing the bandwidth of sparse
symmetric matrices", 1969). A sheet of n patches has √n levels of √n patches.
"""

import numpy as np

from ..topology.graphs import Neighbors, breadth_first_levels, unique_edges

# Levels are put together to blocks of at least so many rows.
BLOCK = 48


def patch_edges(of, assembly):
    """Pairs of aggregates [edge, 2] that elements or attachments join; `of` [vertex] or -1."""
    tied = assembly.attachments
    mine = np.where(tied.weights != 0.0, tied.corners, tied.corners[:, :1])
    corners = [*assembly.corners(), mine]
    edges = unique_edges(*(of[c] for c in corners))
    return edges[(edges[:, 0] >= 0) & (edges[:, 0] != edges[:, 1])]


def blocks_of(rows, edges):
    """Block [aggregate] of the aggregates of a component, which have so many `rows` each.

    `edges` [edge, 2] join aggregates that are in the same block or in neighboring ones.
    """
    neighbors = Neighbors.from_edges(edges, len(rows))
    start = 0
    for _ in range(3):  # the last one reached is nearly as far from the others as any can be
        steps = breadth_first_levels(neighbors, start)
        start = int(np.argmax(steps))
    steps[steps < 0] = 0  # joined to nothing
    block, filled = np.zeros(steps.max() + 1, dtype=int), 0
    for level, height in enumerate(np.bincount(steps, rows)):
        full = filled >= BLOCK
        block[level] = block[level - 1] + full if level else 0
        filled = height + (0 if full else filled)
    return block[steps]
