# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth with faces that are too large to fold: sentences about it."""

import numpy as np

from ...solver.messages import message

# At most this many faces are a plane, a cube and the like: no cloth.
FEW = 6


def notes(ob, mesh):
    """Sentences about the faces of a cloth object, with the `mesh` at its place in the stack; it
    folds along edges alone.
    """
    if ob.vbd.role != "CLOTH":
        return
    corners = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    many = int((corners > 4).sum())
    if many:
        yield (message("note.large_faces", name=ob.name, count=many))
    elif 0 < len(corners) <= FEW:
        yield message("note.few_faces", name=ob.name, count=len(corners))
