# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of the material in every cell, and their connections to the next cells.

Two patches of the surface in a cell bound one component if material connects them within the cell:
straight along a line, or from subcell to subcell. Components of neighboring cells are connected by
a triangle that crosses their common face, or by material on both sides of it. So whatever the
surface connects stays connected, however thin it is.
"""

from dataclasses import dataclass

import numpy as np

from ..bodies import Filling
from .cell_filling import filling_of
from .shared_cells import joined_patches
from .solid_regions import blocks, solid_regions_of
from .surface_patches import Pieces, pieces_of


@dataclass(eq=False)
class CellComponents:
    """Components of the material in the cells of a grid, sorted by cell."""

    cell: np.ndarray
    """Flat number of the cell, [component]."""
    filling: Filling
    """Filling of the cell by each component."""
    faces: list[np.ndarray]
    """By axis: components that connect through a face, [pair, 2], the lower cell first."""
    pieces: Pieces
    of_piece: np.ndarray
    """Component that each piece of the surface bounds, [piece]."""


def components_of(points, triangles, counts):
    """Return the `CellComponents` in a grid of `counts` cells: points [point, 3] in cells,
    triangles [triangle, 3].
    """
    pieces = pieces_of(points, triangles, counts)
    material = solid_regions_of(points, triangles, counts)
    label, shared = joined_patches(points[triangles], pieces, material)

    solid = blocks(material.inside, material.subcells).any(axis=(3, 4, 5))
    solid.ravel()[pieces.cell] = False
    _, first, of_piece = np.unique(label, return_index=True, return_inverse=True)
    cell = np.concatenate([pieces.cell[first], np.flatnonzero(solid)])
    order = np.argsort(cell, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    cell, of_piece = cell[order], rank[of_piece]
    component_of_label = np.full(shared.label.max(initial=label.max()) + 2, -1)
    component_of_label[label] = of_piece
    shared.label = component_of_label[shared.label]

    fractions = material.fractions.ravel()[cell] * _shares(cell, shared)
    faces = []
    for axis in range(3):
        by_surface = _passed_faces(pieces, counts, axis, of_piece)
        pairs = np.concatenate([by_surface, _filled_faces(cell, material, shared, axis)])
        keys = np.unique(pairs @ [len(cell), 1])
        faces.append(np.stack(np.divmod(keys, len(cell)), axis=1))
    filling = filling_of(cell, fractions, material, shared)
    return CellComponents(cell, filling, faces, pieces, of_piece)


def _shares(cell, shared):
    """Share of each component in the material of its cell, [component]."""
    own = np.bincount(shared.label[shared.label >= 0], minlength=len(cell)).astype(float)
    shared_index = shared.number.ravel()[cell]
    several = shared_index >= 0
    shared_index, own, shares = shared_index[several], own[several], np.ones(len(cell))
    total, component_count = np.bincount(shared_index, own), np.bincount(shared_index)
    shares[several] = np.where(
        total[shared_index] > 0.0,
        own / np.maximum(total[shared_index], 1.0),
        1.0 / component_count[shared_index],
    )
    return shares


def _passed_faces(pieces, counts, axis, of_piece):
    """Components [pair, 2] that a triangle connects through a face across the axis."""
    place = np.unravel_index(pieces.cell, counts)[axis]
    low = np.flatnonzero(place < counts[axis] - 1)
    high = pieces.find(pieces.triangle[low], pieces.cell[low] + np.prod(counts[axis + 1 :]))
    low, high = low[high >= 0], high[high >= 0]
    return np.stack([of_piece[low], of_piece[high]], axis=1)


def _filled_faces(cell, material, shared, axis):
    """Components [pair, 2] with material on both sides of a face across the axis."""
    subcells = material.subcells
    inside = np.moveaxis(material.inside, axis, 0)
    cut = np.moveaxis(material.lines[axis].cut, axis, 0)
    below, above = slice(subcells - 1, -1, subcells), slice(subcells, None, subcells)
    joined = inside[below] & inside[above] & ~cut[below]
    height, rows, columns = joined.shape
    joined = joined.reshape(height, rows // subcells, subcells, columns // subcells, subcells)
    joined = joined.transpose(0, 1, 3, 2, 4)
    face = np.nonzero(joined.any(axis=(3, 4)))

    first = np.full(material.counts, -1)
    first.ravel()[cell[::-1]] = np.arange(len(cell))[::-1]
    sides = []
    for step, layer in ((0, -1), (1, 0)):
        at = (face[0] + step, *face[1:])
        shared_index = np.moveaxis(shared.number, axis, 0)[at]
        first_component = np.moveaxis(first, axis, 0)[at]
        sides.append(
            (shared_index, first_component, np.moveaxis(shared.label, axis + 1, 1)[:, layer])
        )
    is_shared = (sides[0][0] >= 0) | (sides[1][0] >= 0)
    simple = np.stack([first_component[~is_shared] for _, first_component, _ in sides], axis=1)
    face, row, column = np.nonzero(joined[tuple(i[is_shared] for i in face)])
    divided = []
    for shared_index, first_component, label in sides:
        number, only = shared_index[is_shared][face], first_component[is_shared][face]
        own = np.full(len(number), -1)
        many = number >= 0
        own[many] = label[number[many], row[many], column[many]]
        divided.append(np.where(many, own, only))
    divided = np.stack(divided, axis=1)
    return np.concatenate([simple, divided[(divided >= 0).all(axis=1)]])
