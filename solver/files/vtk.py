# SPDX-License-Identifier: GPL-3.0-or-later
"""Legacy .vtk with an unstructured grid, in text and binary, up to version 5.1 (VTK file formats).

Tets of second order are taken by their corners.
"""

import numpy as np

# In binary, all numbers begin with their highest byte.
TYPES = {
    "float": ">f4", "double": ">f8", "int": ">i4", "unsigned_int": ">u4", "long": ">i8",
    "vtktypeint64": ">i8", "vtkidtype": ">i8",
}  # fmt: skip
# Kinds of cells that are tets, and how many points they have.
TETS = {10: 4, 24: 10}


def read(source):
    """Points float64 [point, 3] and tets int64 [tet, 4] of a legacy .vtk."""
    if not source.line().lower().startswith("# vtk datafile"):
        source.fail("this is no legacy .vtk; in ParaView: Save Data > Legacy VTK Files")
    source.line()  # a title
    form = source.line().upper()
    if form not in ("ASCII", "BINARY"):
        source.fail("neither ASCII nor BINARY stands in the third line")
    source.binary = form == "BINARY"
    if source.line().upper().split() != ["DATASET", "UNSTRUCTURED_GRID"]:
        source.fail("only data sets of the kind UNSTRUCTURED_GRID have tets")
    (count,), kind = _header(source, rb"POINTS", 1)
    points = _values(source, kind, 3 * count, "coordinates").astype(float).reshape(-1, 3)
    sizes, _ = _header(source, rb"CELLS", 2)
    first, corners = _offsets(source, *sizes) if _is_new(source) else _lists(source, *sizes)
    (count,), _ = _header(source, rb"CELL_TYPES", 1)
    kinds = _values(source, "int", count, "cell kinds")
    if len(kinds) != len(first) - 1:
        source.fail(f"there are {len(first) - 1} cells and {len(kinds)} kinds of them")
    tets = [np.empty((0, 4), np.int64)]
    for kind, size in TETS.items():
        chosen = np.flatnonzero(kinds == kind)
        if (np.diff(first)[chosen] != size).any():
            source.fail(f"a cell of the kind {kind} does not have {size} points")
        tets.append(corners[first[chosen][:, None] + np.arange(4)])
    return points, np.concatenate(tets)


def _header(source, word, count):
    """Numbers and last word of the line that begins with `word`; moves behind it."""
    source.find(word + rb"[ \t]", word.decode())
    words = source.line().split()
    try:
        sizes = [int(text) for text in words[:count]]
        if len(sizes) < count or min(sizes, default=0) < 0:
            raise ValueError
    except ValueError:
        source.fail(f"the numbers behind {word.decode()} cannot be read")
    return sizes, (words[count : count + 1] or ["int"])[0].lower()


def _values(source, kind, count, what):
    if kind not in TYPES:
        source.fail(f"numbers of the type {kind[:20]} are not known")
    dtype = np.dtype(TYPES[kind])
    if source.binary:
        return source.items(dtype, count, what)
    return source.numbers(float if dtype.kind == "f" else int, count, what)


def _is_new(source):
    """Whether cells are given by offsets, as from version 5 on."""
    return source.data[source.at : source.at + 20].lstrip().upper().startswith(b"OFFSETS")


def _offsets(source, count, length):
    """Where each cell begins and ends among the corners [cell + 1], and the corners."""
    _, kind = _header(source, rb"OFFSETS", 0)
    first = _values(source, kind, count, "offsets").astype(np.int64)
    _, kind = _header(source, rb"CONNECTIVITY", 0)
    corners = _values(source, kind, length, "cell corners").astype(np.int64)
    if not len(first) or first[0] != 0 or first[-1] != length or (np.diff(first) < 0).any():
        source.fail("the offsets of the cells do not rise from 0 to the number of corners")
    return first, corners


def _lists(source, count, length):
    """The same from lists that begin with their length each."""
    lists = _values(source, "int", length, "cell corners").astype(np.int64)
    if length < 2 * count:
        source.fail(f"{count} cells have {length} numbers")
    lengths, at, values = [], 0, lists.tolist()
    for _ in range(count):
        if at >= length or values[at] < 0:
            source.fail("the lists of the cell corners do not fit their length")
        lengths.append(values[at])
        at += values[at] + 1
    if at != length:
        source.fail("the lists of the cell corners do not fit their length")
    begin = np.cumsum([0, *lengths])
    heads = begin[:-1] + np.arange(count)
    return begin, np.delete(lists, heads)
