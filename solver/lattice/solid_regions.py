# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the material of a surface is: in which subcells of a grid, and between which crossings.

A closed shell encloses what it winds around (nonzero rule): cavities are empty where its normals
say so, and where shells overlap there is material. Open shells together enclose what the outside
cannot reach past them; a hole narrower than a cell does not let it in. All of this is material, and
so is the surface itself. Where open shells come so close that no subcell lies between them, their
normals tell a gap from a sheet.
"""

from dataclasses import dataclass

import numpy as np

from .shells import shells
from .surface_crossings import LineCrossings, crossings
from .voxels import outside_cells, touched_cells

# Subcells per side of a cell; open shells would leak through small holes in more. At least two, but
# fewer than these if there were more than `FINEST` along the grid.
SUBCELLS, SUBCELLS_OPEN, FINEST = 8, 3, 256
# Where lines run beside the middles of subcells, in subcells, so as not to follow a mesh's edges.
SHIFT = np.array([0.01234567, 0.01713939, 0.00973535])
# A subcell that an open surface touches is halved by it on the average.
HALF = 0.5


@dataclass(eq=False)
class Lines:
    """`LineCrossings` in subcells, and what lies between them."""

    crossings: LineCrossings
    filled: np.ndarray
    """Whether there is material from here to the next crossing of the line, [crossing]."""
    cut: np.ndarray
    """Whether a gap parts the middle of a subcell from the next along the axis, [x, y, z]."""


@dataclass(eq=False)
class SolidRegions:
    """What is inside a surface in a grid of cells."""

    subcells: int
    """Number per side of a cell."""
    inside: np.ndarray
    """Whether there is material in the middle of a subcell, [x, y, z]."""
    lines: tuple[Lines, Lines, Lines]
    """Along the three axes."""
    fractions: np.ndarray
    """Part of every cell that is filled, [x, y, z]."""

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
    """Whether closed shells wind around the middles of the cells of a grid of `counts`."""
    winding = np.zeros(counts, np.int16)
    own = lines[closed[lines.triangle] & (lines.next_middle < counts[lines.axis])]
    np.add.at(winding, own.places(np.maximum(own.next_middle, 0)), own.way)
    return np.cumsum(winding, axis=lines.axis, out=winding) != 0


def _wound_fractions(lines, closed, counts, subcells):
    """Part of every cell around which closed shells wind, by the lengths of lines in it."""
    own = lines[closed[lines.triangle]]
    after = own.winding(np.ones(len(own.way), int))
    step = (after != 0).astype(int) - (after - own.way != 0)
    depth = (own.depth + SHIFT[own.axis]) / subcells
    cell = np.clip(np.floor(depth).astype(int), 0, counts[own.axis] - 1)
    # What begins in a cell fills a part of it, and all of those beyond.
    part = step * (cell + 1 - depth)
    change = np.zeros(counts + (np.arange(3) == own.axis))
    flat = own[:]
    flat.row, flat.column = own.row // subcells, own.column // subcells
    np.add.at(change, flat.places(cell), part)
    np.add.at(change, flat.places(cell + 1), step - part)
    x, y, z = counts
    return np.cumsum(change, axis=own.axis)[:x, :y, :z] / subcells**2


def _enclosed(corners, closed, counts, subcells):
    """Subcells that are outside, that open shells enclose, and that open shells touch."""
    thin = touched_cells(corners[~closed], counts * subcells)
    walls = touched_cells(corners[closed], counts * subcells)
    touched = thin | walls
    cells = blocks(touched, subcells).any(axis=(3, 4, 5))
    # The finer flood runs through narrow holes, but not into cells that are known to be enclosed.
    blocked = touched.copy()
    blocks(blocked, subcells)[~(cells | outside_cells(cells))] = True
    outside = outside_cells(blocked)
    enclosed = ~(touched | outside)
    if closed.any():  # cavities of closed shells are not enclosed by open ones
        enclosed &= outside_cells(walls)
    return outside, enclosed, thin


def _filled(lines, closed, inside, outside):
    """Whether there is material from each crossing to the next, [crossing]."""
    own = closed[lines.triangle]
    filled = lines.winding(own.astype(int)) != 0
    if outside is not None:
        following = np.roll(np.arange(len(own)), -1)
        sheet = ~(own | own[following]) & ~((lines.way < 0) & (lines.way[following] > 0))
        filled |= sheet & ~_between(lines, outside)
        filled |= _between(lines, inside)
    return filled & lines.has_next


def _between(lines, chosen):
    """Whether a subcell is chosen whose middle is between a crossing and the next, [crossing]."""
    counts = np.zeros(chosen.shape + (np.arange(3) == lines.axis), np.int16)
    along = [slice(None)] * 3
    along[lines.axis] = slice(1, None)
    np.cumsum(chosen, axis=lines.axis, out=counts[tuple(along)])
    last = chosen.shape[lines.axis]
    first = counts[lines.places(np.clip(lines.next_middle, 0, last))]
    return np.roll(first, -1) > first


def _fill(inside, lines, filled):
    """Count subcells between crossings with material as inside."""
    bounded = filled & _between(lines, inside)
    change = np.zeros(inside.shape + (np.arange(3) == lines.axis), np.int8)
    first, next_ = lines[bounded], lines[np.roll(bounded, 1)]
    last = inside.shape[lines.axis]
    np.add.at(change, first.places(np.clip(first.next_middle, 0, last)), 1)
    np.add.at(change, next_.places(np.clip(next_.next_middle, 0, last)), -1)
    x, y, z = inside.shape
    inside |= np.cumsum(change, axis=lines.axis, out=change)[:x, :y, :z] > 0


def _cut(lines, filled, shape):
    """Whether a gap parts the middle of a subcell from the next along the axis."""
    cut = np.zeros(shape, bool)
    middle = lines.next_middle
    narrow = lines.has_next & ~filled & (np.roll(middle, -1) == middle)
    narrow &= (middle > 0) & (middle <= shape[lines.axis])
    chosen = lines[narrow]
    cut[chosen.places(chosen.next_middle - 1)] = True
    return cut
