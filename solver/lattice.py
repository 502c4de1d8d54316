# SPDX-License-Identifier: GPL-3.0-or-later
"""A cage of tets around any surface mesh, and the surface embedded in it.

The surface may be open, self-intersecting, flat or not a manifold: cells of a cubic lattice that
touch it are found, what the outside cannot reach is inside, and every kept cell becomes six tets.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from .bodies import checked_elements, finite_points

MAX_RESOLUTION = 128
# Cells per side of a cage cell that measure how much of it is inside.
SUBCELLS = 3
# Cells at the border of a thin or open mesh hold little or nothing of its inside. They keep this
# part of their mass and stiffness, so that no vertex of the cage is too light to be simulated.
LEAST_FRACTION = 0.1
# Rounding may put a point that lies on the border of a cell, or of a tet, just outside of it.
ROUNDING = 1e-9
# Larger triangles are split before they are compared with the cells of the box around them.
CELLS_PER_TRIANGLE = 512
# Triangle-cell pairs that are tested at once: bounds the memory at some 100 MB.
PAIRS_AT_ONCE = 1 << 18

# The corners of a Kuhn tet: from corner 000 to corner 111 of the cell, one axis after the other.
AXIS_ORDERS = np.array(list(permutations(range(3))))
KUHN_CORNERS = np.concatenate(
    [np.zeros((6, 1, 3), int), np.cumsum(np.eye(3, dtype=int)[AXIS_ORDERS], axis=1)], axis=1
)
# Makes one number of an axis order; the orders above rise in it.
BASE_3 = (9, 3, 1)
ODD = np.array([np.linalg.det(np.eye(3)[order]) < 0.0 for order in AXIS_ORDERS])


@dataclass(eq=False)
class Cage:
    """Tets around a surface. `embed` finds surface points in them."""

    points: np.ndarray
    """Corners of the kept cells [m], shape [vertex, 3]."""
    tets: np.ndarray
    """Positively oriented, shape [tet, 4], int32; six after each other fill one cell."""
    fractions: np.ndarray
    """Part of the tet's cell that lies inside the surface, shape [tet], in (0, 1]."""
    origin: np.ndarray
    """Lowest corner of the lattice [m]."""
    cell_size: float
    """Side of a cell [m]."""
    cell_index: np.ndarray
    """Number of the kept cell at every place of the lattice, -1 for none, shape [x, y, z]."""


def inside_fractions(corners, counts):
    """Part of every cell inside the surface, shape `counts`; above 0 for all that are to be kept.

    `corners` [triangle, 3, 3] in cells. A hole narrower than a cell does not let the outside in.
    """
    x, y, z = counts
    subcells = touched_cells(corners * SUBCELLS, counts * SUBCELLS)
    blocks = subcells.reshape(x, SUBCELLS, y, SUBCELLS, z, SUBCELLS)
    touched = blocks.any(axis=(1, 3, 5))
    enclosed = ~(touched | outside_cells(touched))
    # The finer flood runs through narrow holes, but not into cells that are known to be enclosed.
    blocks |= enclosed[:, None, :, None, :, None]
    outside = outside_cells(subcells).reshape(blocks.shape)
    # On the average the surface halves the subcells that it touches.
    parts = np.where(blocks, 0.5, 1.0 - outside).mean(axis=(1, 3, 5))
    return np.where(enclosed, 1.0, parts)


def outside_cells(blocked):
    """The cells that can be reached from around the lattice without entering a blocked one."""
    blocked = np.pad(blocked, 1)
    outside = np.pad(np.zeros(np.array(blocked.shape) - 2, bool), 1, constant_values=True)
    reached = 0
    while reached < (reached := np.count_nonzero(outside)):
        for axis in range(3):
            for way in (slice(None), slice(None, None, -1)):
                _sweep(np.moveaxis(outside, axis, 0)[way], np.moveaxis(blocked, axis, 0)[way])
    return outside[1:-1, 1:-1, 1:-1]


def _sweep(outside, blocked):
    """Let the outside flow along the first axis until it is blocked; changes `outside`."""
    for behind, here, wall in zip(outside[:-1], outside[1:], blocked[1:], strict=True):
        here |= behind & ~wall


def touched_cells(corners, counts):
    """The unit cells that triangles touch, shape `counts`: exact but for `ROUNDING` too many."""
    corners = _small_triangles(corners)
    first, spans = _cell_boxes(corners)
    touched = np.zeros(counts, bool)
    pairs = spans.prod(axis=1)
    batches = np.cumsum(pairs) // PAIRS_AT_ONCE
    for batch in np.unique(batches):
        at = np.flatnonzero(batches == batch)
        triangle = np.repeat(at, pairs[at])
        step = np.arange(len(triangle)) - np.repeat(np.cumsum(pairs[at]) - pairs[at], pairs[at])
        _, rows, layers = spans[triangle].T
        cells = first[triangle] + np.stack(
            [step // (rows * layers), step // layers % rows, step % layers], axis=1
        )
        cells = cells[_touch(corners[triangle], cells)]
        cells = cells[((cells >= 0) & (cells < counts)).all(axis=1)]
        touched[tuple(cells.T)] = True
    return touched


def _cell_boxes(corners):
    """First cell and number of cells along each axis of the boxes around triangles."""
    first = np.floor(corners.min(axis=1) - ROUNDING).astype(int)
    last = np.floor(corners.max(axis=1) + ROUNDING).astype(int)
    return first, last - first + 1


def _small_triangles(corners):
    """The same surface, in triangles whose boxes hold at most `CELLS_PER_TRIANGLE` cells."""
    small = []
    while len(corners):
        large = _cell_boxes(corners)[1].prod(axis=1) > CELLS_PER_TRIANGLE
        small.append(corners[~large])
        a, b, c = corners[large].swapaxes(0, 1)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        corners = np.concatenate([np.stack(part, axis=1) for part in parts])
    return np.concatenate(small)


def _touch(corners, cells):
    """Whether triangles [pair, 3, 3] touch the unit cells [pair, 3] in whose reach they lie.

    Separating axes: the triangle's normal, and its edges crossed with the axes of the cell.
    """
    corners = corners - (cells + 0.5)[:, None]
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(edges[:, 0], edges[:, 1])
    half = 0.5 + ROUNDING
    distance = np.abs(np.einsum("ij,ij->i", normal, corners[:, 0]))
    touch = distance <= half * np.abs(normal).sum(axis=1)
    for x, y in ((0, 1), (1, 2), (2, 0)):
        for edge in range(3):
            ex, ey = edges[:, edge, x, None], edges[:, edge, y, None]
            along = ex * corners[:, :, y] - ey * corners[:, :, x]
            reach = half * (np.abs(ex) + np.abs(ey))[:, 0]
            touch &= (along.min(axis=1) <= reach) & (along.max(axis=1) >= -reach)
    return touch


def cage(points, triangles, resolution, name="Cage"):
    """The `Cage` around a surface: points [vertex, 3] in m, triangles [triangle, 3].

    `resolution`: cells along the longest side of the bounding box.
    """
    points = finite_points(name, "points", points)
    triangles = checked_elements(name, "triangle", triangles, 3, len(points))
    if not len(triangles):
        raise ValueError(f"{name}: the mesh has no faces to build a cage around; add faces to it")
    if not 1 <= resolution <= MAX_RESOLUTION:
        raise ValueError(
            f"{name}: the cage resolution is {resolution}; it must lie between 1 and {MAX_RESOLUTION}"
        )
    corners = points[triangles]
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    longest = (high - low).max()
    if longest <= ROUNDING * np.abs(corners).max():
        raise ValueError(f"{name}: all faces lie in one point; a cage needs a mesh with a size")

    # A little room on both sides: the surface never lies on the border of the lattice.
    size = longest * (1.0 + 1e-6) / int(resolution)
    counts = np.maximum(np.ceil((high - low) / size).astype(int), 1)
    origin = 0.5 * (low + high) - 0.5 * size * counts

    inside = inside_fractions((corners - origin) / size, counts)
    cells = np.argwhere(inside > 0.0)
    fractions = np.maximum(inside[tuple(cells.T)], LEAST_FRACTION)

    cell_index = np.full(counts, -1)
    cell_index[tuple(cells.T)] = np.arange(len(cells))
    kuhn = KUHN_CORNERS.copy()
    kuhn[ODD, 1], kuhn[ODD, 2] = KUHN_CORNERS[ODD, 2], KUHN_CORNERS[ODD, 1]
    grid = (cells[:, None, None] + kuhn).reshape(-1, 3)
    used, tets = np.unique(np.ravel_multi_index(grid.T, counts + 1), return_inverse=True)
    cage_points = origin + size * np.stack(np.unravel_index(used, counts + 1), axis=1)
    return Cage(
        points=cage_points,
        tets=tets.reshape(-1, 4).astype(np.int32),
        fractions=np.repeat(fractions, 6),
        origin=origin,
        cell_size=size,
        cell_index=cell_index,
    )


def embed(points, cage):
    """Tet corners and barycentric weights of points in a cage: int32 [point, 4], float64 [point, 4].

    `(weights[:, :, None] * cage_points[corners]).sum(axis=1)` moves the points with the cage. Points
    outside follow the nearest cell, with weights below 0.
    """
    points = finite_points("Cage", "points", points)
    place = (points - cage.origin) / cage.cell_size
    cells = np.clip(np.floor(place).astype(int), 0, np.array(cage.cell_index.shape) - 1)
    number = cage.cell_index[tuple(cells.T)]
    kept = np.argwhere(cage.cell_index >= 0)
    for i in np.flatnonzero(number < 0):
        gap = np.maximum(0.0, np.abs(place[i] - (kept + 0.5)) - 0.5)
        cells[i] = kept[np.argmin((gap**2).sum(axis=1))]
        number[i] = cage.cell_index[tuple(cells[i])]

    # Inside the Kuhn tet, the coordinates fall in the order in which its path takes the axes.
    inner = place - cells
    order = np.argsort(-inner, axis=1, kind="stable")
    falling = np.take_along_axis(inner, order, axis=1)
    path = np.concatenate([np.ones((len(points), 1)), falling, np.zeros((len(points), 1))], axis=1)
    weights = path[:, :-1] - path[:, 1:]
    tet = np.searchsorted(AXIS_ORDERS @ BASE_3, order @ BASE_3)
    swapped = ODD[tet]
    weights[swapped, 1], weights[swapped, 2] = weights[swapped, 2], weights[swapped, 1]
    return cage.tets[6 * number + tet], weights
