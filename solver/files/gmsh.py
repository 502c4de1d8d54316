# SPDX-License-Identifier: GPL-3.0-or-later
"""Gmsh's .msh, versions 2.x and 4.1, in text and binary (Gmsh reference manual, "MSH file format").

Tets of higher order are taken by their corners.
"""

import numpy as np

from .source import rows_of

# Nodes of every kind of element, and which kinds are tets.
NODES = {
    1: 2, 2: 3, 3: 4, 4: 4, 5: 8, 6: 6, 7: 5, 8: 3, 9: 6, 10: 9, 11: 10, 12: 27, 13: 18, 14: 14,
    15: 1, 16: 8, 17: 20, 18: 15, 19: 13, 20: 9, 21: 10, 22: 12, 23: 15, 24: 15, 25: 21, 26: 4,
    27: 5, 28: 6, 29: 20, 30: 35, 31: 56,
}  # fmt: skip
TETS = {4, 11, 29, 30, 31}


def read(source):
    """Points float64 [point, 3] and tets int64 [tet, 4] of a .msh."""
    source.find(rb"\$MeshFormat[ \t]*\r?\n", "$MeshFormat")
    words = source.line().split()
    try:
        version, binary, size = words[0], int(words[1]) == 1, int(words[2])
    except (IndexError, ValueError):
        source.fail("the version of the format cannot be read")
    if version.startswith("2"):
        points_of, tets_of = _points_2, _tets_2
    elif version == "4.1":
        points_of, tets_of = _points_4, _tets_4
    else:
        source.fail(f"version {version[:20]} is not known; save it as version 4.1 or 2.2")
    if binary and size not in (4, 8):
        source.fail(f"numbers of {size} bytes are not known")
    numbers = _Binary(source, size) if binary else _Text(source)
    source.find(rb"\$Nodes[ \t]*\r?\n", "$Nodes")
    tags, points = points_of(numbers)
    source.find(rb"\$Elements[ \t]*\r?\n", "$Elements")
    tets = tets_of(numbers)
    if not len(tets):
        return points, tets
    return points, rows_of(source, tags, tets, "nodes")


class _Text:
    """Numbers in words: counts, tags and coordinates look alike."""

    binary = False

    def __init__(self, source):
        self.source, self.fail = source, source.fail

    def ints(self, count, what):
        return self.source.numbers(int, count, what)

    sizes = ints

    def floats(self, count, what):
        return self.source.numbers(float, count, what)


class _Binary:
    """Numbers in bytes, whose order a 1 in front tells."""

    binary = True

    def __init__(self, source, size):
        self.source, self.fail = source, source.fail
        source.binary = True
        one = source.items("<i4", 1, "byte-order sign")[0]
        if one not in (1, 1 << 24):
            source.fail("the byte order cannot be told")
        self.order, self.size = "<" if one == 1 else ">", size

    def ints(self, count, what):
        return self.source.items(f"{self.order}i4", count, what).astype(np.int64)

    def sizes(self, count, what):
        return self.source.items(f"{self.order}u{self.size}", count, what).astype(np.int64)

    def floats(self, count, what):
        return self.source.items(f"{self.order}f8", count, what)

    def nodes(self, count):
        """Number and place of nodes of version 2."""
        node = np.dtype([("tag", f"{self.order}i4"), ("point", f"{self.order}f8", 3)])
        nodes = self.source.items(node, count, "nodes")
        return nodes["tag"].astype(np.int64), nodes["point"].astype(np.float64)


def _nodes_of(numbers, kind):
    if kind not in NODES:
        numbers.fail(f"elements of the kind {kind} are not known")
    return NODES[kind]


def _points_2(numbers):
    count = numbers.source.count("nodes")
    if numbers.binary:
        numbers.source.line()  # the rest of the line with the count
        return numbers.nodes(count)
    rows = numbers.floats(4 * count, "node numbers").reshape(-1, 4)
    return rows[:, 0], rows[:, 1:]


def _tets_2(numbers):
    count = numbers.source.count("elements")
    numbers.source.line()
    if numbers.binary:
        return _tets_2_binary(numbers, count)
    end = numbers.source.look_for(rb"\$EndElements")
    if end is None:
        numbers.fail("there is no $EndElements from here on")
    if count > numbers.source.left // 2:
        numbers.fail(f"{count} elements are announced, and the file has no room for them")
    tets = []
    for _ in range(count):
        # A line of fewer numbers, or the end of the section, is no element.
        element = numbers.source.line().split()
        try:
            kind, tags = int(element[1]), int(element[2])
            corners = list(map(int, element[3 + tags :])) if tags >= 0 else []
        except (IndexError, ValueError):
            numbers.fail("an element cannot be read")
        if len(corners) != _nodes_of(numbers, kind):
            numbers.fail(f"an element of the kind {kind} has {len(corners)} nodes")
        if kind in TETS:
            tets.append(corners[:4])
    return _of_rows(numbers, tets)


def _of_rows(numbers, tets):
    try:
        return np.array(tets, np.int64).reshape(-1, 4)
    except OverflowError:
        numbers.fail("a node has a number that is too large")


def _tets_2_binary(numbers, count):
    tets = [np.empty((0, 4), np.int64)]
    while count > 0:
        kind, many, tags = numbers.ints(3, "element numbers").tolist()
        width = 1 + tags + _nodes_of(numbers, kind)
        if many < 1 or tags < 0:
            numbers.fail(f"{many} elements with {tags} tags are announced")
        rows = numbers.ints(many * width, "element numbers").reshape(many, width)
        if kind in TETS:
            tets.append(rows[:, 1 + tags : 5 + tags])
        count -= many
    return np.concatenate(tets)


def _points_4(numbers):
    blocks, _, _, _ = numbers.sizes(4, "node numbers").tolist()
    tags, points = [np.empty(0, np.int64)], [np.empty((0, 3))]
    for _ in range(blocks):
        dimension, _, parametric = numbers.ints(3, "block numbers").tolist()
        (many,) = numbers.sizes(1, "block numbers").tolist()
        if not 0 <= dimension <= 3:
            numbers.fail(f"a block of nodes has {dimension} dimensions")
        width = 3 + (dimension if parametric else 0)
        tags.append(numbers.sizes(many, "node numbers"))
        points.append(numbers.floats(many * width, "coordinates").reshape(many, width)[:, :3])
    return np.concatenate(tags), np.concatenate(points)


def _tets_4(numbers):
    blocks, _, _, _ = numbers.sizes(4, "element numbers").tolist()
    tets = [np.empty((0, 4), np.int64)]
    for _ in range(blocks):
        _, _, kind = numbers.ints(3, "block numbers").tolist()
        (many,) = numbers.sizes(1, "block numbers").tolist()
        width = 1 + _nodes_of(numbers, kind)
        rows = numbers.sizes(many * width, "element numbers").reshape(many, width)
        if kind in TETS:
            tets.append(rows[:, 1:5])
    return np.concatenate(tets)
