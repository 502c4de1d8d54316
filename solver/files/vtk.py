# SPDX-License-Identifier: GPL-3.0-or-later
"""Legacy .vtk with an unstructured grid, in text and binary, up to version 5.1 (VTK file formats).

Tets of second order are read by their corners.
"""

import numpy as np

from ..messages import message
from .source import FileError, opened

TYPES = {"float": "f4", "double": "f8", "int": "i4", "long": "i8", "vtktypeint64": "i8"}
# Kinds of cells that are tets.
TETS = (10, 24)


def read(path):
    """Points float64 [point, 3] and tets int64 [tet, 4] of a legacy .vtk."""
    with opened(path) as source:
        if not source.line().lower().startswith("# vtk datafile"):
            raise FileError(message("tets.no_vtk"))
        source.line()  # a title
        source.order = {"ASCII": "", "BINARY": ">"}[source.line().upper()]
        if source.line().upper().split() != ["DATASET", "UNSTRUCTURED_GRID"]:
            raise FileError(message("tets.vtk_kind"))
        count, kind = source.find("POINTS")
        points = source.numbers(3 * int(count), TYPES[kind.lower()]).reshape(-1, 3)
        count, length = map(int, source.find("CELLS"))
        with_offsets = source.data[source.at : source.at + 20].lstrip().startswith(b"OFFSETS")
        first, corners = (_offsets if with_offsets else _lists)(source, count, length)
        (count,) = source.find("CELL_TYPES")
        kinds = source.numbers(int(count), "i4")
        return points, corners[first[np.isin(kinds, TETS)][:, None] + np.arange(4)]


def _offsets(source, count, length):
    """First corner of each cell [cell], and the corners; from version 5 on."""
    (kind,) = source.find("OFFSETS")
    first = source.numbers(count, TYPES[kind.lower()])
    (kind,) = source.find("CONNECTIVITY")
    return first[:-1], source.numbers(length, TYPES[kind.lower()])


def _lists(source, count, length):
    """First corner of each cell [cell], and the list of lengths and corners; before version 5."""
    values, at, first = source.numbers(length, "i4"), 0, []
    for _ in range(count):
        first.append(at + 1)
        at += 1 + abs(int(values[at]))
    if at != length:
        raise ValueError
    return np.array(first, int), values
