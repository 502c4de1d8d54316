# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts into which the material of every cell falls, and which of them go on in the next cell.

Two patches of the surface in a cell belong to one part if material leads from one to the other
within the cell: straight along a line, or from subcell to subcell. Between neighboring cells, parts
are connected by a triangle that passes their common face, or by material on both sides of it.
So what the surface connects is never torn apart, however thin it is.
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
    """Parts of the material in the cells of a grid, sorted by cell."""

    cell: np.ndarray
    """Flat number of the cell, [part]."""
    filling: Filling
    """How much of the cell each fills, and where."""
    faces: list[np.ndarray]
    """By axis: pairs of parts, [pair, 2], that connect through a face, the lower cell first."""
    pieces: Pieces
    of_piece: np.ndarray
    """The part that each piece of the surface bounds, [piece]."""


def components_of(points, triangles, counts):
    """`CellComponents` in a grid of `counts` cells: points [point, 3] in cells, triangles
    [triangle, 3].
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
    part_of_label = np.full(shared.label.max(initial=label.max()) + 2, -1)
    part_of_label[label] = of_piece
    shared.label = part_of_label[shared.label]

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
    """What each part has of the material in its cell, [part]."""
    own = np.bincount(shared.label[shared.label >= 0], minlength=len(cell)).astype(float)
    crowd = shared.number.ravel()[cell]
    several = crowd >= 0
    crowd, own, shares = crowd[several], own[several], np.ones(len(cell))
    total, parts = np.bincount(crowd, own), np.bincount(crowd)
    shares[several] = np.where(
        total[crowd] > 0.0, own / np.maximum(total[crowd], 1.0), 1.0 / parts[crowd]
    )
    return shares


def _passed_faces(pieces, counts, axis, of_piece):
    """Pairs of parts [pair, 2] that a triangle connects through a face across the axis."""
    place = np.unravel_index(pieces.cell, counts)[axis]
    low = np.flatnonzero(place < counts[axis] - 1)
    high = pieces.find(pieces.triangle[low], pieces.cell[low] + np.prod(counts[axis + 1 :]))
    low, high = low[high >= 0], high[high >= 0]
    return np.stack([of_piece[low], of_piece[high]], axis=1)


def _filled_faces(cell, material, shared, axis):
    """Pairs of parts [pair, 2] with material on both sides of a face across the axis."""
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
    for way, layer in ((0, -1), (1, 0)):
        at = (face[0] + way, *face[1:])
        crowd = np.moveaxis(shared.number, axis, 0)[at]
        alone = np.moveaxis(first, axis, 0)[at]
        sides.append((crowd, alone, np.moveaxis(shared.label, axis + 1, 1)[:, layer]))
    crowded = (sides[0][0] >= 0) | (sides[1][0] >= 0)
    simple = np.stack([alone[~crowded] for _, alone, _ in sides], axis=1)
    face, row, column = np.nonzero(joined[tuple(i[crowded] for i in face)])
    divided = []
    for crowd, alone, label in sides:
        number, only = crowd[crowded][face], alone[crowded][face]
        own = np.full(len(number), -1)
        many = number >= 0
        own[many] = label[number[many], row[many], column[many]]
        divided.append(np.where(many, own, only))
    divided = np.stack(divided, axis=1)
    return np.concatenate([simple, divided[(divided >= 0).all(axis=1)]])
