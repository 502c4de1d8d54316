# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of pairs that a search has found, and the list of those of each vertex."""

import warp as wp

from ..embedding import Embedding
from ..options import HOT
from .pairs import (
    EDGE_EDGE,
    VERTEX_TRIANGLE,
    Pair,
    PairState,
    Surface,
    Touch,
    pair_normal,
    signed_weights,
    weighted,
)
from .state import ContactState

wp.set_module_options(HOT)


@wp.func
def multiplier_of(kind: int, v: wp.vec4i, multiplier: wp.array[float]):
    """What a pair reaches more [m]: as its vertex does, or as both ends of an edge do."""
    if kind == VERTEX_TRIANGLE:
        return multiplier[v[0]]
    return wp.max(
        wp.min(multiplier[v[0]], multiplier[v[1]]), wp.min(multiplier[v[2]], multiplier[v[3]])
    )


@wp.func
def make_pair(kind: int, v: wp.vec4i, surface: Surface, state: ContactState, x: wp.array[wp.vec3]):
    """A pair as it is found.

    What is closer at rest than the contact distance is no contact, and no multiplier makes it one.
    """
    other = v[kind]
    pair = Pair()
    pair.kind = kind
    pair.vertices = v
    weights = signed_weights(kind, v, x)
    gap = weighted(weights, v, x)
    pair.radius = state.radius[v[0]] + state.radius[other]
    pair.friction = wp.sqrt(state.friction[v[0]] * state.friction[other])
    pair.full_stiffness = wp.min(
        wp.min(state.stiffness[v[0]], state.stiffness[v[1]]),
        wp.min(state.stiffness[v[2]], state.stiffness[v[3]]),
    )
    pair.found_normal = pair_normal(kind, weights, v, x, gap)
    pair.multiplier = multiplier_of(kind, v, state.multiplier)
    if surface.body[v[0]] == surface.body[other]:
        rest = weighted(signed_weights(kind, v, surface.rest), v, surface.rest)
        pair.multiplier = wp.min(pair.multiplier, wp.length(rest) - pair.radius)
        if pair.multiplier < 0.0:
            pair.radius = 0.0
            pair.multiplier = 0.0
    pair.radius += pair.multiplier
    return pair


@wp.kernel
def fill_vertex_triangle(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    slots: int,
    end: wp.array[int],
    found: wp.array[int],
    # out
    pairs: wp.array[Pair],
):
    """Pairs of what `find_triangles` has found; `end` [vertex] are the running sums of counts."""
    k = first + wp.tid()
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    v = surface.vertices[k]
    for j in range(end[k] - begin):
        t = surface.triangles[found[k * slots + j]]
        pairs[begin + j] = make_pair(
            VERTEX_TRIANGLE, wp.vec4i(v, t[0], t[1], t[2]), surface, state, x
        )


@wp.kernel
def fill_edge_edge(
    first: int,
    surface: Surface,
    state: ContactState,
    x: wp.array[wp.vec3],
    slots: int,
    offset: int,
    end: wp.array[int],
    found: wp.array[int],
    # out
    pairs: wp.array[Pair],
):
    """Pairs of what `find_edges` has found, behind the `offset` pairs of vertices."""
    k = first + wp.tid()
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    e = surface.edges[k]
    for j in range(end[k] - begin):
        other = found[k * slots + j]
        f = surface.edges[other]
        pair = make_pair(EDGE_EDGE, wp.vec4i(e[0], e[1], f[0], f[1]), surface, state, x)
        if k >= surface.rod_start or (other >= surface.rod_start and other < surface.body_edges):
            pair.with_rod = 1
            pair.radius -= pair.multiplier
            pair.multiplier = 0.0
        pairs[offset + begin + j] = pair


@wp.kernel
def fill_separating(
    first: int,
    touches: wp.array[Touch],
    # out
    pairs: wp.array[Pair],
    state: wp.array[PairState],
):
    """Pairs from `first` on of what leads intersections apart: always near, no reason to stop."""
    p = first + wp.tid()
    pair = Pair()
    pair.vertices = touches[p].vertices
    pair.kind = VERTEX_TRIANGLE
    pair.radius = touches[p].radius
    pairs[p] = pair
    state[p].gap = 1.0e30
    state[p].near = 15


@wp.kernel
def list_corners(
    first: int,
    pairs: wp.array[Pair],
    # out
    vertex: wp.array[int],
    entry: wp.array[int],
):
    """The four vertices of every pair, to be sorted; an entry is 4 · pair + corner."""
    k = first + wp.tid()
    vertex[k] = pairs[k / 4].vertices[k % 4]
    entry[k] = k


@wp.kernel
def find_starts(
    count: int,
    vertex: wp.array[int],
    # out
    start: wp.array[int],
):
    """First entry of every vertex (and of one behind the last) in the sorted list."""
    v = wp.tid()
    low = int(0)
    high = int(count)
    while low < high:
        middle = (low + high) / 2
        if vertex[middle] < v:
            low = middle + 1
        else:
            high = middle
    start[v] = low


@wp.kernel
def mark_listed(
    first: int,
    pairs: wp.array[Pair],
    embedding: Embedding,
    # out
    listed: wp.array[int],
):
    """Mark the vertices of pairs, and those that move them."""
    v = pairs[first + wp.tid()].vertices
    for c in range(4):
        listed[v[c]] = 1
        if v[c] >= embedding.first:
            begin = (v[c] - embedding.first) * embedding.width
            for k in range(begin, begin + embedding.width):
                listed[embedding.corners[k]] = 1
