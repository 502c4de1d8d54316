# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth whose pieces only look joined: a sentence about it."""

import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.welding import first_at_place


def notes(ob, mesh):
    """Sentences about coincident vertices of a cloth object, with the `mesh` at its place in the
    stack; sewn seams need no merging.
    """
    if ob.vbd.role != "CLOTH" or ob.vbd.use_sewing:
        return
    points = read_mesh.positions(mesh)
    points = points[np.isfinite(points).all(axis=1)]  # others are refused later
    doubles = len(points) - len(np.unique(first_at_place(points)))
    if doubles:
        yield message("note.unmerged", name=ob.name, count=doubles)
