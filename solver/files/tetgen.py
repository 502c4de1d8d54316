# SPDX-License-Identifier: GPL-3.0-or-later
"""TetGen's files .node and .ele of one name (TetGen manual, "File formats")."""

import re

from ..messages import message
from .source import FileError, opened, rows_of, whole


def read(path):
    """Points float64 [point, 3] and tets int64 [tet, 4] from both files, given the path of one."""
    with opened(path.with_suffix(".node")) as source:
        points = _rows(source, 3)
    with opened(path.with_suffix(".ele")) as source:
        tets = whole(_rows(source, 4))
        return points[:, 1:4], rows_of(points[:, 0], tets[:, 1:5])


def _rows(source, columns):
    """Rows of numbers [row, at least 1 + columns]; the first line has their number."""
    source.data = re.sub(rb"#[^\n]*", b"", source.data).lstrip()
    count, width, *_ = map(int, source.line().split())
    rows = source.text().reshape(count, -1)
    if width < columns or rows.shape[1] <= width:
        raise FileError(message("tets.rows", width=width))
    return rows
