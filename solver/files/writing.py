# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of meshes of tets to text files: Gmsh's .msh 2.2 and legacy .vtk.

Every tet has the number of its part, counted from 1.
"""

from io import StringIO
from pathlib import Path

import numpy as np

from ..messages import message

# Number of the element type of a tet in both formats.
GMSH_TET, VTK_TET = 4, 10


def _rows(*columns):
    """Lines of text for the rows of arrays [row] or [row, any], side by side."""
    text = StringIO()
    np.savetxt(text, np.column_stack(columns), "%.9g")  # nine digits preserve every float32
    return text.getvalue()


def _lines(*texts):
    return "".join(f"{text}\n" for text in texts)


def _quoted(name):
    """A name with characters replaced that are not valid between quotes."""
    return "".join(letter if letter.isprintable() and letter != '"' else "_" for letter in name)


def gmsh(points, tets, part, names):
    """The text of a .msh with parts as named physical groups."""
    named = [f'3 {number} "{_quoted(name)}"' for number, name in enumerate(names, 1)]
    node, number = np.arange(1, len(points) + 1), np.arange(1, len(tets) + 1)
    kind, tags = np.full_like(number, GMSH_TET), np.full_like(number, 2)
    elements = _rows(number, kind, tags, part, part, 1 + tets)
    return (
        _lines("$MeshFormat", "2.2 0 8", "$EndMeshFormat")
        + _lines("$PhysicalNames", len(names), *named, "$EndPhysicalNames")
        + _lines("$Nodes", len(points), _rows(node, points) + "$EndNodes")
        + _lines("$Elements", len(tets), elements + "$EndElements")
    )


def vtk(points, tets, part, names):
    """The text of a .vtk with the part as a number of every cell."""
    count, corners = len(tets), np.full_like(part, 4)
    title = _quoted(", ".join(names))[:200]
    return (
        _lines("# vtk DataFile Version 3.0", title, "ASCII", "DATASET UNSTRUCTURED_GRID")
        + _lines(f"POINTS {len(points)} double") + _rows(points)
        + _lines(f"CELLS {count} {5 * count}") + _rows(corners, tets)
        + _lines(f"CELL_TYPES {count}") + _rows(np.full_like(part, VTK_TET))
        + _lines(f"CELL_DATA {count}", "SCALARS part int", "LOOKUP_TABLE default") + _rows(part)
    )  # fmt: skip


WRITERS = {".vtk": vtk, ".msh": gmsh}


def checked_ending(path):
    """Return the ending of a path in lower case; refuses unknown ones."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        known = ", ".join(WRITERS)
        raise ValueError(message("tets.unknown_format", file=Path(path).name, known=known))
    return suffix


def tet_text(path, parts):
    """The text of a file of `parts`, (name, points [point, 3], tets [tet, 4]) each, in the format
    of the ending of its path.
    """
    suffix = checked_ending(path)
    first = np.cumsum([0, *(len(points) for _, points, _ in parts)])
    points = np.concatenate([points for _, points, _ in parts]).astype(np.float64)
    tets = np.concatenate([at + tets for at, (_, _, tets) in zip(first, parts, strict=False)])
    part = np.repeat(np.arange(1, len(parts) + 1), [len(tets) for _, _, tets in parts])
    return WRITERS[suffix](points, tets, part, [name for name, _, _ in parts])
