# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods to color vertices such that no edge joins two of a color, compared with the solver's."""

import numpy as np
import warp as wp

from vbd.solver.topology.coloring import BALANCE


def neighbors_of(edges, count):
    """The neighbors of vertex i are `others[start[i]:start[i + 1]]`: (start, others)."""
    edges = np.asarray(edges, dtype=np.int64)
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    start = np.concatenate([[0], np.cumsum(np.bincount(both[:, 0], minlength=count))])
    return start, both[:, 1]


def randomized(edges, count, seed=0):
    """Vivace's colors [vertex] (course of 2018, Alg. 5), with the Hungarian heuristic.

    Palettes start with degree/s colors, s being the least degree; every round all uncolored
    vertices pick one at random, and keep it when no neighbor with a higher index picked the same.
    """
    rng = np.random.default_rng(seed)
    edges = np.asarray(edges, dtype=np.int64)
    start, others = neighbors_of(edges, count)
    degree = np.diff(start)
    shrink = max(int(degree[degree > 0].min(initial=degree.max(initial=1))), 2)
    size = degree // shrink + 1
    palette = np.arange(size.max(initial=1))[None, :] < size[:, None]
    colors = np.full(count, -1)
    low, high = edges.min(axis=1), edges.max(axis=1)
    while True:
        open_ = np.flatnonzero(colors < 0)
        if not len(open_):
            # A hub may have a number that nobody else reaches: close the gaps.
            return np.unique(colors, return_inverse=True)[1]
        # Feed the hungry: a palette that ran out gets the next color it never had.
        hungry = open_[~palette[open_].any(axis=1)]
        if len(hungry):
            if size[hungry].max() >= palette.shape[1]:
                palette = np.pad(palette, ((0, 0), (0, 1)))
            palette[hungry, size[hungry]] = True
            size[hungry] += 1
            # Neighbors may already have that color.
            for i in hungry:
                taken = colors[others[start[i] : start[i + 1]]]
                palette[i, taken[taken >= 0]] = False
        pick = np.full(count, -1)
        keys = rng.random((len(open_), palette.shape[1])) * palette[open_]
        fed = keys.max(axis=1) > 0.0
        pick[open_[fed]] = keys[fed].argmax(axis=1)
        clash = (pick[low] == pick[high]) & (pick[low] >= 0)
        accepted = pick >= 0
        accepted[low[clash]] = False
        colors[accepted] = pick[accepted]
        for a, b in (low, high), (high, low):
            done = accepted[a]
            palette[b[done], pick[a[done]]] = False


def by_warp(edges, count, algorithm, balanced=False):
    """Warp's colors [vertex]: "GREEDY" (largest degree first) or "MCS", as they are or balanced."""
    edges = wp.array(np.asarray(edges, dtype=np.int32), dtype=wp.int32, device="cpu")
    colors = wp.zeros(count, dtype=wp.int32, device="cpu")
    found = wp.utils.graph_coloring_assign(
        edges, colors, wp.utils.GraphColoringAlgorithm[algorithm]
    )
    if balanced and found > 1:
        wp.utils.graph_coloring_balance(edges, colors, found, BALANCE, max_iterations=2 * count)
    return colors.numpy()


def imbalance(colors):
    """Size of the largest color over the mean one: 1 is perfect."""
    sizes = np.bincount(colors)
    return float(sizes.max() / sizes.mean())


def clashes(colors, edges):
    """Number of edges that join two vertices of one color."""
    return int((colors[edges[:, 0]] == colors[edges[:, 1]]).sum())


def recolored(colors, edges):
    """`colors` with a new color for the upper vertex of every clashing edge; others stay."""
    colors = colors.copy()
    start, others = neighbors_of(edges, len(colors))
    bad = edges[colors[edges[:, 0]] == colors[edges[:, 1]]]
    for i in np.unique(bad.max(axis=1)):
        near = set(colors[others[start[i] : start[i + 1]]].tolist())
        if colors[i] in near:
            colors[i] = next(c for c in range(len(near) + 1) if c not in near)
    return colors
