# SPDX-License-Identifier: GPL-3.0-or-later
"""Medit's .mesh in text, as TetGen, Mmg, CGAL and Gmsh write it (Frey, "Medit", INRIA RT-0253)."""

import numpy as np


def read(source):
    """Points float64 [point, 3] and tets int64 [tet, 4] of a .mesh."""
    if source.data[:4] in (b"\x01\0\0\0", b"\0\0\0\x01"):
        source.fail("binary .meshb files are not read; save it as text")
    source.drop_comments()
    source.find(rb"(?i:MeshVersionFormatted)\s", "MeshVersionFormatted")
    source.find(rb"(?i:Dimension)\s", "Dimension")
    dimension = source.count("dimensions")
    if dimension != 3:
        source.fail(f"a mesh of {dimension} dimensions has no tets")
    source.find(rb"(?i:Vertices)\s", "Vertices")
    count = source.count("vertices")
    points = source.numbers(float, 4 * count, "vertex numbers").reshape(-1, 4)[:, :3]
    if source.look_for(rb"(?i:Tetrahedra)\s") is None:
        return points, np.empty((0, 4), np.int64)
    source.find(rb"(?i:Tetrahedra)\s", "Tetrahedra")
    count = source.count("tets")
    return points, source.numbers(int, 5 * count, "tet numbers").reshape(-1, 5)[:, :4] - 1
