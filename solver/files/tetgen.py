# SPDX-License-Identifier: GPL-3.0-or-later
"""TetGen's pair of .node and .ele (TetGen manual, "File formats"), which share their name."""

from pathlib import Path

from .source import Source, rows_of


def read(source, path):
    """Points float64 [point, 3] and tets int64 [tet, 4] of both files, given either."""
    path = Path(path)
    nodes = source if path.suffix.lower() == ".node" else Source.of(path.with_suffix(".node"))
    tets = source if path.suffix.lower() == ".ele" else Source.of(path.with_suffix(".ele"))
    for file in (nodes, tets):
        file.drop_comments()
    numbers, points = _nodes(nodes)
    corners = _elements(tets)
    if len(corners):
        corners = rows_of(tets, numbers, corners, f"points of {nodes.name}")
    return points, corners


def _header(source, count, what):
    """Numbers of the first line that says anything; those that it leaves out are 0."""
    line = ""
    while not line and source.left:
        line = source.line()
    try:
        numbers = [int(word) for word in line.split()]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= count or min(numbers) < 0 or max(numbers[1:], default=0) > 1000:
        source.fail(f"this does not tell how many {what} there are")
    return numbers + [0] * (count - len(numbers))


def _nodes(source):
    count, dimension, attributes, marked = _header(source, 4, "points")
    if dimension not in (0, 3):
        source.fail(f"points of {dimension} dimensions have no tets")
    width = 4 + attributes + (1 if marked else 0)
    rows = source.numbers(float, count * width, "point numbers").reshape(count, width)
    return rows[:, 0], rows[:, 1:4]


def _elements(source):
    count, corners, attributes = _header(source, 3, "tets")
    if corners not in (0, 4, 10):
        source.fail(f"tets with {corners} corners are not known")
    width = 1 + (corners or 4) + attributes
    return source.numbers(float, count * width, "tet numbers").reshape(count, width)[:, 1:5]
