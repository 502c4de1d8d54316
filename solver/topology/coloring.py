# SPDX-License-Identifier: GPL-3.0-or-later
"""Order of vertices in memory: along a Morton curve, then by color, pinned vertices last.

Neighbors in space become neighbors in memory, and each color is one contiguous range. A lattice of
cubes has eight colors, as a chessboard in three dimensions; general colorings need more.
"""

import numpy as np
import warp as wp

from ..messages import message

# Vertices move between colors if these differ in size by more than this factor.
BALANCE = 1.1
# Number of colors of vertices that only touch each other.
SCATTERED = 8


def morton_codes(points):
    """Position of every point along a Morton curve through the bounding box, uint64 [vertex]."""
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), np.finfo(float).tiny)
    cells = ((points - low) / size * (2**21 - 1)).astype(np.uint64)
    code = np.zeros(len(points), dtype=np.uint64)
    for axis in range(3):
        code |= spread_bits(cells[:, axis]) << np.uint64(axis)
    return code


def spread_bits(value):
    """The lowest 21 bits of every number, two zeros between them."""
    for shift, mask in (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    ):
        value = (value | (value << np.uint64(shift))) & np.uint64(mask)
    return value


def chessboard_colors(points, cells):
    """Colors [vertex] of the corners of cubic `cells` [cell, 8] by the parity of their place in the
    lattice; -1 for all if the cells are not of one lattice.
    """
    corners = points[cells]
    side = corners[0, 1, 0] - corners[0, 0, 0]
    place = np.rint((points - points.min(axis=0)) / side).astype(np.int64)
    colors = (place & 1) @ [1, 2, 4]
    if (np.sort(colors[cells], axis=1) != np.arange(8)).any():
        return np.full(len(points), -1)
    return colors


def scattered_colors(count):
    """Colors [vertex] of vertices without elements, the same numbers of each, drawn at random:
    whatever touches later, few neighbors are of one color.
    """
    return np.random.default_rng(0).permutation(count) % SCATTERED


def color_around(colors, edges):
    """Complete the colors [vertex], of which unknown ones are -1, such that no edge joins equals.

    Given colors stay if possible; where an edge joins equals, its second vertex changes.
    """
    colors = np.array(colors, dtype=np.int32)
    new = np.flatnonzero(colors < 0)
    number = np.full(len(colors), -1)
    number[new] = np.arange(len(new))
    among_new = number[edges]
    among_new = among_new[(among_new >= 0).all(axis=1)]
    if len(new):
        colors[new] = color_vertices(among_new, len(new))
    alike = colors[edges[:, 0]] == colors[edges[:, 1]]
    for vertex in np.unique(edges[alike].max(axis=1)):
        around = np.concatenate([edges[edges[:, 0] == vertex, 1], edges[edges[:, 1] == vertex, 0]])
        used = np.unique(colors[around])
        colors[vertex] = np.setdiff1d(np.arange(len(used) + 1), used)[0]
    return colors


def color_vertices(edges, vertex_count):
    """Colors 0, 1, ... [vertex] such that no edge joins equal ones: the better of two orders.

    Maximum cardinality search needs fewer colors on lattices, largest degree first on hubs.
    """
    pairs = np.asarray(edges, dtype=np.int32).reshape(-1, 2)
    edges = wp.array(pairs, dtype=wp.int32, device="cpu")
    best = None
    for algorithm in wp.utils.GraphColoringAlgorithm:
        colors = wp.zeros(vertex_count, dtype=wp.int32, device="cpu")
        count = wp.utils.graph_coloring_assign(edges, colors, algorithm)
        if best is None or count < best[0]:
            best = count, colors
    count, colors = best
    if count > 1:
        wp.utils.graph_coloring_balance(
            edges, colors, count, BALANCE, max_iterations=2 * vertex_count
        )
    colors = colors.numpy()
    clash = np.flatnonzero(colors[pairs[:, 0]] == colors[pairs[:, 1]])
    if len(clash):
        raise RuntimeError(message("mesh.one_color", edge=clash[0]))
    return colors


def vertex_order(points, pinned, edges, parent=None, known=None):
    """Return the `order` [vertex], the old index of each, and `color_start` [color + 1].

    `color_start` covers the free vertices; the pinned ones follow the last color. `parent`
    [vertex]: a vertex whose parent is another one has no edge and directly follows its parent.
    `known` [vertex]: given colors, -1 for the others.
    """
    count = len(points)
    if parent is not None and (parent != np.arange(count)).any():
        return _order_with_duplicates(points, pinned, edges, parent, known)
    along_curve = np.argsort(morton_codes(points), kind="stable")
    free = along_curve[~pinned[along_curve]]
    index = np.full(count, -1, dtype=np.int64)
    index[free] = np.arange(len(free))

    free_edges = index[edges]
    free_edges = free_edges[(free_edges >= 0).all(axis=1)]
    if not len(free):
        colors = np.zeros(0, dtype=np.int32)
    elif known is None or (known < 0).all():
        colors = color_vertices(free_edges, len(free))
    else:
        colors = color_around(known[free], free_edges)
    by_color = np.argsort(colors, kind="stable")
    order = np.concatenate([free[by_color], along_curve[pinned[along_curve]]])
    sizes = np.bincount(colors) if len(colors) else np.zeros(0, dtype=np.int64)
    return order, np.concatenate([[0], np.cumsum(sizes[sizes > 0])])


def _order_with_duplicates(points, pinned, edges, parent, known):
    own = np.flatnonzero(parent == np.arange(len(parent)))
    number = np.full(len(parent), -1)
    number[own] = np.arange(len(own))
    own_known = None if known is None else known[own]
    order, color_start = vertex_order(points[own], pinned[own], number[edges], known=own_known)
    index = np.empty(len(own), dtype=np.int64)
    index[order] = np.arange(len(own))
    of_parent = index[number[parent]]
    is_duplicate = parent != np.arange(len(parent))
    all_order = np.lexsort((is_duplicate, of_parent))
    starts = np.searchsorted(np.sort(of_parent), color_start)
    return all_order, starts
