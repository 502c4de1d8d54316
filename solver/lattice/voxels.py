# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of a grid that a surface touches, and cells that are connected to the outside.

Cells that cannot be reached from outside through untouched cells are inside, so the surface may be
open, self-intersecting, flat or not a manifold. All lengths are in cells: cell i lies between i and
i + 1.
"""

import numpy as np

# Rounding may put a point that lies on the border of a cell, or of a tet, just outside of it.
ROUNDING = 1e-9
# Larger triangles are split before they are compared with the cells of the box around them.
CELLS_PER_TRIANGLE = 512
# Triangle-cell pairs tested at once; this bounds the memory to some 100 MB.
PAIRS_AT_ONCE = 1 << 18


def closed_volume(points, triangles):
    """Volume [m³] inside a surface without borders; None for any other."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    low, high = edges.min(axis=1).astype(np.int64), edges.max(axis=1)
    _, edge = np.unique(low * len(points) + high, return_inverse=True)
    if np.bincount(edge, weights=np.where(edges[:, 0] == low, 1.0, -1.0)).any():
        return None
    a, b, c = (points - points.mean(axis=0))[triangles].swapaxes(0, 1)
    return abs(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def outside_cells(blocked):
    """Cells that can be reached from around the lattice without entering a blocked one."""
    blocked = np.pad(blocked, 1)
    outside = np.pad(np.zeros(np.array(blocked.shape) - 2, bool), 1, constant_values=True)
    reached = 0
    while reached < (reached := np.count_nonzero(outside)):
        for axis in range(3):
            for along in (slice(None), slice(None, None, -1)):
                _sweep(np.moveaxis(outside, axis, 0)[along], np.moveaxis(blocked, axis, 0)[along])
    return outside[1:-1, 1:-1, 1:-1]


def _sweep(outside, blocked):
    """Extend `outside` along the first axis until it is blocked."""
    for behind, here, wall in zip(outside[:-1], outside[1:], blocked[1:], strict=True):
        here |= behind & ~wall


def touched_cells(corners, counts):
    """Unit cells that triangles touch, shape `counts`; `ROUNDING` may add some."""
    touched = np.zeros(counts, bool)
    for _, cells in _touches(corners, counts):
        touched[tuple(cells.T)] = True
    return touched


def touches(corners, counts):
    """Pairs of a triangle and a unit cell that it touches, sorted: numbers of the triangles [pair],
    and flat numbers of the cells in a grid of `counts`, [pair].
    """
    size = int(np.prod(counts))
    keys = [np.zeros(0, np.int64)]
    for triangle, cells in _touches(corners, counts):
        keys.append(triangle * size + np.ravel_multi_index(cells.T, counts))
    return np.divmod(np.unique(np.concatenate(keys)), size)


def _touches(corners, counts):
    """Yield batches of triangles [pair] and of cells [pair, 3] that they touch; some repeat."""
    corners, owner = _small_triangles(corners)
    for triangle, cells in within_boxes(*_cell_boxes(corners)):
        kept = ((cells >= 0) & (cells < counts)).all(axis=1)
        triangle, cells = triangle[kept], cells[kept]
        kept = _touch(corners[triangle], cells)
        yield owner[triangle[kept]], cells[kept]


def within_boxes(first, spans):
    """Yield batches of numbers of boxes [pair] and of integer places [pair, axis] in them; a box
    begins at `first` [box, axis] and has `spans` [box, axis] places along each axis.
    """
    pairs = spans.prod(axis=1)
    batches = np.cumsum(pairs) // PAIRS_AT_ONCE
    for batch in np.unique(batches):
        at = np.flatnonzero(batches == batch)
        box = np.repeat(at, pairs[at])
        step = np.arange(len(box)) - np.repeat(np.cumsum(pairs[at]) - pairs[at], pairs[at])
        place = first[box]
        for axis in reversed(range(first.shape[1])):
            step, along = np.divmod(step, spans[box, axis])
            place[:, axis] += along
        yield box, place


def _cell_boxes(corners):
    """First cell and number of cells along each axis of the boxes around triangles."""
    first = np.floor(corners.min(axis=1) - ROUNDING).astype(int)
    last = np.floor(corners.max(axis=1) + ROUNDING).astype(int)
    return first, last - first + 1


def _small_triangles(corners):
    """Split triangles until their boxes hold at most `CELLS_PER_TRIANGLE` cells; return them and
    the number of the original triangle of each.
    """
    owner = np.arange(len(corners))
    small, owners = [corners[:0]], [owner[:0]]
    while len(corners):
        large = _cell_boxes(corners)[1].prod(axis=1) > CELLS_PER_TRIANGLE
        small.append(corners[~large])
        owners.append(owner[~large])
        a, b, c = corners[large].swapaxes(0, 1)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        quarters = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        corners = np.concatenate([np.stack(quarter, axis=1) for quarter in quarters])
        owner = np.tile(owner[large], 4)
    return np.concatenate(small), np.concatenate(owners)


def _touch(corners, cells):
    """True for triangles [pair, 3, 3] that touch the unit cells [pair, 3], if their boxes do.

    Separating axes: the triangle's normal, and its edges crossed with the axes of the cell.
    """
    corners = corners - (cells + 0.5)[:, None]
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(edges[:, 0], edges[:, 1])
    half = 0.5 + ROUNDING
    distance = np.abs(np.einsum("ij,ij->i", normal, corners[:, 0]))
    # The normal of a triangle without area is rounding, and separates nothing.
    doubt = ROUNDING**1.5 * (edges**2).sum(axis=(1, 2)) * np.abs(corners).max(axis=(1, 2))
    touch = distance <= half * np.abs(normal).sum(axis=1) + doubt
    for edge in range(3):
        start, opposite = corners[:, edge].T, corners[:, edge - 1].T
        along = edges[:, edge].T
        for x, y in ((0, 1), (1, 2), (2, 0)):
            # Both ends of the edge are at the same value on this axis.
            here = along[x] * start[y] - along[y] * start[x]
            there = along[x] * opposite[y] - along[y] * opposite[x]
            reach = half * (np.abs(along[x]) + np.abs(along[y]))
            touch &= (np.minimum(here, there) <= reach) & (np.maximum(here, there) >= -reach)
    return touch
