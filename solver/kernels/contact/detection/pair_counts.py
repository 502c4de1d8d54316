# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of pairs in the lists of contacts, and of those beyond their capacity."""

import warp as wp

from ...device.options import OPTIONS
from ...device.thread_shares import share_of

wp.set_module_options(OPTIONS)

# Slots of `counts`: pairs of vertices, then of edges, then separating ones, and all of them; and
# the number of searches.
OF_VERTICES = wp.constant(0)
OF_EDGES = wp.constant(1)
SEPARATING = wp.constant(2)
ALL = wp.constant(3)
SEARCHES = wp.constant(4)
# Slots of `needed`, the most that a frame has needed: triangles of a vertex, edges of an edge, and
# pairs.
TRIANGLE_SLOTS = wp.constant(0)
EDGE_SLOTS = wp.constant(1)
PAIRS = wp.constant(2)


@wp.kernel
def limit_slots(
    shares: int,
    slots: int,
    which: int,
    # in and out
    count: wp.array[int],
    needed: wp.array[int],
    frame_continues: wp.array[int],
):
    """Note in a slot of `needed` the most results of a query, and limit counts to the slots; where
    these are too few, the rest of the frame is left out.
    """
    begin, end = share_of(wp.tid(), shares, count.shape[0])
    most = int(0)
    for k in range(begin, end):
        most = wp.max(most, count[k])
        count[k] = wp.min(count[k], slots)
    if most > needed[which]:
        wp.atomic_max(needed, which, most)
    if most > slots:
        frame_continues[0] = 0


@wp.kernel
def count_pairs(
    end_of_vertices: wp.array[int],
    end_of_edges: wp.array[int],
    separating: wp.array[int],
    capacity: int,
    # in and out
    counts: wp.array[int],
    needed: wp.array[int],
    frame_continues: wp.array[int],
):
    """Count the pairs of a search; beyond the `capacity` the last ones are left out, and the rest
    of the frame.

    `end_of_vertices` and `end_of_edges` are running sums over all queries. One thread.
    """
    of_vertices = end_of_vertices[end_of_vertices.shape[0] - 1]
    of_edges = end_of_edges[end_of_edges.shape[0] - 1]
    total = of_vertices + of_edges + separating[0]
    needed[PAIRS] = wp.max(needed[PAIRS], total)
    counts[OF_VERTICES] = wp.min(of_vertices, capacity)
    counts[OF_EDGES] = wp.min(of_edges, capacity - counts[OF_VERTICES])
    counts[SEPARATING] = wp.min(separating[0], capacity - counts[OF_VERTICES] - counts[OF_EDGES])
    counts[ALL] = wp.min(total, capacity)
    counts[SEARCHES] = counts[SEARCHES] + 1
    if total > capacity:
        frame_continues[0] = 0
