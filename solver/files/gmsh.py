# SPDX-License-Identifier: GPL-3.0-or-later
"""Gmsh's .msh, versions 2.x and 4.1, in text and binary (Gmsh reference manual, "MSH file format").

Tets of second order are read by their corners.
"""

import numpy as np

from ..messages import message
from .source import FileError, opened, rows_of, whole

# Nodes of every kind of element of first and second order, and the kinds that are tets.
NODES = {
    1: 2, 2: 3, 3: 4, 4: 4, 5: 8, 6: 6, 7: 5, 8: 3, 9: 6, 10: 9, 11: 10, 12: 27, 13: 18, 14: 14,
    15: 1, 16: 8, 17: 20, 18: 15, 19: 13,
}  # fmt: skip
TETS = (4, 11)
# Byte orders by their representation of the number 1.
ORDERS = {b"\x01\0\0\0": "<", b"\0\0\0\x01": ">"}


def read(path):
    """Points float64 [point, 3] and tets int64 [tet, 4] of a .msh."""
    with opened(path) as source:
        source.find("$MeshFormat")
        version, binary, _ = source.line().split()
        if not version.startswith("2") and version != "4.1":
            raise FileError(message("tets.version", version=version[:20]))
        if binary == "1":
            source.order = ORDERS[source.data[source.at : source.at + 4]]
        nodes, tets = (_nodes_4, _tets_4) if version == "4.1" else (_nodes_2, _tets_2)
        source.find("$Nodes")
        numbers, points = nodes(source)
        source.find("$Elements")
        return points, rows_of(numbers, tets(source))


def _nodes_2(source):
    count = int(source.line())
    if source.order:
        nodes = source.items(count, "i4, 3f8")
        return nodes["f0"], nodes["f1"]
    rows = source.numbers(4 * count, "f8").reshape(-1, 4)
    return rows[:, 0], rows[:, 1:]


def _tets_2(source):
    count = int(source.line())
    return _blocks_2(source, count) if source.order else _lines_2(source, count)


def _lines_2(source, count):
    values, at, first = whole(source.text()), 0, []
    for _ in range(count):
        kind, tags = values[at + 1 : at + 3].tolist()
        if kind in TETS:
            first.append(at + 3 + tags)
        at += 3 + max(tags, 0) + NODES[kind]
    if at != len(values):
        raise ValueError
    return values[np.array(first, int)[:, None] + np.arange(4)]


def _blocks_2(source, count):
    tets = [np.empty((0, 4), np.int64)]
    while count > 0:
        kind, many, tags = source.numbers(3, "i4").tolist()
        width = 1 + tags + NODES[kind]
        rows = source.numbers(many * width, "i4").reshape(many, width)
        if kind in TETS:
            tets.append(rows[:, 1 + tags : 5 + tags])
        count -= many
    return np.concatenate(tets)


def _nodes_4(source):
    blocks, *_ = source.numbers(4, "u8").tolist()
    numbers, points = [], []
    for _ in range(blocks):
        dimension, _, parametric = source.numbers(3, "i4").tolist()
        (many,) = source.numbers(1, "u8").tolist()
        width = 3 + dimension * parametric
        numbers.append(source.numbers(many, "u8"))
        points.append(source.numbers(many * width, "f8").reshape(many, width)[:, :3])
    return np.concatenate(numbers), np.concatenate(points)


def _tets_4(source):
    blocks, *_ = source.numbers(4, "u8").tolist()
    tets = [np.empty((0, 4), np.int64)]
    for _ in range(blocks):
        _, _, kind = source.numbers(3, "i4").tolist()
        (many,) = source.numbers(1, "u8").tolist()
        width = 1 + NODES[kind]
        rows = source.numbers(many * width, "u8").reshape(many, width)
        if kind in TETS:
            tets.append(rows[:, 1:5])
    return np.concatenate(tets)
