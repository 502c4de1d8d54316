# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain lists of tets: .t (`Vertex i x y z`, `Tet i a b c d`), and two kinds of .tet.

Those of Quartet begin with `tet POINTS TETS`, those of libigl and CinoLib with a line `POINTS
vertices` and a line `TETS tets`.
"""

import re

import numpy as np

from .source import rows_of

WIDTHS = {b"Vertex": 4, b"Tet": 5}
# What some programs add to the lines of a .t, and what else they list.
EXTRA = re.compile(rb"\{[^}\n]*\}")
IGNORED = (b"Edge", b"Face", b"#")


def read(source):
    """Points float64 [point, 3] and tets int64 [tet, 4] of a .t or .tet."""
    text = source.data.lstrip()
    if text.startswith(b"tet "):
        source.find(rb"tet ", "tet")
        return _lists(source, source.count("points"), source.count("tets"), 4)
    match = re.match(rb"(\d{1,9})\s+vertices\s+(\d{1,9})\s+tets\s", text)
    if match:
        source.at = len(source.data) - len(text) + match.end()
        return _lists(source, int(match.group(1)), int(match.group(2)), 5)
    return _named_lines(source)


def _lists(source, points, tets, width):
    """Coordinates, then corners from 0 on, which a 4 precedes where `width` is 5."""
    where = source.numbers(float, 3 * points, "coordinates").reshape(-1, 3)
    rows = source.numbers(int, width * tets, "tet corners").reshape(-1, width)
    if width == 5 and (rows[:, 0] != 4).any():
        source.fail("not all cells have 4 corners")
    return where, rows[:, -4:]


def _named_lines(source):
    words = {b"Vertex": [], b"Tet": []}
    at = 0
    for line in source.data.split(b"\n"):
        parts = (EXTRA.sub(b"", line) if b"{" in line else line).split()
        if parts and not parts[0].startswith(IGNORED):
            if parts[0] not in words:
                source.fail("the line begins with neither Vertex nor Tet", at)
            try:
                row = [float(word) for word in parts[1:]]
            except ValueError:
                source.fail("what follows the first word are not numbers", at)
            if len(row) != WIDTHS[parts[0]]:
                source.fail(f"{len(row)} numbers follow the first word", at)
            words[parts[0]].append(row)
        at += len(line) + 1
    points = np.array(words[b"Vertex"]).reshape(-1, 4)
    tets = np.array(words[b"Tet"]).reshape(-1, 5)
    if not len(tets):
        return points[:, 1:], tets[:, 1:].astype(np.int64)
    return points[:, 1:], rows_of(source, points[:, 0], tets[:, 1:], "vertices")
