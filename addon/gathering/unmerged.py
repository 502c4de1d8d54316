# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth whose pieces only look joined: a sentence about it."""

import numpy as np

from ...solver.messages import message
from ..objects import read_mesh

# Vertices nearer than this fraction of the size of the mesh coincide.
SAME = 1e-6


def notes(ob, mesh):
    """Sentences about coincident vertices of a cloth object, with the `mesh` at its place in the
    stack; sewn seams need no merging.
    """
    if ob.vbd.role != "CLOTH" or ob.vbd.use_sewing:
        return
    points = read_mesh.positions(mesh)
    points = points[np.isfinite(points).all(axis=1)]  # others are refused later
    doubles = len(points) - count_places(points)
    if doubles:
        yield message("note.unmerged", name=ob.name, count=doubles)


def count_places(points):
    """Number of distinct places of points [n, 3]."""
    if not len(points):
        return 0
    low, size = points.min(axis=0), np.ptp(points, axis=0).max()
    cells = np.rint((points - low).astype(np.float64) / max(SAME * size, 1e-30)).astype(np.int64)
    return len(np.unique(cells @ (1 << np.array([0, 21, 42]))))
