# SPDX-License-Identifier: GPL-3.0-or-later
"""The material inside a surface: subcells of a grid, and intervals between crossings.

A closed shell encloses the region with a nonzero winding number: cavities are empty if its normals
point into them, and overlapping shells contain material. Open shells together enclose the region
that cannot be reached from outside; holes narrower than a cell are closed. All of this is material,
and so is the surface itself. Where open shells come so close that no subcell lies between them,
their normals distinguish a gap from a sheet.
"""

from dataclasses import dataclass

import numpy as np

from .shells import shells
from .surface_crossings import LineCrossings, crossings
from .voxels import outside_cells, touched_cells

# Subcells per side of a cell; with more, open shells would leak through small holes. At least two,
# but fewer than these if there were more than `FINEST` along the grid.
SUBCELLS, SUBCELLS_OPEN, FINEST = 8, 3, 256
# Offset of lines from the middles of subcells, in subcells, to avoid edges of a mesh.
SHIFT = np.array([0.01234567, 0.01713939, 0.00973535])
# An open surface halves the subcells that it touches, on average.
HALF = 0.5


@dataclass(eq=False)
class Lines:
    """`LineCrossings` in subcells, and the intervals between them."""

    crossings: LineCrossings
    filled: np.ndarray
    """True for material between a crossing and the next on its line, [crossing]."""
    cut: np.ndarray
    """True if a gap separates the middle of a subcell from the next along the axis, [x, y, z]."""


@dataclass(eq=False)
class SolidRegions:
    """The region inside a surface in a grid of cells."""

    subcells: int
    """Number per side of a cell."""
    inside: np.ndarray
    """True for material in the middle of a subcell, [x, y, z]."""
    lines: tuple[Lines, Lines, Lines]
    """Along the three axes."""
    fractions: np.ndarray
    """Filled fraction of every cell, [x, y, z]."""

    @property
    def counts(self):
        """Number of cells along each axis."""
        return self.fractions.shape


def solid_regions_of(points, triangles, counts):
    """`SolidRegions` in a grid of `counts` cells: points [point, 3] in cells, and triangles."""
    closed, outwards = shells(points, triangles)
    most = SUBCELLS if closed.all() else SUBCELLS_OPEN
    subcells = int(np.clip(FINEST // counts.max(), 2, most))
    if not outwards:
        triangles = triangles[:, ::-1]
    moved = points * subcells - SHIFT
    along = [crossings(moved, triangles, counts * subcells, axis) for axis in range(3)]
    inside = _wound(along[2], closed, counts * subcells)
    fractions = sum(_wound_fractions(lines, closed, counts, subcells) for lines in along) / 3.0
    outside = None
    if not closed.all():
        corners = points[triangles] * subcells
        outside, enclosed, touched = _enclosed(corners, closed, counts, subcells)
        partly = (enclosed + np.float32(HALF) * touched) * ~inside
        fractions += blocks(partly, subcells).mean(axis=(3, 4, 5))
        inside |= enclosed
    filled = [_filled(lines, closed, inside, outside) for lines in along]
    if outside is not None:
        for lines, chosen in zip(along, filled, strict=True):
            _fill(inside, lines, chosen)
    lines = (Lines(x, f, _cut(x, f, inside.shape)) for x, f in zip(along, filled, strict=True))
    return SolidRegions(subcells, inside, tuple(lines), np.clip(fractions, 0.0, 1.0))


def blocks(values, subcells):
    """Values of subcells by cell: [x, y, z, subcell, subcell, subcell]."""
    x, y, z = np.array(values.shape) // subcells
    return values.reshape(x, subcells, y, subcells, z, subcells).transpose(0, 2, 4, 1, 3, 5)


def _wound(lines, closed, counts):
    """True for cells of a grid of `counts` with their middle inside closed shells, [x, y, z]."""
    winding = np.zeros(counts, np.int16)
    own = lines[closed[lines.triangle] & (lines.next_middle < counts[lines.axis])]
    np.add.at(winding, own.places(np.maximum(own.next_middle, 0)), own.sign)
    return np.cumsum(winding, axis=lines.axis, out=winding) != 0


def _wound_fractions(lines, closed, counts, subcells):
    """Fraction of every cell inside closed shells, by the lengths of lines in it."""
    own = lines[closed[lines.triangle]]
    after = own.winding(np.ones(len(own.sign), int))
    step = (after != 0).astype(int) - (after - own.sign != 0)
    depth = (own.depth + SHIFT[own.axis]) / subcells
    cell = np.clip(np.floor(depth).astype(int), 0, counts[own.axis] - 1)
    # An interval that begins in a cell fills a fraction of it, and all cells beyond.
    fraction = step * (cell + 1 - depth)
    change = np.zeros(counts + (np.arange(3) == own.axis))
    flat = own[:]
    flat.row, flat.column = own.row // subcells, own.column // subcells
    np.add.at(change, flat.places(cell), fraction)
    np.add.at(change, flat.places(cell + 1), step - fraction)
    x, y, z = counts
    return np.cumsum(change, axis=own.axis)[:x, :y, :z] / subcells**2


def _enclosed(corners, closed, counts, subcells):
    """Masks of subcells that are outside, enclosed by open shells, and touched by open shells."""
    thin = touched_cells(corners[~closed], counts * subcells)
    walls = touched_cells(corners[closed], counts * subcells)
    touched = thin | walls
    cells = blocks(touched, subcells).any(axis=(3, 4, 5))
    # The finer flood fill enters through narrow holes, but not into cells known to be enclosed.
    blocked = touched.copy()
    blocks(blocked, subcells)[~(cells | outside_cells(cells))] = True
    outside = outside_cells(blocked)
    enclosed = ~(touched | outside)
    if closed.any():  # cavities of closed shells are not enclosed by open ones
        enclosed &= outside_cells(walls)
    return outside, enclosed, thin


def _filled(lines, closed, inside, outside):
    """True for material between each crossing and the next, [crossing]."""
    own = closed[lines.triangle]
    filled = lines.winding(own.astype(int)) != 0
    if outside is not None:
        following = np.roll(np.arange(len(own)), -1)
        sheet = ~(own | own[following]) & ~((lines.sign < 0) & (lines.sign[following] > 0))
        filled |= sheet & ~_between(lines, outside)
        filled |= _between(lines, inside)
    return filled & lines.has_next


def _between(lines, chosen):
    """True if the middle of a chosen subcell lies between a crossing and the next, [crossing]."""
    counts = np.zeros(chosen.shape + (np.arange(3) == lines.axis), np.int16)
    along = [slice(None)] * 3
    along[lines.axis] = slice(1, None)
    np.cumsum(chosen, axis=lines.axis, out=counts[tuple(along)])
    last = chosen.shape[lines.axis]
    first = counts[lines.places(np.clip(lines.next_middle, 0, last))]
    return np.roll(first, -1) > first


def _fill(inside, lines, filled):
    """Mark subcells between crossings with material as inside."""
    bounded = filled & _between(lines, inside)
    change = np.zeros(inside.shape + (np.arange(3) == lines.axis), np.int8)
    first, next_ = lines[bounded], lines[np.roll(bounded, 1)]
    last = inside.shape[lines.axis]
    np.add.at(change, first.places(np.clip(first.next_middle, 0, last)), 1)
    np.add.at(change, next_.places(np.clip(next_.next_middle, 0, last)), -1)
    x, y, z = inside.shape
    inside |= np.cumsum(change, axis=lines.axis, out=change)[:x, :y, :z] > 0


def _cut(lines, filled, shape):
    """True if a gap separates the middle of a subcell from the next along the axis, [x, y, z]."""
    cut = np.zeros(shape, bool)
    middle = lines.next_middle
    narrow = lines.has_next & ~filled & (np.roll(middle, -1) == middle)
    narrow &= (middle > 0) & (middle <= shape[lines.axis])
    chosen = lines[narrow]
    cut[chosen.places(chosen.next_middle - 1)] = True
    return cut
