# SPDX-License-Identifier: GPL-3.0-or-later
"""Aggregates: patches of a body that the coarse correction moves as a whole, each affinely.

Seeds are spread over the edges of the mesh, each as far from the others as it can be, and every
free vertex goes with the nearest seed. What a patch can do are the affine displacements of its rest
shape: d_i = Σ_m z_m p_m(X_i) with the modes p = (1, ξ₁, ξ₂, ξ₃), ξ being X along the principal axes
of the patch, scaled to a mean square of 1. Flat patches have no ξ₃, straight ones no ξ₂ either.
"""

from dataclasses import dataclass

import numpy as np

from .order import connected, unique_edges

# Vertices per aggregate: about eight cells across in a solid as in a sheet.
SOLID_PATCH, CLOTH_PATCH = 300, 64
# Aggregates of a piece.
FEWEST, MOST = 10, 64
# Smaller pieces converge without, ...
SMALLEST_SOLID, SMALLEST_CLOTH = 500, 250
# ... but where bodies touch, a small solid is a patch for each so many vertices: piled up, stiff
# bodies have to move as a whole.
SMALL_PATCH = 50
# An extent below this part of the largest one is none.
THIN = 1e-3


@dataclass
class Aggregates:
    """`of` [vertex] the aggregate of each vertex, -1 for none; `modes` [vertex, 4] its p.

    Per aggregate: `island`, the part of the scene that its elements and attachments join, numbered
    from 0, in ascending order; `mode_count`, and `slope` [aggregate, 4, 3], ∂p/∂X [1/m].
    """

    of: np.ndarray
    modes: np.ndarray
    island: np.ndarray
    mode_count: np.ndarray
    slope: np.ndarray

    def __len__(self):
        return len(self.island)


def make_aggregates(assembly, contacts=False):
    """The `Aggregates` of all pieces of a scene that gain from them.

    `contacts` tells that bodies may touch.
    """
    count, free = len(assembly.points), assembly.free_count
    solids, sheets = assembly.tets.corners, assembly.triangles.corners
    edges = among_free(free, solids, sheets)
    of_piece = connected(edges, count)
    sizes = np.bincount(of_piece)
    is_solid, is_sheet = np.zeros((2, len(sizes)), dtype=bool)
    is_solid[of_piece[solids.ravel()]] = True
    is_sheet[of_piece[sheets.ravel()]] = True
    large = (is_solid & (sizes >= SMALLEST_SOLID)) | (is_sheet & (sizes >= SMALLEST_CLOTH))
    wanted = np.clip(sizes // np.where(is_solid, SOLID_PATCH, CLOTH_PATCH), FEWEST, MOST)
    small = np.clip(sizes // SMALL_PATCH, 1, FEWEST) if contacts else 0
    wanted = np.where(large, wanted, np.where(is_solid, small, 0))
    neighbors = Neighbors(edges, count)
    of, total = np.full(count, -1), 0
    for number in np.flatnonzero(wanted):
        members = np.flatnonzero(of_piece[:free] == number)
        if len(members):
            of[members] = total + spread_patches(neighbors, members, wanted[number])
            total = of.max() + 1
    others = among_free(free, assembly.springs.corners, assembly.attachments.corners)
    joined = connected(np.concatenate([edges, others]), count)
    _, first = np.unique(of, return_index=True)
    _, island = np.unique(joined[first[len(first) - total :]], return_inverse=True)
    place = np.argsort(np.argsort(island, kind="stable"))
    of[of >= 0] = place[of[of >= 0]]
    island = np.sort(island)
    modes, mode_count, slope = affine_modes(assembly.rest_points, of, total)
    return Aggregates(of, modes, island, mode_count, slope)


def among_free(free, *elements):
    """Edges of elements that join two free vertices, those numbered below `free`."""
    edges = unique_edges(*elements)
    return edges[(edges < free).all(axis=1) & (edges[:, 0] != edges[:, 1])]


class Neighbors:
    """Vertices that share an edge with each vertex."""

    def __init__(self, edges, count):
        both = np.concatenate([edges, edges[:, ::-1]]).astype(np.int64)
        both = both[np.argsort(both[:, 0], kind="stable")]
        self.start = np.searchsorted(both[:, 0], np.arange(count + 1))
        self.vertex = both[:, 1]

    def of(self, vertices):
        """All neighbors of some vertices."""
        counts = self.start[vertices + 1] - self.start[vertices]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.vertex[np.repeat(self.start[vertices], counts) + within]


def spread_patches(neighbors, members, wanted):
    """Patch number [member] of a connected set of vertices, `wanted` patches in all.

    Farthest-point seeds: each new one takes over the vertices that are closer to it, in edges.
    """
    far = len(neighbors.start)
    patch = np.full(far, -1)

    def grow(seed, number, distance):
        front, steps = np.array([seed]), 0
        while len(front):
            distance[front], patch[front] = steps, number
            steps += 1
            ahead = np.unique(neighbors.of(front))
            front = ahead[distance[ahead] > steps]
        return members[np.argmax(distance[members])]

    seed = grow(members[0], 0, np.full(far, far))  # an end of the piece, not somewhere inside
    distance = np.full(far, far)
    for number in range(wanted):
        seed = grow(seed, number, distance)
    return patch[members]


def affine_modes(points, of, count):
    """Modes p [vertex, 4], their number [aggregate] and their slope [aggregate, 4, 3]."""
    modes = np.zeros((len(of), 4))
    modes[of >= 0, 0] = 1.0
    mode_count = np.ones(count, dtype=int)
    slope = np.zeros((count, 4, 3))
    by_patch = np.argsort(of, kind="stable")
    start = np.searchsorted(of[by_patch], np.arange(count + 1))
    for k in range(count):
        mine = by_patch[start[k] : start[k + 1]]
        arm = points[mine] - points[mine].mean(axis=0)
        spread, axes = np.linalg.eigh(arm.T @ arm / len(mine))
        spread, axes = spread[::-1], axes[:, ::-1].T
        kept = spread > THIN**2 * spread[0] if spread[0] > 0.0 else np.zeros(3, dtype=bool)
        mode_count[k] += kept.sum()
        slope[k, 1:][kept] = axes[kept] / np.sqrt(spread[kept])[:, None]
        modes[mine, 1:] = arm @ slope[k, 1:].T
    return modes, mode_count, slope
