# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth whose parts only look joined: a sentence that says so."""

import numpy as np

from ...solver.messages import message
from ..objects import read_mesh

# Vertices nearer than this part of the size of the mesh are in one place.
SAME = 1e-6


def notes(ob, mesh):
    """What is to be said about vertices of a cloth object that lie on others, with the `mesh` where
    it is simulated; seams that are sewn need no merging.
    """
    if ob.vbd.role != "CLOTH" or ob.vbd.use_sewing:
        return
    points = read_mesh.positions(mesh)
    points = points[np.isfinite(points).all(axis=1)]  # what is not is refused later
    doubles = len(points) - count_places(points)
    if doubles:
        yield message("note.unmerged", name=ob.name, count=doubles)


def count_places(points):
    """How many different places points [n, 3] are in."""
    if not len(points):
        return 0
    low, size = points.min(axis=0), np.ptp(points, axis=0).max()
    cells = np.rint((points - low).astype(np.float64) / max(SAME * size, 1e-30)).astype(np.int64)
    return len(np.unique(cells @ (1 << np.array([0, 21, 42]))))
