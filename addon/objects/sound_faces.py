# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of a cloth that a bake leaves out, since they have no area or are duplicates."""

from dataclasses import dataclass

import numpy as np

from ...solver.topology.meshes import are_flat
from . import read_mesh


@dataclass
class LeftOut:
    """Numbers of the faces left out: `flat`, those with a triangle without area, and `doubled`,
    those with the vertices of an earlier one.
    """

    flat: np.ndarray
    doubled: np.ndarray
    vertex: np.ndarray
    """The vertices of all faces of the mesh, [corner]."""

    @property
    def faces(self):
        """All faces left out, without repetition."""
        return np.union1d(self.flat, self.doubled)

    def __len__(self):
        return len(self.faces)


def left_out(mesh, points):
    """The `LeftOut` of a mesh whose vertices rest at `points` [m], [vertex, 3]."""
    return sound_corners(mesh, points)[1]


def sound_corners(mesh, points):
    """Triangles of a cloth as corners of faces, int32 [triangle, 3], without those of `LeftOut`
    faces, and these. A face that has an area keeps the triangles that have one.
    """
    corners, face = read_mesh.cloth_corners(mesh)
    vertex = read_mesh.corner_vertices(mesh)
    flat = are_flat(points, vertex[corners])
    doubled = _doubled(mesh)
    kept = ~(flat | np.isin(face, doubled))
    return corners[kept], LeftOut(np.setdiff1d(face[flat], doubled), doubled, vertex)


def _doubled(mesh):
    """Faces that have all vertices of an earlier one, in any order, int64 [face]."""
    total = np.empty(len(mesh.polygons), np.int32)
    start = np.empty_like(total)
    mesh.polygons.foreach_get("loop_total", total)
    mesh.polygons.foreach_get("loop_start", start)
    vertex, found = read_mesh.corner_vertices(mesh), [np.zeros(0, np.int64)]
    if not len(total):
        return found[0]
    # Faces with the same vertices have the same sum of random numbers; few others do.
    number = np.random.default_rng(0).integers(2**62, size=len(mesh.vertices))
    sums = np.add.reduceat(number[vertex], start)
    _, alike, count = np.unique(sums, return_inverse=True, return_counts=True)
    suspects = np.flatnonzero(count[alike] > 1)
    for size in np.unique(total[suspects]):
        faces = suspects[total[suspects] == size]
        rows = np.sort(vertex[start[faces][:, None] + np.arange(size)], axis=1)
        _, first, of = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        found.append(faces[first[of.ravel()] != np.arange(len(faces))])
    return np.sort(np.concatenate(found))
