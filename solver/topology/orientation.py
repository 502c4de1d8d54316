# SPDX-License-Identifier: GPL-3.0-or-later
"""Consistent orientation of the triangles of a surface, also across seams.

A side of a triangle is numbered 3 t + k, from corner k of triangle t to the next.
"""

import numpy as np

from ..messages import message
from .graphs import connected_components, edges_of


def turned_to_agree(name, triangles, joined, is_sewn):
    """Return triangles [triangle, 3] with consistent orientation, flipping as few as possible in
    each connected surface. Refuses surfaces that are not orientable, and edges of more than two
    faces.

    `joined` [vertex]: the representative of each vertex after closing seams; `is_sewn` [vertex].

    In the graph with every triangle twice, as given and flipped, an orientable surface has two
    components.
    """
    pairs, agree = _pairs(name, triangles, joined, is_sewn)
    (a, b), count = (pairs // 3).T, len(triangles)
    other = np.where(agree, 0, count)
    edges = np.concatenate(
        [np.stack([a, b + other], axis=1), np.stack([a + count, b + count - other], axis=1)]
    )
    as_is, turned = connected_components(edges, 2 * count).reshape(2, count)
    if (as_is == turned).any():
        raise ValueError(message("material.one_sided", name=name))
    turns, surface = as_is > turned, np.minimum(as_is, turned)
    are_most = np.bincount(surface, np.where(turns, 1.0, -1.0))[surface] > 0.0
    return np.where((turns != are_most)[:, None], triangles[:, ::-1], triangles)


def _pairs(name, triangles, joined, is_sewn):
    """Sides that meet after closing seams [pair, 2], and True where their triangles agree."""
    ends = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    edge = edges_of(triangles)[1].ravel()
    times = np.bincount(edge)[edge]
    _refuse_more_than_two(name, ends[times > 2], "material.three_faces")
    inner = _in_pairs(edge, times == 2)
    is_forward = ends[:, 0] < ends[:, 1]
    border = np.flatnonzero(times == 1)
    sewn, leaves = _sewn_pairs(name, border, ends, joined, is_sewn)
    agree = [is_forward[inner[:, 0]] != is_forward[inner[:, 1]], leaves[:, 0] != leaves[:, 1]]
    return np.concatenate([inner, sewn]), np.concatenate(agree)


def _in_pairs(key, chosen):
    """Indices of the chosen items in pairs of one key, of which each has two, int [pair, 2]."""
    chosen = np.flatnonzero(chosen)
    return chosen[np.argsort(key[chosen], kind="stable")].reshape(-1, 2)


def _sewn_pairs(name, border, ends, joined, is_sewn):
    """Sides of a surface's border that a seam joins [pair, 2], and True for those that leave their
    common vertex.

    Seams divide a border in chains of edges. Two chains between the same vertices are opposite:
    two edges, an edge and a finer border without seams in between, or the sides of an opening.
    """
    u, v = ends[border].T
    count = len(border)
    links = [np.stack([np.arange(count), count + w], 1)[~is_sewn[w]] for w in (u, v)]
    chain = connected_components(np.concatenate(links), count + len(joined))[:count]
    # Ends of chains: the chain, its vertex, and the side, which leaves it or arrives.
    at = [np.flatnonzero(is_sewn[w]) for w in (u, v)]
    side = np.concatenate(at)
    vertex, leaves = joined[np.concatenate([u[at[0]], v[at[1]]])], side >= 0
    leaves[len(at[0]) :] = False
    of = chain[side]
    both = np.lexsort((vertex, of))
    both = both[np.bincount(of)[of[both]] == 2].reshape(-1, 2)
    low, high = vertex[both].T
    both, low, high = (values[low < high] for values in (both, low, high))
    is_single = side[both[:, 0]] == side[both[:, 1]]
    _, key = np.unique(low * len(joined) + high, return_inverse=True)
    singles, times = np.bincount(key, is_single)[key], np.bincount(key)[key]
    many = joined[ends[border[side[both[singles > 2, 0]]]]]
    _refuse_more_than_two(name, many, "material.three_seams")
    is_paired = np.where(singles == 2, is_single, times == 2)
    first = both[_in_pairs(key, is_paired), 0]
    return border[side[first]], leaves[first]


def _refuse_more_than_two(name, ends, which):
    if len(ends):
        count, (a, b) = len(np.unique(np.sort(ends, axis=1), axis=0)), ends[0]
        raise ValueError(message(which, name=name, count=count, a=a, b=b))
