# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files of tets in every format that is read without meshio, as other programs write them."""

import numpy as np


def _rows(rows):
    return "".join(" ".join(repr(value) for value in row) + "\n" for row in rows)


def _numbered(rows, first=1, middle=()):
    return [(first + k, *middle, *row.tolist()) for k, row in enumerate(rows)]


def gmsh_2(points, tets, binary=False):
    """Also a triangle, which is no tet."""
    triangle = [1, 2, 2, 9, 9, *(1 + tets[0, :3]).tolist()]
    if not binary:
        elements = [tuple(triangle), *_numbered(1 + tets, 2, (4, 2, 9, 9))]
        text = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(points)}\n"
        text += _rows(_numbered(points)) + f"$EndNodes\n$Elements\n{len(elements)}\n"
        return (text + _rows(elements) + "$EndElements\n").encode()
    nodes = np.zeros(len(points), [("tag", "<i4"), ("point", "<f8", 3)])
    nodes["tag"], nodes["point"] = 1 + np.arange(len(points)), points
    rows = np.array(_numbered(1 + tets, 2, (9, 9)), "<i4")
    return b"".join(
        [
            b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n",
            b"$Nodes\n%d\n" % len(points),
            nodes.tobytes(),
            b"\n$EndNodes\n$Elements\n%d\n" % (1 + len(tets)),
            np.array([2, 1, 2, triangle[0], *triangle[3:]], "<i4").tobytes(),
            np.array([4, len(tets), 2], "<i4").tobytes(),
            rows.tobytes(),
            b"\n$EndElements\n",
        ]
    )


def gmsh_2_binary(points, tets):
    return gmsh_2(points, tets, binary=True)


def gmsh_4(points, tets):
    """Nodes in two blocks, with tags that are neither in order nor without gaps."""
    tags = 3 * np.arange(len(points))[::-1] + 7
    half = len(points) // 2
    text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n"
    text += f"2 {len(points)} 1 {tags.max()}\n"
    for dim, part in ((2, slice(0, half)), (3, slice(half, None))):
        text += f"{dim} 1 0 {len(points[part])}\n" + _rows(tags[part, None].tolist())
        text += _rows(points[part].tolist())
    text += f"$EndNodes\n$Elements\n2 {1 + len(tets)} 1 {1 + len(tets)}\n"
    text += "2 1 2 1\n" + _rows([(1, *tags[tets[0, :3]].tolist())])
    text += f"3 1 4 {len(tets)}\n" + _rows(_numbered(tags[tets], 2)) + "$EndElements\n"
    return text.encode()


def gmsh_4_binary(points, tets):
    count = len(points)
    elements = np.column_stack([1 + np.arange(len(tets)), 1 + tets])
    return b"".join(
        [
            b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n",
            np.array([1, count, 1, count], "<u8").tobytes(),
            np.array([3, 1, 0], "<i4").tobytes(),
            np.array([count, *range(1, count + 1)], "<u8").tobytes(),
            points.astype("<f8").tobytes(),
            b"\n$EndNodes\n$Elements\n",
            np.array([1, len(tets), 1, len(tets)], "<u8").tobytes(),
            np.array([3, 1, 4], "<i4").tobytes(),
            np.array([len(tets)], "<u8").tobytes(),
            elements.astype("<u8").tobytes(),
            b"\n$EndElements\n",
        ]
    )


def _vtk(form, version="3.0"):
    return f"# vtk DataFile Version {version}\na mesh\n{form}\nDATASET UNSTRUCTURED_GRID\n".encode()


def vtk(points, tets):
    """Also a triangle."""
    cells = [(3, *tets[0, :3].tolist()), *((4, *row) for row in tets.tolist())]
    size = sum(map(len, cells))
    text = f"POINTS {len(points)} double\n" + _rows(points.tolist())
    text += f"CELLS {len(cells)} {size}\n{_rows(cells)}CELL_TYPES {len(cells)}\n5\n"
    return _vtk("ASCII") + (text + "10\n" * len(tets) + "CELL_DATA 0\n").encode()


def vtk_binary(points, tets):
    cells = np.column_stack([np.full(len(tets), 4), tets])
    return b"".join(
        [
            _vtk("BINARY"),
            b"POINTS %d float\n" % len(points),
            points.astype(">f4").tobytes(),
            b"\nMETADATA\nINFORMATION 0\n\nCELLS %d %d\n" % (len(tets), cells.size),
            cells.astype(">i4").tobytes(),
            b"\nCELL_TYPES %d\n" % len(tets),
            np.full(len(tets), 10, ">i4").tobytes(),
            b"\n",
        ]
    )


def vtk_5_binary(points, tets):
    return b"".join(
        [
            _vtk("BINARY", "5.1"),
            b"POINTS %d double\n" % len(points),
            points.astype(">f8").tobytes(),
            b"\nCELLS %d %d\nOFFSETS vtktypeint64\n" % (1 + len(tets), tets.size),
            np.arange(0, tets.size + 1, 4).astype(">i8").tobytes(),
            b"\nCONNECTIVITY vtktypeint64\n",
            tets.astype(">i8").tobytes(),
            b"\nCELL_TYPES %d\n" % len(tets),
            np.full(len(tets), 10, ">i4").tobytes(),
            b"\n",
        ]
    )


def node(points, tets):
    """The first of TetGen's two files; each point has an attribute and a mark."""
    rows = [(*row, 0.5, 1) for row in _numbered(points)]
    return (f"# points\n{len(points)} 3 1 1\n{_rows(rows)}# by hand\n").encode()


def ele(points, tets):
    return (f"{len(tets)} 4 0\n{_rows(_numbered(1 + tets))}").encode()


# Names of formats here: the ending of the file, and the function that writes it.
FORMATS = {
    "gmsh_2": (".msh", gmsh_2),
    "gmsh_2_binary": (".msh", gmsh_2_binary),
    "gmsh_4": (".msh", gmsh_4),
    "gmsh_4_binary": (".msh", gmsh_4_binary),
    "vtk": (".vtk", vtk),
    "vtk_binary": (".vtk", vtk_binary),
    "vtk_5_binary": (".vtk", vtk_5_binary),
    "node": (".node", node),
    "ele": (".ele", ele),
}


def write(folder, name, points, tets):
    """Write the file of a format, and the other one of a pair; return its path."""
    points, tets = np.asarray(points, float), np.asarray(tets, np.int64)
    suffix, make = FORMATS[name]
    path = folder / f"{name}{suffix}"
    path.write_bytes(make(points, tets))
    for other in (node, ele) if make in (node, ele) else ():
        if other is not make:
            path.with_suffix(f".{other.__name__}").write_bytes(other(points, tets))
    return path
