# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of the pairs of a search, and of the pairs of each vertex."""

import warp as wp

from ...device.options import OPTIONS
from ...device.thread_shares import share_of
from ...lattice.embedding import Embedding
from ..contact_state import ContactState
from ..feasibility.separating_planes import is_separating, separating_normal
from ..feasibility.sliding_planes import blocks_paths, sliding_normal
from ..initial.initial_orientation import is_separated, normal_in_front, separates_as_before
from ..pairs import (
    EDGE_EDGE,
    VERTEX_TRIANGLE,
    Anchor,
    Pair,
    PairState,
    PreviousLists,
    SurfaceArrays,
    Touch,
    signed_weights,
    weighted,
)
from .new_pairs import (
    flat_of_edges,
    flat_of_vertex,
    of_rods,
    with_load,
    without_load,
)
from .pair_counts import ALL, OF_EDGES, OF_VERTICES, SEPARATING
from .previous_pairs import anchor_at, place_of, range_of

wp.set_module_options(OPTIONS)


# The multiplier of a pair that was not listed before.
UNKNOWN = wp.constant(-1.0)


@wp.func
def with_reach(
    pair: Pair, known: Pair, is_same_step: int, surface: SurfaceArrays, state: ContactState
):
    """Return a pair with the reach `known` from this step or, otherwise, with that of its load."""
    if is_same_step != 0 and known.multiplier != UNKNOWN:
        pair.radius = known.radius
        pair.multiplier = known.multiplier
        return pair
    return with_load(pair, surface, state)


@wp.func
def note_unseparated(pair: Pair, x: wp.array[wp.vec3], uncertain: wp.array[int]):
    """Note that the plane of a pair does not separate it: its sides are unknown then."""
    if not is_separating(pair, pair.plane_normal, x):
        uncertain[0] = 1


@wp.func
def as_known(kind: int, v: wp.vec4i, number: int, known: Anchor):
    """Return a pair of the vertices v, with the `number` of its triangle or second edge, of which
    only the earlier reach and normal are known.
    """
    pair = Pair()
    pair.vertices = v
    pair.kind = kind
    pair.other = number
    pair.radius = known.radius
    pair.plane_normal = known.normal
    pair.multiplier = wp.where(known.other >= 0, known.multiplier, UNKNOWN)
    return pair


@wp.kernel
def list_vertex_triangle(
    first: int,
    surface: SurfaceArrays,
    slots: int,
    end: wp.array[int],
    found: wp.array[int],
    previous: PreviousLists,
    # out
    pairs: wp.array[Pair],
    pulled: wp.array[wp.vec3],
):
    """List the results of `find_triangles` as pairs, `as_known` from `previous` lists; `end`
    [vertex] are the running sums of counts.
    """
    k = first + wp.tid()
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    old, old_end = range_of(k, previous.end_of_vertices, 0, previous.anchors.shape[0])
    v = surface.vertices[k]
    for j in range(wp.min(end[k], pairs.shape[0]) - begin):
        other = found[k * slots + j]
        t = surface.triangles[other]
        old = place_of(other, old, old_end, previous.anchors)
        known = anchor_at(other, old, old_end, previous.anchors)
        corners = wp.vec4i(v, t[0], t[1], t[2])
        pair = as_known(VERTEX_TRIANGLE, corners, other, known)
        pair.flat = flat_of_vertex(v, other, surface)
        pairs[begin + j] = pair
        pulled[begin + j] = known.pulled


@wp.kernel
def list_edge_edge(
    first: int,
    surface: SurfaceArrays,
    slots: int,
    counts: wp.array[int],
    end: wp.array[int],
    found: wp.array[int],
    previous: PreviousLists,
    # out
    pairs: wp.array[Pair],
    pulled: wp.array[wp.vec3],
):
    """List the results of `find_edges` in the same way, behind the pairs of vertices."""
    k = first + wp.tid()
    begin = int(0)
    if k > 0:
        begin = end[k - 1]
    e = surface.edges[k]
    offset = counts[OF_VERTICES]
    old, old_end = range_of(
        k, previous.end_of_edges, previous.counts[OF_VERTICES], previous.anchors.shape[0]
    )
    for j in range(wp.min(end[k], counts[OF_EDGES]) - begin):
        other = found[k * slots + j]
        f = surface.edges[other]
        old = place_of(other, old, old_end, previous.anchors)
        known = anchor_at(other, old, old_end, previous.anchors)
        pair = as_known(EDGE_EDGE, wp.vec4i(e[0], e[1], f[0], f[1]), other, known)
        pair.with_rod = int(
            k >= surface.rod_start or (other >= surface.rod_start and other < surface.body_edges)
        )
        pair.flat = flat_of_edges(k, other, surface)
        pairs[offset + begin + j] = pair
        pulled[offset + begin + j] = known.pulled


@wp.kernel
def make_pairs(
    first: int,
    shares: int,
    surface: SurfaceArrays,
    state: ContactState,
    x: wp.array[wp.vec3],
    counts: wp.array[int],
    is_same_step: int,
    # in and out
    pairs: wp.array[Pair],
    # out
    uncertain: wp.array[int],
):
    """Bring the listed pairs up to date. Pairs that were listed before in the same step keep their
    reach.

    In the path of most pairs, every function is short enough to be inlined: others get copies of
    all that `surface` and `state` hold, which took longer than the rest.
    """
    of_vertices = counts[OF_VERTICES]
    begin, end = share_of(first + wp.tid(), shares, of_vertices + counts[OF_EDGES])
    for p in range(begin, end):
        known = pairs[p]
        v = known.vertices
        pair = without_load(known, state)
        weights = signed_weights(pair.kind, v, x)
        gap = weighted(weights, v, x)
        normal = separating_normal(pair.kind, weights, v, x, gap)
        if not is_separated(pair, gap, normal, x):
            if not separates_as_before(pair, normal, known.plane_normal, x):
                normal = normal_in_front(pair, weights, normal, surface, x)
        if blocks_paths(pair.kind, normal, v, x, surface.remaining_path):
            normal = sliding_normal(pair, normal, weights, x, surface.remaining_path)
        pair.plane_normal = normal
        note_unseparated(pair, x, uncertain)
        pair = with_reach(pair, known, is_same_step, surface, state)
        pairs[p] = of_rods(known.with_rod, pair)


@wp.kernel
def fill_separating(
    shares: int,
    rows: wp.array[Touch],
    counts: wp.array[int],
    # out
    pairs: wp.array[Pair],
    touches: wp.array[Touch],
    state: wp.array[PairState],
):
    """Add the pairs that push intersections apart: always near, and no bound of steps."""
    begin, end = share_of(wp.tid(), shares, counts[SEPARATING])
    for k in range(begin, end):
        p = counts[OF_VERTICES] + counts[OF_EDGES] + k
        pair = Pair()
        pair.vertices = rows[k].vertices
        pair.kind = VERTEX_TRIANGLE
        pair.radius = rows[k].radius
        pairs[p] = pair
        touches[p] = rows[k]
        state[p].gap = 1.0e30
        state[p].near = 15


@wp.func
def is_first(corner: int, v: wp.vec4i):
    """Return whether a corner is not the second one of a grain, whose corners are one vertex."""
    return corner == 0 or v[corner] != v[corner - 1]


@wp.kernel
def count_entries(
    shares: int,
    pairs: wp.array[Pair],
    counts: wp.array[int],
    # in and out
    number: wp.array[int],
):
    """Count the pairs of every vertex: `number` [vertex + 1], one behind it, so that running sums
    are the starts of its entries.
    """
    begin, end = share_of(wp.tid(), shares, counts[ALL])
    for p in range(begin, end):
        v = pairs[p].vertices
        for c in range(4):
            if is_first(c, v):
                wp.atomic_add(number, v[c] + 1, 1)


@wp.kernel
def place_entries(
    shares: int,
    pairs: wp.array[Pair],
    counts: wp.array[int],
    # in and out
    next: wp.array[int],
    # out
    entry: wp.array[int],
):
    """Place the entries 4 · pair + corner of every vertex; `next` [vertex] is its next place."""
    begin, end = share_of(wp.tid(), shares, counts[ALL])
    for p in range(begin, end):
        v = pairs[p].vertices
        for c in range(4):
            if is_first(c, v):
                entry[wp.atomic_add(next, v[c], 1)] = 4 * p + c


@wp.kernel
def sort_entries(
    first: int,
    start: wp.array[int],
    widest: int,
    # in and out
    entry: wp.array[int],
):
    """Sort the entries of every vertex by their pairs: those at a distance of `widest`, at a third
    of that, and so on (Shell 1959; Knuth's distances).
    """
    v = first + wp.tid()
    begin = start[v]
    gap = widest
    while gap > 0:
        for k in range(begin + gap, start[v + 1]):
            e = entry[k]
            at = int(k)
            while at - gap >= begin and entry[at - gap] > e:
                entry[at] = entry[at - gap]
                at -= gap
            entry[at] = e
        gap = gap / 3


@wp.kernel
def mark_listed(
    first: int,
    shares: int,
    pairs: wp.array[Pair],
    counts: wp.array[int],
    embedding: Embedding,
    # out
    listed: wp.array[int],
):
    """Mark the vertices of pairs, and those that move them."""
    begin, end = share_of(first + wp.tid(), shares, counts[ALL])
    for p in range(begin, end):
        v = pairs[p].vertices
        for c in range(4):
            listed[v[c]] = 1
            if v[c] >= embedding.first:
                corner = (v[c] - embedding.first) * embedding.width
                for k in range(corner, corner + embedding.width):
                    listed[embedding.corners[k]] = 1
