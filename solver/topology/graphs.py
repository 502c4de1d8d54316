# SPDX-License-Identifier: GPL-3.0-or-later
"""Traversals of graphs of vertices, in the words of `scipy.sparse.csgraph`, in NumPy alone.

A graph is a list of edges [edge, 2] between vertices numbered from 0, or `Neighbors` made of one.
Edges join both ways; the order of their ends does not matter.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .blocks import blocks


def unique_edges(*elements):
    """Pairs of vertices that share an element [element, corner], each once, int32 [edge, 2]."""
    elements = [corners for corners in elements if corners.size]
    span = max((int(corners.max()) + 1 for corners in elements), default=1)
    keys = [np.zeros(0, dtype=np.int64)]
    for corners in elements:
        columns = np.ascontiguousarray(corners.T, dtype=np.int64)
        keys += [np.minimum(a, b) * span + np.maximum(a, b) for a, b in combinations(columns, 2)]
    keys = np.concatenate(keys)
    keys.sort(kind="stable")  # elements in the order of space come in long runs
    new = np.ones(len(keys), dtype=bool)
    new[1:] = keys[1:] != keys[:-1]
    keys = keys[new]
    return np.stack([keys // span, keys % span], axis=1).astype(np.int32)


def stable_order(numbers):
    """Indices that sort small numbers >= 0, int, equal ones in their order: radix sort, 16 bits at
    a time, as NumPy sorts integers of this size.
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    shift, most = 16, int(numbers.max(initial=0))
    while most >> shift:
        digits = (numbers >> shift).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
        shift += 16
    return order


def edge_index(edges, ends):
    """Index of the one of `edges` [edge, 2], all unique, that joins each pair of `ends` [pair, 2];
    -1 for none.
    """
    if not len(edges):
        return np.full(len(ends), -1, dtype=np.int64)
    span = int(max(edges.max(), ends.max(initial=0))) + 1
    keys, wanted = (np.sort(p, axis=1).astype(np.int64) @ [span, 1] for p in (edges, ends))
    order = np.argsort(keys)
    candidate = order[np.searchsorted(keys[order], wanted).clip(max=len(keys) - 1)]
    return np.where(keys[candidate] == wanted, candidate, -1)


def edges_of(triangles):
    """Edges of triangles [triangle, 3], int [edge, 2], and their indices by triangle, [triangle,
    3]: from its first corner to its second, from there to the third, and back.
    """
    ends = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, of_triangle = np.unique(ends, axis=0, return_inverse=True)
    return edges, of_triangle.reshape(-1, 3)


def connected_components(edges, count):
    """Component [vertex] of each of `count` vertices, numbered from 0 by their first vertices."""
    label = np.arange(count)
    edges = np.asarray(edges).reshape(-1, 2)
    for block in blocks(len(edges), max(count, 1)):  # the first ones join most vertices
        a, b = edges[block].T
        while True:
            one, other = label[a], label[b]
            apart = np.flatnonzero(one != other)
            if not len(apart):
                break
            a, b, one, other = (ends[apart] for ends in (a, b, one, other))
            # Labels are roots: link the larger ones to the smaller ones, then compress all paths.
            np.minimum.at(label, np.maximum(one, other), np.minimum(one, other))
            while (label[label] != label).any():
                label = label[label]
    is_root = label == np.arange(count)
    return (np.cumsum(is_root) - 1)[label]


def two_coloring(edges, count):
    """0 or 1 [vertex] such that no edge joins equals, 0 for the first vertex of every component;
    None if an odd cycle forbids it.

    In the bipartite double cover, with every vertex twice and each edge between different copies of
    its ends, a component without odd cycles splits in two, one for each coloring.
    """
    a, b = np.asarray(edges, dtype=np.int64).reshape(-1, 2).T
    both = np.concatenate([np.stack([a, b + count], 1), np.stack([a + count, b], 1)])
    one, other = connected_components(both, 2 * count).reshape(2, count)
    return None if (one == other).any() else (one > other).astype(np.int8)


@dataclass(frozen=True)
class Neighbors:
    """A graph in compressed sparse rows: vertex v has the neighbors `indices[indptr[v] :
    indptr[v + 1]]`.
    """

    indptr: np.ndarray
    indices: np.ndarray

    @classmethod
    def from_edges(cls, edges, count):
        """Make the graph of `count` vertices from edges."""
        tail, head = (np.concatenate(ends) for ends in (edges.T, edges.T[::-1]))
        indptr = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.bincount(tail, minlength=count), out=indptr[1:])
        return cls(indptr, head[stable_order(tail)])

    def __len__(self):
        return len(self.indptr) - 1

    def around(self, vertices):
        """All edges from `vertices`: tails and heads, [edge] each."""
        counts = self.indptr[vertices + 1] - self.indptr[vertices]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        at = np.repeat(self.indptr[vertices], counts) + within
        return np.repeat(vertices, counts), self.indices[at]


def breadth_first_levels(neighbors, start):
    """Steps from the vertex `start`, or the nearest of several, to all others [vertex]; -1 for
    unreachable ones.
    """
    level, step = np.full(len(neighbors), -1), 0
    level[start] = 0
    front = np.atleast_1d(start)
    while len(front):
        step += 1
        _, reached = neighbors.around(front)
        front = np.unique(reached[level[reached] < 0])
        level[front] = step
    return level


def reverse_cuthill_mckee(neighbors):
    """An order [vertex] in which joined vertices are close together.

    Every component is traversed from an end, level by level: in the order of the previous level,
    and neighbors of low degree first. Then the order is reversed.
    """
    count, degree = len(neighbors), np.diff(neighbors.indptr)
    tails = np.repeat(np.arange(count), degree)
    component = connected_components(np.stack([tails, neighbors.indices], axis=1), count)
    by_component = np.argsort(component, kind="stable")
    first = np.searchsorted(component[by_component], np.arange(component.max(initial=-1) + 1))
    front = by_component[first]
    for _ in range(3):  # the last one reached is nearly peripheral
        level = breadth_first_levels(neighbors, front)
        front = np.lexsort((degree, -level, component))[first]
    levels, rank = [front[:0]], np.full(count, -1)
    while len(front):
        rank[front] = np.arange(len(front))
        levels.append(front)
        tail, head = neighbors.around(front)
        tail, head = tail[rank[head] < 0], head[rank[head] < 0]
        front, at = np.unique(head, return_index=True)  # seen first from the first in order
        front = front[np.lexsort((degree[front], rank[tail[at]]))]
    order = np.concatenate(levels)
    return order[np.argsort(component[order], kind="stable")][::-1]
