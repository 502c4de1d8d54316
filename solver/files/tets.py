# SPDX-License-Identifier: GPL-3.0-or-later
"""Import of a mesh of tets from a file of any known format, checked for `bodies.Solid`."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..messages import message
from ..topology.meshes import FLAT_TET, checked_elements, finite_points, longest_edges, tet_volumes
from . import by_meshio, gmsh, tetgen, vtk

READERS = {".msh": gmsh.read, ".vtk": vtk.read, ".node": tetgen.read, ".ele": tetgen.read}
ENDINGS = (*READERS, *by_meshio.ENDINGS)
# Keys of three corners fit into 64 bits; larger meshes cannot be simulated anyway.
MOST_POINTS = 2_000_000


@dataclass
class TetMesh:
    """Points float32 [point, 3], all of them in use, and tets int32 [tet, 4] with a positive
    volume.
    """

    points: np.ndarray
    tets: np.ndarray
    notes: list = field(default_factory=list)
    """Messages about changes to the data of the file."""


def read_tets(path, install="pip install meshio"):
    """Read the `TetMesh` in a file, with the format by its ending.

    A ValueError has a message for the user; OSError comes from the system. `install`: the command
    in the message for a missing meshio.
    """
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    return checked(path.name, *(reader(path) if reader else by_meshio.read(path, install)))


def checked(name, points, tets):
    """Return a `TetMesh` of points [point, 3] and tets [tet, 4]: only points in use, all tets
    flipped to a positive volume. Refuses flat tets and corners that do not exist.
    """
    if not len(tets):
        raise ValueError(message("tets.none", name=name))
    outside = np.flatnonzero(((tets < 0) | (tets >= len(points))).any(axis=1))
    if len(outside):
        raise ValueError(
            message("tets.vertex_outside", name=name, tet=outside[0], count=len(points))
        )
    notes = []
    used, tets = np.unique(tets, return_inverse=True)
    tets = tets.reshape(-1, 4)
    if len(used) > MOST_POINTS:
        raise ValueError(
            message("tets.many_vertices", name=name, count=len(used), most=MOST_POINTS)
        )
    if len(used) < len(points):
        notes.append(message("tets.loose", count=len(points) - len(used)))
    points = finite_points(name, "vertices", points[used]).astype(np.float32)
    tets = checked_elements(name, "tet", tets, 4, len(points))
    _, once = np.unique(np.sort(tets, axis=1), axis=0, return_index=True)
    if len(once) < len(tets):
        notes.append(message("tets.twice", count=len(tets) - len(once)))
        tets = tets[np.sort(once)]
    tets, turned = _turned(name, points.astype(np.float64), tets)
    if 0 < turned < len(tets):
        notes.append(message("tets.turned", count=turned, total=len(tets)))
    return TetMesh(points, tets, notes)


def _turned(name, points, tets):
    """Return tets with a positive volume, and the number of tets that were inverted."""
    volumes = tet_volumes(points, tets)
    flat = np.flatnonzero(6.0 * np.abs(volumes) <= FLAT_TET * longest_edges(points, tets) ** 3)
    if len(flat):
        raise ValueError(
            message(
                "tets.flat",
                name=name,
                count=len(flat),
                total=len(tets),
                first=flat[0],
                vertices=tets[flat[0]].tolist(),
            )
        )
    inverted = volumes < 0.0
    tets[inverted] = tets[inverted][:, [0, 2, 1, 3]]
    return tets, int(inverted.sum())
